import HTTPTypes

extension HTTPField.Name {
    static let idempotencyKey = Self.known("Idempotency-Key")
    static let idempotentReplayed = Self.known("Idempotent-Replayed")
    static let requestID = Self.known("Request-Id")
    static let rateLimit = Self.known("RateLimit")
    static let rateLimitPolicy = Self.known("RateLimit-Policy")
    static let webhookID = Self.known("webhook-id")
    static let webhookTimestamp = Self.known("webhook-timestamp")
    static let webhookSignature = Self.known("webhook-signature")
    /// Why personal data is touched, for the access log.
    static let why = Self.known("Card-Why")
    /// Why a card is erased, as a code.
    static let reason = Self.known("Card-Reason")
    static let referrerPolicy = Self.known("Referrer-Policy")
    static let exposedHeaders = Self.known("Access-Control-Expose-Headers")

    /// Makes a name that is written in this module.
    static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is no name of a header field.") }
        return name
    }
}
