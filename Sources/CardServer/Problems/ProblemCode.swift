import CardModel
import HTTPTypes

/// Why a request is not carried out: the `code` of problem details (RFC 9457), its one status and its constant title.
struct ProblemCode: Hashable, Sendable {
    let name: String
    let status: HTTPResponse.Status
    /// A short text for people; never anything personal.
    let title: Message

    private init(_ name: String, _ status: HTTPResponse.Status, _ title: Message.Text) {
        self.name = name
        self.status = status
        self.title = Message(id: "problem.\(name)", title)
    }

    /// A code with the meaning of the reason of the same name.
    private init(_ name: String, _ status: HTTPResponse.Status) {
        guard let reason = ReasonCode.all.first(where: { $0.code.rawValue == name }) else {
            preconditionFailure("\(name) is no reason")
        }
        (self.name, self.status, self.title) = (name, status, reason.meaning)
    }
}

// The codes are a contract with clients. Each stands on one line.
// swift-format-ignore
extension ProblemCode {
    // The request as HTTP.
    static let requestMalformed = Self("request_malformed", .badRequest, "The request is not well-formed HTTP/1.1.")
    static let headTimeout = Self("head_timeout", .requestTimeout, "The header of the request did not arrive in time.")
    static let headerTooLarge = Self("header_too_large", .requestHeaderFieldsTooLarge, "The header fields of the request are too many or too large.")
    static let targetTooLong = Self("target_too_long", .uriTooLong, "The target of the request is too long.")
    static let versionUnsupported = Self("version_unsupported", .httpVersionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are supported.")
    static let expectationUnknown = Self("expectation_unknown", .expectationFailed, "The only supported expectation is 100-continue.")
    static let notFound = Self("not_found", .notFound, "There is nothing at this path.")
    static let methodNotAllowed = Self("method_not_allowed", .methodNotAllowed, "This path does not support this method.")
    static let connectionsExhausted = Self("connections_exhausted", .serviceUnavailable, "Too many connections are open.")

    // The caller, and the rate of requests.
    static let unauthorized = Self("unauthorized", .unauthorized, "A valid token is required (Authorization: Bearer).")
    static let tokensUnavailable = Self("tokens_unavailable", .serviceUnavailable, "The tokens cannot be read now; send the request again later.")
    static let scopeMissing = Self("scope_missing", .forbidden, "The token lacks the required scope.")
    static let crossOrigin = Self("cross_origin", .forbidden, "The request does not surely come from a page of this server.")
    static let rateLimited = Self("rate_limited", .tooManyRequests, "Too many requests; wait before the next one.")
    static let signatureInvalid = Self("signature_invalid", .unauthorized, "The webhook is not accepted: its signature, id or time is missing or not valid.")

    // Capacity.
    static let queueFull = Self("queue_full", .serviceUnavailable, "The queue is full; send the request again later.")
    static let diskSpaceLow = Self("disk_space_low", .serviceUnavailable, "The disk is nearly full; send the request again later.")
    static let shuttingDown = Self("shutting_down", .serviceUnavailable, "The service is shutting down; send the request again later.")
    static let storeUnavailable = Self("store_unavailable", .serviceUnavailable, "The sandbox is unavailable now; send the request again later.")
    static let busy = Self("busy", .serviceUnavailable, "Too many requests are in progress; send the request again later.")

    // The body.
    static let bodyTruncated = Self("body_truncated", .badRequest, "The body ended early or is not well-formed; send it again.")
    static let bodyTimeout = Self("body_timeout", .requestTimeout, "The body arrived too slowly.")
    static let bodyTooLarge = Self("body_too_large", .contentTooLarge, "The body is too large.")
    static let formMalformed = Self("form_malformed", .badRequest, "The body is not a well-formed multipart/form-data form.")
    static let formTooLarge = Self("form_too_large", .contentTooLarge, "The form is too large or has too many parts.")
    static let mediaTypeUnsupported = Self("media_type_unsupported", .unsupportedMediaType, "This path does not support the content type.")
    static let codingUnsupported = Self("content_coding_unsupported", .unsupportedMediaType, "Content-Encoding is not supported; send the body uncompressed.")
    static let webhookTypeUnknown = Self("webhook_type_unknown", .unprocessableContent, "The type of the webhook is unknown; only card.created is supported.")
    static let jsonInvalid = Self("json_invalid", .unprocessableContent, "The body is not the expected JSON object.")

    // The image.
    static let imageMissing = Self("image_missing", .unprocessableContent, "There is no image; send it as the part 'image', or both sides as 'front' and 'back'.")
    static let imageEmpty = Self("image_empty", .unprocessableContent)
    static let imageTooLarge = Self("image_too_large_bytes", .contentTooLarge, "The image is too large.")
    static let imageInvalid = Self("image_invalid", .unprocessableContent, "The image is not valid Base64.")
    static let formatUnsupported = Self("unsupported_format", .unsupportedMediaType)
    static let formatHEIC = Self("unsupported_format_heic", .unsupportedMediaType, "The image is HEIC; convert it to JPEG, or set the camera to 'most compatible'.")

    static let imageCorrupt = Self("image_corrupt", .unprocessableContent)
    static let imageTruncated = Self("image_truncated", .unprocessableContent)
    static let imageTooManyPixels = Self("image_too_many_pixels", .unprocessableContent, "The image has too many pixels.")
    static let imageEdgeTooLong = Self("image_edge_too_long", .unprocessableContent)
    static let imageTooManyScans = Self("image_too_many_scans", .unprocessableContent)
    static let imageDecodeMemory = Self("image_decode_memory", .unprocessableContent)
    static let imageUnsupportedCoding = Self("image_unsupported_coding", .unprocessableContent)
    static let imageOverBudget = Self("image_over_budget", .unprocessableContent, "The image cannot be made small enough.")
    static let imageInternalError = Self("image_internal_error", .unprocessableContent)
    static let decoderCrashed = Self("decoder_crashed", .unprocessableContent)
    /// Why an image that arrived completely cannot be used.
    static let image = [imageEmpty, formatUnsupported, formatHEIC, imageCorrupt, imageTruncated, imageTooManyPixels, imageEdgeTooLong, imageTooManyScans, imageDecodeMemory, imageUnsupportedCoding, imageOverBudget, imageInternalError, decoderCrashed]

    // The fields.
    static let fieldUnknown = Self("field_unknown", .unprocessableContent, "A field is unknown.")
    static let fieldDuplicate = Self("field_duplicate", .unprocessableContent)
    static let fieldInvalid = Self("field_invalid", .unprocessableContent)
    static let businessNumberMissing = Self("business_no_missing", .unprocessableContent)
    static let businessNumberInvalid = Self("business_no_invalid", .unprocessableContent)
    static let userNumberMissing = Self("user_no_missing", .unprocessableContent)
    static let addressInvalid = Self("image_url_invalid", .unprocessableContent, "The address of the image is not an absolute http or https URL.")
    static let addressRefused = Self("image_url_refused", .unprocessableContent, "Images are not fetched from this address.")
    static let tooManyPhotos = Self("too_many_photos", .conflict, "The business number has too many photos in progress.")
    static let submitterConflict = Self("submitter_conflict", .conflict, "Another submitter sent this image under this business number.")
    static let cardUnderway = Self("card_underway", .conflict, "The same image was submitted before with other metadata; the metadata of that card can no longer be changed.")

    // Repetitions.
    static let keyMalformed = Self("idempotency_key_malformed", .badRequest, "The Idempotency-Key is not one string of 1 to 255 printable ASCII characters.")
    static let keyInProgress = Self("idempotency_key_in_progress", .conflict, "A request with this Idempotency-Key is in progress; wait and send it again.")
    static let keyReused = Self("idempotency_key_reused", .unprocessableContent, "This Idempotency-Key was used for another request; use a new one.")
    static let webhookReused = Self("webhook_id_reused", .conflict, "This webhook-id was used for another message.")

    // Cards and runs.
    static let cardNotFound = Self("card_not_found", .notFound, "There is no card with this id.")
    static let imageGone = Self("image_gone", .notFound, "The card has no image any more, or none yet.")
    static let runNotFound = Self("run_not_found", .notFound, "There is no run with this id.")
    static let sourceUnknown = Self("source_unknown", .unprocessableContent, "The configuration has no source with this name.")
    static let purposePersonal = Self("purpose_personal", .unprocessableContent, "The purpose or reason names a person, and the access log keeps it forever; leave the name out.")
    static let changeRefused = Self("change_refused", .conflict, "This change is not allowed in the card's current state.")
    static let parameterInvalid = Self("parameter_invalid", .unprocessableContent, "A parameter has an invalid value.")

    static let internalError = Self("internal_error", .internalServerError, "An internal error occurred; the log says more under the id of the request.")
}
