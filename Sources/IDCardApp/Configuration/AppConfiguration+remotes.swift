package import IDCardCore
import IDCardPipeline

extension AppConfiguration {
    /// The outside services, all of them known.
    package struct Remotes: Hashable, Sendable {
        /// Address of the verification service.
        package let verificationURL: EndpointURL
        /// Key of the account there.
        package let apiKey: Redacted<String>
        /// Secret of the account there.
        package let apiSecret: Redacted<String>
        /// Address of the business backend.
        package let deliveryURL: EndpointURL
        /// Where its TOKEN comes from.
        package let token: TokenSource
    }

    /// The services to call; only for a configuration that is not embedded.
    ///
    /// - Throws: `missing`, one problem that lists everything that is not set.
    package func remotes() throws(ConfigurationError) -> Remotes {
        if let verificationURL = self.verification.url, let apiKey = self.verification.apiKey,
            let apiSecret = self.verification.apiSecret, let deliveryURL = self.delivery.url,
            let token = self.delivery.token
        {
            return Remotes(
                verificationURL: verificationURL,
                apiKey: apiKey,
                apiSecret: apiSecret,
                deliveryURL: deliveryURL,
                token: token
            )
        }
        var values = ResolvedConfiguration()
        for entry in self.entries { values.append(entry) }
        guard let problem = ConfigurationChecks(values: values, embedded: false).missing() else {
            preconditionFailure("the list of needed keys and the services disagree")
        }
        throw ConfigurationError([problem], notices: self.notices, file: self.file)
    }
}

extension AppConfiguration {
    /// Where the endpoints of the stages are; empty for the built-in ones.
    var endpoints: [Stage: String] {
        guard !self.embedded else { return [:] }
        var endpoints: [Stage: String] = [:]
        endpoints[.verify] = self.verification.url?.description
        endpoints[.deliver] = self.delivery.url?.description
        return endpoints
    }
}
