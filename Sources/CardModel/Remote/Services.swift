package import Foundation

/// A verification service.
package protocol Verifier: Sendable {
    /// The provider and dialect: part of the key under which readings are kept.
    var provider: String { get }
    /// The parameters that change what is read: part of the same key, never a credential.
    var parameters: String { get }
    /// Host and port.
    var endpoint: String { get }

    /// Has one photo read; throws only `CancellationError`.
    func verify(_ image: PreparedImage) async throws -> VerificationOutcome
}

/// A business backend.
package protocol Backend: Sendable {
    /// Told how many bytes of a form went out, of how many; it must not block.
    typealias ByteProgress = @Sendable (_ sent: Int64, _ total: Int64) -> Void

    /// Host and port.
    var endpoint: String { get }
    /// What new deliveries are sent as.
    var body: DeliveryBody { get }

    /// Forms the parts of one delivery with the TOKEN as it is now.
    func parts(for members: [DeliveryMember]) async throws(RemoteFailure) -> [DeliveryPart]

    /// Derives the boundary of a delivery from its key and proves it absent from every part.
    func boundary(
        for key: String,
        parts: [DeliveryPart],
        images: [CardID: Data]
    ) throws(RemoteFailure) -> String

    /// Makes one attempt; throws only `CancellationError`, after which the outcome is unknown.
    func send(_ delivery: OutboundDelivery, progress: ByteProgress?) async throws -> DeliveryOutcome

    /// The TOKEN that these parts hold.
    func token(in parts: [DeliveryPart]) -> Redacted<String>?

    /// Reads the TOKEN source again; whether another TOKEN came than these parts hold.
    func refreshToken(staleIn parts: [DeliveryPart]) async -> Bool
}

/// Images named by URL.
package protocol Fetcher: Sendable {
    /// Makes bytes durable, which begin at an offset of a version of the image; throws `CodedError`.
    typealias Keep = @Sendable (_ bytes: Data, _ offset: Int, _ version: FetchedVersion) async throws -> Void

    /// The host of an address, by name and port; throws `CodedError` of kind `input` if the rules forbid it.
    func host(of address: Redacted<String>) throws(CodedError) -> String

    /// Fetches what is missing of an image; throws only `CancellationError` and what `keep` throws.
    func fetch(_ request: FetchRequest, keep: @escaping Keep) async throws -> FetchOutcome
}
