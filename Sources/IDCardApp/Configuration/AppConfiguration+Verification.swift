package import IDCardCore

extension AppConfiguration {
    /// Keys under `verification`, and the rules under `verdict`.
    package struct Verification: Hashable, Sendable {
        /// What the service speaks.
        package enum Dialect: String, CaseIterable, Sendable {
            /// FaceID v1.
            case faceidV1 = "faceid-v1"
            /// Face++ cardpp v1.
            case faceppV1 = "facepp-v1"
            /// FaceID v3.
            case faceidV3 = "faceid-v3"

            /// The longest edge of an image that the service is known to take, in pixels.
            var maximumEdge: Int {
                switch self {
                case .faceidV1, .faceppV1: 4096
                case .faceidV3: 8000
                }
            }
        }

        /// How calls prove the account.
        package enum Authentication: String, CaseIterable, Sendable {
            /// Key and secret in every form.
            case key
            /// A signature made with the secret.
            case sign
        }

        /// Address of the service (`verification.url`).
        package let url: EndpointURL?
        /// What it speaks (`verification.dialect`).
        package let dialect: Dialect
        /// Key of the account (`verification.api_key`, secret).
        package let apiKey: Redacted<String>?
        /// Secret of the account (`verification.api_secret`, secret).
        package let apiSecret: Redacted<String>?
        /// How calls prove the account (`verification.auth`).
        package let authentication: Authentication
        /// How long a signature is good (`verification.sign_lifetime`).
        package let signLifetime: Duration
        /// The rules of the verdict (`verdict`, `verification.legality_…`).
        package let rules: VerdictRules
        /// Most calls under way at the same time (`verification.concurrency`).
        package let concurrency: Int
        /// Most calls per second (`verification.rate`); `nil` without a fixed limit.
        package let rate: Double?
        /// Longest time of one call (`verification.timeout`).
        package let timeout: Duration
        /// Attempts after which a card is `failed` (`verification.max_attempts`).
        package let maximumAttempts: Int
        /// How long after its first attempt a card is tried (`verification.max_age`).
        package let maximumAge: Duration
        /// The proxy on the way there (`verification.proxy`).
        package let proxy: ProxyAddress?
        /// Keys under `verification.tls`.
        package let tls: TLS

        init(_ values: ResolvedConfiguration) {
            self.url = values.find("verification.url", \.url)
            self.dialect = values.word("verification.dialect")
            self.apiKey = values.find("verification.api_key", \.secret)
            self.apiSecret = values.find("verification.api_secret", \.secret)
            self.authentication = values.word("verification.auth")
            self.signLifetime = values.require("verification.sign_lifetime", \.duration)
            self.rules = VerdictRules(values)
            self.concurrency = values.require("verification.concurrency", \.integer)
            self.rate = values.rate("verification.rate")
            self.timeout = values.require("verification.timeout", \.duration)
            self.maximumAttempts = values.require("verification.max_attempts", \.integer)
            self.maximumAge = values.require("verification.max_age", \.duration)
            self.proxy = values.proxy("verification.proxy")
            self.tls = TLS(values, section: "verification")
        }
    }
}
