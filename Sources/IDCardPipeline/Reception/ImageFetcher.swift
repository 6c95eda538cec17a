package import Foundation
package import IDCardCore

/// Fetches images by their addresses; the engine decides when, and keeps what arrives.
package struct ImageFetcher: Sendable {
    /// How a fetch ended.
    package enum Outcome: Hashable, Sendable {
        /// Every byte has been kept.
        case complete(ContentDigest)
        /// It did not come to its end; what was kept stays.
        case failed(RemoteFailure)
        /// The rules forbid it, or the host sends what they forbid: of no use before somebody changes the one or the other.
        case refused(ReasonCode, message: String)
        /// It is no image, by its bytes: trying again is of no use.
        case unusable(ReasonCode, message: String)
    }

    /// Why an address is not fetched from, whatever its host would answer.
    package struct Refusal: Hashable, Sendable {
        /// The stable reason.
        package var reason: ReasonCode
        /// Which rule forbids it and what to do; without the address.
        package var message: String

        /// Says why.
        package init(_ reason: ReasonCode, message: String) {
            self.reason = reason
            self.message = message
        }
    }

    /// Keeps a piece: bytes, their offset, what they are a piece of.
    package typealias Keep = @Sendable (_ bytes: Data, _ offset: Int, _ version: FetchedVersion) async throws -> Void
    /// Reads what was kept, at most 1 MiB at an offset.
    package typealias Read = @Sendable (_ offset: Int) async throws -> Data

    /// Says of an address, before anything is resolved, whether the rules forbid it.
    package var refusal: @Sendable (_ address: ImageAddress) -> Refusal?
    /// Fetches what is missing; throws only what `keep` and `read` throw, or `CancellationError`.
    package var fetch:
        @Sendable (_ job: FetchJob, _ keep: @escaping Keep, _ read: @escaping Read) async throws -> Outcome

    /// Takes the functions; by default every address may be tried.
    package init(
        refusal: @escaping @Sendable (ImageAddress) -> Refusal? = { _ in nil },
        fetch: @escaping @Sendable (FetchJob, @escaping Keep, @escaping Read) async throws -> Outcome
    ) {
        self.refusal = refusal
        self.fetch = fetch
    }
}
