package import Foundation
package import IDCardCore

/// The verification service as the engine sees it.
package struct CardVerifier: Sendable {
    /// The provider and dialect; part of the key under which readings are kept.
    package var provider: String
    /// The parameters that change an answer; likewise.
    package var parameters: String
    /// The shortest edge of an image that the service takes, in pixels, if that is known.
    package var minimumEdge: Int?
    /// The host that is called, with its port: what it asks for holds for every process that calls it.
    package var host: String
    /// Posts a JPEG and returns what became of it; throws only `CancellationError`.
    package var verify: @Sendable (_ jpeg: Data) async throws -> VerificationOutcome

    /// Describes a service.
    package init(
        provider: String,
        parameters: String,
        minimumEdge: Int? = nil,
        host: String = "verifier",
        verify: @escaping @Sendable (_ jpeg: Data) async throws -> VerificationOutcome
    ) {
        self.provider = provider
        self.parameters = parameters
        self.minimumEdge = minimumEdge
        self.host = host
        self.verify = verify
    }
}
