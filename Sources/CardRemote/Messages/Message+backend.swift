import CardModel
import MultipartForm

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: Encryption of replies

    static func encryptionKeyLength(_ count: Int) -> Self { Self("encryption.key_length", "the key has \(bytes: count); use a 3DES key of 16 bytes, or of at least 24") }
    static func encryptionVectorLength(_ count: Int) -> Self { Self("encryption.vector_length", "the initialisation vector has \(bytes: count); 3des-cbc needs exactly 8 bytes") }
    static let encryptionForbidden = Self("encryption.forbidden", "OpenSSL forbids 3DES on this machine; allow it in openssl.cnf, or have the backend send replies unencrypted")
    static let encryptionUnsupported = Self("encryption.unsupported", "delivery.reply.encryption is set, but this program was built without 3DES; build it with the Swift package trait TripleDES (needs libssl-dev); or remove the setting and have the backend send replies unencrypted")

    // MARK: Forming

    static func backendMemberCount(_ layout: DeliveryLayoutKind, _ count: Int, limit: Int) -> Self { Self("backend.member_count", "a delivery of the layout \(layout) has \(count: count) cards, but may have only 1 to \(count: limit); report this") }
    static func backendMembers(_ layout: DeliveryLayoutKind) -> Self { Self("backend.members", "these cards cannot be sent together in one delivery of the layout \(layout); report this") }
    static let backendBackFirst = Self("backend.back_first", "a back stands before a front of the same business number; report this")
    static let backendNoUserNumber = Self("backend.no_user_number", "the card has no user account; give user_no in the manifest or sidecar, or --user-no, or set delivery.user_no")
    static let backendUserNumbers = Self("backend.user_numbers", "the cards of this case name different user accounts (user_no), but one form can name only one account; submit the cards again with the same user_no, or set delivery.layout to single")
    static let backendInterrupted = Self("backend.interrupted", "the delivery was interrupted before it was sent; the pipeline sends it later")
    static let backendNoToken = Self("backend.no_token", "delivery.token_command gave no TOKEN; run it by hand and see what it says")
    static func backendImageMissing(_ card: CardID) -> Self { Self("backend.image_missing", "the image of card \(card) is not in the sandbox; run: idcard-pipeline fsck") }
    static func backendInvalidRequest(_ why: Message) -> Self { Self("backend.invalid_request", "cannot build the request of the delivery: \(why)") }
    static func backendForm(_ code: MultipartFormError.Code) -> Self { Self("backend.form", "cannot make a form from the parts (\(code)); report this") }
    static let backendKey = Self("backend.key", "the Idempotency-Key is not printable ASCII; report this")
    static let backendSeveralImages = Self("backend.several_images", "a raw body holds one image, but this delivery has several; report this")
    static let backendNoImage = Self("backend.no_image", "a raw body holds one image, but this delivery has none; report this")

    // MARK: Codes of the backend; its own text is quoted behind the code

    static func backendCodeAndText(_ code: String, _ text: String) -> Self { Self("backend.code_and_text", "\(code: code): \(Redacted(text))") }
    static func backendToken(_ code: String) -> Self { Self("backend.token", "the backend refused the TOKEN (\(code: code)); put a new TOKEN at its source (delivery.token, delivery.token_file or delivery.token_command)") }
    static func backendLater(_ answer: Message) -> Self { Self("backend.later", "the backend cannot take the document now (\(answer)); if this continues, ask who runs the backend") }
    static func backendRefused(_ answer: Message) -> Self { Self("backend.refused", "the backend refused the document (\(answer)); correct the card's data") }
    static func backendUnlistedRefused(_ answer: Message) -> Self { Self("backend.unlisted_refused", "the backend refused the document (\(answer)); correct the card's data, or list the code under delivery.retcode") }
    static func backendUnlisted(_ answer: Message) -> Self { Self("backend.unlisted", "the backend answered with a RETCODE (\(answer)) that is in no list of delivery.retcode; add this RETCODE to the right list, then run: idcard-pipeline cards retry --reason retcode_unlisted") }
    static func backendReused(_ failure: Message) -> Self { Self("backend.reused", "\(failure); this answer may belong to another card: that happens if the backend answers some requests twice; look for the document in the backend; to prevent such answers, set delivery.reuse_connections to false") }
    static let backendItemMissing = Self("backend.item_missing", "the backend's answer does not name this card, but the backend may have the card; look for it in the backend's records")
    static func backendMismatch(_ status: Int, items: Int) -> Self { Self("backend.mismatch", one: "cannot tell which documents the backend took: its \(count: items) answer for single cards (status \(status)) contradicts the delivery; compare the backend's records with the cards of the delivery", other: "cannot tell which documents the backend took: its \(count: items) answers for single cards (status \(status)) contradict the delivery or each other; compare the backend's records with the cards of the delivery") }

    // MARK: Statuses of the backend

    static func backendStatus(_ status: Int, _ meaning: Message) -> Self { Self("backend.status", "the backend answered \(status): \(meaning)") }
    static func backendStatusAndCode(_ status: Int, _ answer: Message, _ meaning: Message) -> Self { Self("backend.status_and_code", "the backend answered \(status) (\(answer)): \(meaning)") }
    static let backendRedirectStored = Self("backend.redirect_stored", "the backend sent a redirect, and the pipeline does not follow it; set delivery.url to the address in the redirect, and check whether the backend already has the document")
    static let backendRedirect = Self("backend.redirect", "the backend redirects, but the pipeline follows no redirects; set delivery.url to the redirect's target")
    static let backendAccess = Self("backend.access", "the backend denies access; check delivery.token, the account's permissions and any proxy on the way; if the backend uses status 403 for an expired TOKEN, list http_403 under delivery.retcode.token_expired")
    static let backendURL = Self("backend.url", "no documents are accepted at this URL; check delivery.url")
    static let backendProxy = Self("backend.proxy", "a proxy on the way asks for credentials; set them in delivery.proxy")
    static let backendInProgress = Self("backend.in_progress", "a request with the same Idempotency-Key is in progress, so its outcome is not known yet; look for the document in the backend's records if this continues")
    static let backendKeyConflict = Self("backend.key_conflict", "the backend knows this Idempotency-Key from a request with other content; compare the backend's records with this delivery")
    static let backendTooLarge = Self("backend.too_large", "the form is too large for the backend; for new cards, lower imaging.byte_budget")
    static let backendThrottled = Self("backend.throttled", "the pipeline slows down; lower delivery.concurrency")
    static let backendBusy = Self("backend.busy", "the pipeline slows down")
    static let backendNotAboutCard = Self("backend.not_about_card", "the answer has no RETCODE, so it says nothing about the card; check delivery.url and any proxy on the way to the backend")
    static let backendContradiction = Self("backend.contradiction", "the code in the answer says success, but the HTTP status does not; the backend may have the document; look for it in the backend's records")
    static let backendUnknown = Self("backend.unknown", "the outcome is unknown; see the log of the backend, or of a proxy on the way")

    // MARK: Replies that cannot be read

    static func replyNoCode(_ status: Int, _ count: Int, code: String, fields: [String]) -> Self { Self("reply.no_code", "cannot tell whether the backend took the documents: its answer (status \(status), \(bytes: count)) has no usable field \(code: code) (its fields: \(codes: fields)); set delivery.reply.code to the field with the code, and check delivery.url") }
    static func replyEncrypted(_ status: Int, _ count: Int) -> Self { Self("reply.encrypted", "cannot tell whether the backend took the documents: its answer (status \(status), \(bytes: count)) looks like 3DES-encrypted data in Base64; set delivery.reply.encryption and delivery.reply.key_file") }
    static func replyUndeciphered(_ status: Int, _ count: Int) -> Self { Self("reply.undeciphered", "cannot tell whether the backend took the documents: the answer of the backend cannot be decrypted with the configured 3DES (status \(status), \(bytes: count)); check delivery.reply.encryption, delivery.reply.key_file and delivery.reply.iv") }
    static func replyUnreadable(_ status: Int, _ count: Int, _ why: Message) -> Self { Self("reply.unreadable", "the backend may have taken the documents, but its answer (status \(status), \(bytes: count)) cannot be read: \(why); have the backend answer in UTF-8, or have it name the charset of its answer") }
    static func replyHTML(_ status: Int, _ count: Int) -> Self { Self("reply.html", "cannot tell whether the backend took the documents: its answer (status \(status), \(bytes: count)) is HTML; check delivery.url") }
    static func replyUnknownFormat(_ status: Int, _ count: Int) -> Self { Self("reply.unknown_format", "cannot tell whether the backend took the documents: its answer (status \(status), \(bytes: count)) is neither JSON nor XML; check delivery.url") }
}
