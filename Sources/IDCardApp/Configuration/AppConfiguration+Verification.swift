package import IDCardCore

extension AppConfiguration {
    /// Keys under `verification`.
    package struct Verification: Hashable, Sendable {
        /// What the service speaks, as far as this version does.
        package enum Dialect: String, CaseIterable, Sendable {
            /// FaceID v1.
            case faceidV1 = "faceid-v1"
        }

        /// Address of the service (`verification.url`).
        package let url: EndpointURL?
        /// What it speaks (`verification.dialect`).
        package let dialect: Dialect
        /// Key of the account (`verification.api_key`, secret).
        package let apiKey: Redacted<String>?
        /// Secret of the account (`verification.api_secret`, secret).
        package let apiSecret: Redacted<String>?
        /// The rules of the verdict (`verification.legality_threshold`, `verification.legality_unavailable`).
        package let rules: VerdictRules
        /// Calls under way at the same time (`verification.concurrency`).
        package let concurrency: Int
        /// Longest time of one call (`verification.timeout`).
        package let timeout: Duration
        /// Attempts after which a card is `failed` (`verification.max_attempts`).
        package let maximumAttempts: Int

        init(_ values: ResolvedConfiguration) {
            self.url = values.find("verification.url", \.url)
            self.dialect = values.word("verification.dialect")
            self.apiKey = values.find("verification.api_key", \.secret)
            self.apiSecret = values.find("verification.api_secret", \.secret)
            self.rules = VerdictRules(
                legalityThreshold: values.require("verification.legality_threshold", \.number),
                legalityUnavailable: values.word("verification.legality_unavailable")
            )
            self.concurrency = values.require("verification.concurrency", \.integer)
            self.timeout = values.require("verification.timeout", \.duration)
            self.maximumAttempts = values.require("verification.max_attempts", \.integer)
        }
    }
}
