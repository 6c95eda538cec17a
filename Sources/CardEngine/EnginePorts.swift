package import CardModel
package import Foundation

/// The outside services of the engine; through them, the engine depends neither on HTTP nor on libjpeg.
package struct EnginePorts: Sendable {
    /// Reads a file; throws `CodedError`, also if the file changed since it was listed.
    package var read: @Sendable (_ file: FileIdentity) async throws -> Data
    /// Makes the JPEG of a card from source bytes, outside the cooperative threads; `isForeign` means that the bytes came
    /// over the network. Throws `CodedError`.
    package var prepare: @Sendable (_ source: Data, _ isForeign: Bool) async throws -> PreparedImage
    /// Makes a prepared image smaller; `nil` if the image already has the minimum size.
    package var shrink: @Sendable (_ image: PreparedImage) async throws -> PreparedImage?
    package var fetcher: any Fetcher
    package var verifier: any Verifier
    package var backend: any Backend

    package init(
        read: @escaping @Sendable (_ file: FileIdentity) async throws -> Data,
        prepare: @escaping @Sendable (_ source: Data, _ isForeign: Bool) async throws -> PreparedImage,
        shrink: @escaping @Sendable (_ image: PreparedImage) async throws -> PreparedImage?,
        fetcher: any Fetcher,
        verifier: any Verifier,
        backend: any Backend
    ) {
        (self.read, self.prepare) = (read, prepare)
        (self.shrink, self.fetcher, self.verifier, self.backend) = (shrink, fetcher, verifier, backend)
    }
}

/// The clocks and the sleep of the engine; tests replace them.
package struct EngineTime: Sendable {
    /// The wall-clock time, for rows of the sandbox.
    package var now: @Sendable () -> Timestamp
    /// The time since a fixed moment, by a clock that cannot be set; waits inside the process use it.
    package var steady: @Sendable () -> Duration
    /// Waits; throws `CancellationError` if the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp,
        steady: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.now, self.steady, self.sleep) = (now, steady, sleep)
    }

    package static let system: EngineTime = {
        let start = SuspendingClock.now
        return EngineTime(
            now: { Timestamp(Date()) },
            steady: { start.duration(to: .now) },
            sleep: { try await Task.sleep(for: $0) }
        )
    }()
}
