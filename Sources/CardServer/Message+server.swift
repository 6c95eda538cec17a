package import CardModel
import HTTPTypes

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: Listening

    static let listenInUse = Self("listen.in_use", "the port is in use; stop the program that uses it, or choose another port")
    static let listenUnknownHost = Self("listen.unknown_host", "the host name cannot be resolved")
    static let listenNoAddress = Self("listen.no_address", "the host is not an address")
    static func listenFailed(_ host: String, _ port: Int, _ reason: Message) -> Self { Self("listen.failed", "cannot listen on \(code: host), port \(port) (server.listen): \(reason)") }
    static func listenNoToken(_ tokenCommand: String) -> Self { Self("listen.no_token", "server.listen is reachable from other machines, but no client has access; make a token (\(Redacted(tokenCommand))) or set webhooks.secrets") }
    package static let listenUnencrypted = Self("listen.unencrypted", "server.listen is reachable from other machines without encryption; set server.tls.certificate and server.tls.key, or listen on 127.0.0.1 behind a proxy with TLS")

    // MARK: Certificates

    static func certificateKeyMissing(_ errno: Int32) -> Self { Self("certificate.key_missing", "cannot find the key file: \(errno: errno)") }
    static let certificateNoPair = Self("certificate.no_pair", "cannot read the certificate and the key as a pair; check that both are PEM files of one pair")
    static func certificateUnusable(_ reason: Message) -> Self { Self("certificate.unusable", "cannot use server.tls.certificate and server.tls.key: \(reason)") }

    // MARK: Tokens

    static let tokenName = Self("token.name", "the name of a token must have 1 to 64 letters, digits and ._-, must not be \"local\", and must hold no identity number")
    static func tokenNoScope(_ known: String) -> Self { Self("token.no_scope", "a token needs a scope: \(code: known)") }
    static let tokenFileInvalid = Self("token.file_invalid", "the file of tokens (server.tokens_file) is not a list of tokens; move it away, then make a token: idcard-pipeline tokens add")
    static let tokenFileName = Self("token.file_name", "the file of tokens (server.tokens_file) holds an invalid name; remove that name; a name must have 1 to 64 letters, digits and ._-, must not be \"local\", and must hold no identity number")
    static let tokenFileTwice = Self("token.file_twice", "the file of tokens (server.tokens_file) holds the same token twice; remove one of them")

    // MARK: Webhooks

    static let webhookName = Self("webhook.name", "the name of a webhook secret (webhooks.secrets) must have 1 to 64 letters, digits and ._-, must not be \"local\", and must hold no identity number")
    static func webhookSecret(_ name: String) -> Self { Self("webhook.secret", "the webhook secret of \(code: name) (webhooks.secrets) is not Base64 of 24 to 64 bytes; write it as whsec_… or NAME=whsec_…") }
    static func webhookNameless(_ nameless: String) -> Self { Self("webhook.nameless", "there are several webhook secrets (webhooks.secrets), but one has no name, so two senders could be confused; write each secret as NAME=whsec_…; if one of these secrets was the only one so far, give that secret the name \(code: nameless)") }

    // MARK: Requests

    static let requestKeyTwice = Self("request.key_twice", "An object has the same key twice; give each key once.")
    static let requestJSONOnly = Self("request.json_only", "Send the body as application/json.")
    static func requestJSONExpected(_ expected: String) -> Self { Self("request.json_expected", "Send a JSON object whose values are strings: \(code: expected).") }
    static func requestNotAString(_ name: String, _ expected: String) -> Self { Self("request.not_a_string", "\(code: name) is not a string; expected \(code: expected).") }
    static func requestScopeMissing(_ names: [String]) -> Self { Self("request.scope_missing", "The token needs one of these scopes: \(codes: names).") }
    static let requestHost = Self("request.host", "Send exactly one Host field (RFC 9112 section 3.2).")
    static let requestTarget = Self("request.target", "The target of the request is not a path.")
    static let requestLength = Self("request.length", "Send either Content-Length or Transfer-Encoding, not both.")
    static let requestBusinessNo = Self("request.business_no", "business_no is not a business number.")
    static func requestLimit(_ pageSize: Int) -> Self { Self("request.limit", "limit must be a number from 1 to \(count: pageSize).") }
    static let requestCursor = Self("request.cursor", "cursor must be the next_cursor of the previous page.")
    static let requestChangedSince = Self("request.changed_since", "changed_since must be 0 or the changed_since of the previous answer, without cursor.")
    static func requestWord(_ name: String, _ known: String) -> Self { Self("request.word", "\(code: name) must be one or more of \(code: known).") }
    static let requestRevealWhy = Self("request.reveal_why", "To reveal personal data, give the purpose in Card-Why, such as a ticket number.")
    static func requestReveals(_ quota: Int) -> Self { Self("request.reveals", "Each token name may reveal at most \(count: quota) cards an hour; wait before revealing more.") }
    static func requestRetakeReason(_ known: String) -> Self { Self("request.retake_reason", "With as retake, and only then, reason must be one of \(code: known).") }
    static func requestResolution(_ known: String) -> Self { Self("request.resolution", "The value of as must be one of \(code: known).") }
    static let requestReason = Self("request.reason", "Card-Reason must be a code of 1 to 40 letters, digits and _, without an identity number.")
    static func requestWhyLength(_ purposeCharacters: Int) -> Self { Self("request.why_length", "why is too long; give at most \(count: purposeCharacters) characters.") }
    static func requestGivenTwice(_ name: String) -> Self { Self("request.given_twice", "\(code: name) is given more than once; give it once.") }
    static func requestHeaderEncoding(_ Why: String) -> Self { Self("request.header_encoding", "\(code: Why) must be UTF-8, percent-encoded where it is not printable ASCII.") }
    static let requestCrossSite = Self("request.cross_site", "Your browser says that another site sent this request (Sec-Fetch-Site); open the page of this server, and do it there.")
    static let requestOrigin = Self("request.origin", "The header Origin does not name this server as Host does; the proxy must pass the header Host on.")
    static func requestUnknownParameter(_ sorted: [String]) -> Self { Self("request.unknown_parameter", "There is an unknown parameter; known are \(codes: sorted).") }
    static func requestFlag(_ name: String) -> Self { Self("request.flag", "\(code: name) must be true or false.") }
    static let requestSource = Self("request.source", "In source, give the name of a source from the configuration.")
    static func requestBodyLimit(_ limit: Int) -> Self { Self("request.body_limit", "Send at most \(bytes: limit).") }
    static func requestImageLimit(_ limit: Int) -> Self { Self("request.image_limit", "Send an image of at most \(bytes: limit).") }
    static func requestFieldMissing(_ field: SubmittedField) -> Self { Self("request.field_missing", "Send \(field) in the form or in the data of the webhook; if the body is only the image, use the header field \(code: field.headerName.rawName).") }
    static func requestFieldUnknown(_ name: String, _ known: String) -> Self { Self("request.field_unknown", "The field \(code: name) is unknown; known are \(code: known).") }
    static func requestSomeFieldUnknown(_ known: String) -> Self { Self("request.some_field_unknown", "A field is unknown; known are \(code: known).") }
    static func requestFieldIsFile(_ field: SubmittedField) -> Self { Self("request.field_is_file", "\(field) is a file; send it as text.") }
    static func requestFieldTooLong(_ field: SubmittedField, limit: Int) -> Self { Self("request.field_too_long", "\(field) is too long; send at most \(bytes: limit).") }
    static func requestFieldNotUTF8(_ field: SubmittedField) -> Self { Self("request.field_not_utf8", "\(field) is not UTF-8; encode it as UTF-8.") }
    static let requestImageAndSides = Self("request.image_and_sides", "image stands beside front or back; send one photo as image, or both as front and back.")
    static let requestSideAndSides = Self("request.side_and_sides", "side is given, but the part front or back says it already; leave side out.")
    static let requestSamePhoto = Self("request.same_photo", "front and back are the same photo; send a photo of each side.")
    static func requestPartRefused(_ part: CardSide, _ message: Message) -> Self { Self("request.part_refused", "The part \(part) cannot be used, and nothing of the request was admitted: \(message)") }
    static func requestFourEyesAction(_ known: String) -> Self { Self("request.four_eyes_action", "There is no such action; known are \(code: known).") }
    static func requestOwnDrop(_ action: DecisionAction, _ until: Timestamp) -> Self { Self("request.own_drop", "You asked for it yourself: another person agrees that one person alone decides \(action), or nobody does by \(until).") }
    static func requestCardUnderway(_ card: CardID, _ state: CardState) -> Self { Self("request.card_underway", "The image is that of card \(card), whose state is \(state).") }
    static func requestMediaTypes(_ sorted: [String]) -> Self { Self("request.media_types", "Send multipart/form-data, image/jpeg, image/png, \(codes: sorted).") }
    static func requestDataNotString(_ name: String) -> Self { Self("request.data_not_string", "\(code: name) in data is not a string.") }
    static let requestWebhook = Self("request.webhook", "Send {\"type\": \"card.created\", \"timestamp\": \"…\", \"data\": {…}}.")
    static let requestDataImage = Self("request.data_image", "Give either image_url or image_base64 in data.")

    // MARK: Images as Base64; behind the title of image_invalid

    static let base64Blank = Self("base64.blank", "The Base64 has a blank where a + was sent, because the form was not percent-encoded; percent-encode the Base64.")
    static let base64URLAlphabet = Self("base64.url_alphabet", "The Base64 uses the URL alphabet; use the standard one, with + and /.")
    static let base64Character = Self("base64.character", "The Base64 holds a character that is not Base64; send only Base64.")
    static let base64CutOff = Self("base64.cut_off", "The Base64 is cut off, or two texts are joined; send one complete text.")

    // MARK: Endpoints

    static let endpointWorks = Self("endpoint.works", "the endpoint works")
    static let endpointWaits = Self("endpoint.waits", "the endpoint asks for a slower pace; see: idcard-pipeline status")
    static let endpointPauses = Self("endpoint.pauses", "the endpoint fails; see: idcard-pipeline status")
    static let endpointStopped = Self("endpoint.stopped", "the endpoint refuses the requests of this pipeline; see: idcard-pipeline status")
}
