import IDCardCore
import IDCardPipeline
import IDCardVerification
import OutboundHTTP

extension CardVerifier {
    /// Calls the verification service of a configuration.
    ///
    /// - Throws: `VerificationError` if the address or the dialect cannot be used.
    static func calling(
        _ services: RemoteServices,
        configuration: AppConfiguration.Verification,
        client: OutboundHTTPClient
    ) throws -> CardVerifier {
        let verification = try VerificationClient(
            VerificationClient.Configuration(
                dialect: VerificationDialect(configuration.dialect),
                url: services.verificationURL,
                apiKey: services.apiKey,
                apiSecret: services.apiSecret,
                timeout: configuration.timeout
            ),
            http: client
        )
        return CardVerifier(provider: verification.provider, parameters: verification.parameters) { jpeg in
            let outcome = await verification.verify(jpeg, boundaryKey: ContentDigest(of: jpeg).hexadecimal)
            // A call that was cut short says nothing about the card; one that was answered does.
            if case .failed = outcome { try Task.checkCancellation() }
            return outcome
        }
    }
}

extension VerificationDialect {
    fileprivate init(_ dialect: AppConfiguration.Verification.Dialect) {
        switch dialect {
        case .faceidV1: self = .faceIDv1
        }
    }
}
