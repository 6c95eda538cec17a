package import IDCardCore

extension VerificationClient {
    /// Where photos are sent to be read, and as whom.
    package struct Configuration: Hashable, Sendable {
        /// The dialect the endpoint speaks (`verification.dialect`).
        package var dialect: VerificationDialect
        /// The endpoint (`verification.url`): a base such as `https://api.faceid.com`, to which the dialect's path is
        /// appended, or a full URL.
        package var url: String
        /// The account's key (`verification.api_key`).
        package var apiKey: Redacted<String>
        /// The account's secret (`verification.api_secret`).
        package var apiSecret: Redacted<String>
        /// How key and secret are used (`verification.auth`).
        package var authentication: Authentication
        /// The time for one call, reply included (`verification.timeout`).
        package var timeout: Duration

        /// Describes an endpoint; the vendor documents no timeout, readings take 0.3 to 2.2 s.
        package init(
            dialect: VerificationDialect = .faceIDv1,
            url: String,
            apiKey: Redacted<String>,
            apiSecret: Redacted<String>,
            authentication: Authentication = .keyAndSecret,
            timeout: Duration = .seconds(30)
        ) {
            self.dialect = dialect
            self.url = url
            self.apiKey = apiKey
            self.apiSecret = apiSecret
            self.authentication = authentication
            self.timeout = timeout
        }
    }
}
