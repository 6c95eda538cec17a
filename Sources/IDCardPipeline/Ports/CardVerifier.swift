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
    /// Posts a JPEG and returns what became of it; throws only `CancellationError`.
    package var verify: @Sendable (_ jpeg: Data) async throws -> VerificationOutcome

    /// Describes a service.
    package init(
        provider: String,
        parameters: String,
        minimumEdge: Int? = nil,
        verify: @escaping @Sendable (_ jpeg: Data) async throws -> VerificationOutcome
    ) {
        self.provider = provider
        self.parameters = parameters
        self.minimumEdge = minimumEdge
        self.verify = verify
    }
}
