package import Foundation
package import IDCardCore
package import OutboundHTTP

/// A verification service that reads one photo of one side, whatever its dialect.
///
/// A struct of closures: the service keeps no state on this side. Calling it again is harmless and costs quota only.
package struct VerificationClient: Sendable {
    /// The name of the provider and dialect: part of the key under which readings are kept.
    package var provider: String
    /// The parameters that change what is read: part of the same key.
    package var parameters: String

    private let call: @Sendable (Data, String) async -> VerificationOutcome

    /// Makes a client out of a closure that takes the JPEG and the boundary key.
    package init(
        provider: String,
        parameters: String,
        call: @escaping @Sendable (_ jpeg: Data, _ boundaryKey: String) async -> VerificationOutcome
    ) {
        self.provider = provider
        self.parameters = parameters
        self.call = call
    }

    /// Makes the client of a configured endpoint.
    ///
    /// - Throws: ``VerificationError``: `unsupported_dialect`, `invalid_url` or `missing_credentials`.
    package init(_ configuration: Configuration, http: OutboundHTTPClient) throws(VerificationError) {
        switch configuration.dialect {
        case .faceIDv1:
            self = try FaceIDv1Client(configuration, http: http).client
        case .faceppv1, .faceIDv3:
            throw VerificationError(
                .unsupportedDialect,
                "verification.dialect \(configuration.dialect.rawValue) is not built in yet; use faceid-v1"
            )
        }
    }

    /// Has one photo read.
    ///
    /// - Parameters:
    ///   - jpeg: the photo as it will be delivered.
    ///   - boundaryKey: what the form's boundary is derived from, such as the card's id: the same photo makes the same
    ///     bytes.
    package func verify(_ jpeg: Data, boundaryKey: String) async -> VerificationOutcome {
        await self.call(jpeg, boundaryKey)
    }
}
