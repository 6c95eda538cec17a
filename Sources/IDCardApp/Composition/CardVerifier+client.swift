import IDCardCore
import IDCardPipeline
import IDCardVerification
import OutboundHTTP

extension CardVerifier {
    /// Calls a verification service.
    ///
    /// - Throws: `VerificationError` if the address or the credentials cannot be used.
    static func calling(
        _ configuration: VerificationClient.Configuration,
        client: OutboundHTTPClient
    ) throws -> CardVerifier {
        let verification = try VerificationClient(configuration, http: client)
        return CardVerifier(
            provider: verification.provider,
            parameters: verification.parameters,
            minimumEdge: verification.limits.minimumEdge,
            host: EndpointURL(configuration.url)?.hostAndPort ?? configuration.url
        ) { jpeg in
            let outcome = await verification.verify(jpeg, boundaryKey: ContentDigest(of: jpeg).hexadecimal)
            // A call that was cut short says nothing about the card; one that was answered does.
            if case .failed = outcome { try Task.checkCancellation() }
            return outcome
        }
    }
}
