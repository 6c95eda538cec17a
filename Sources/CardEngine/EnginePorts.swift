package import CardModel
package import Foundation

/// What the engine asks of the outside, so that it knows neither HTTP nor libjpeg.
package struct EnginePorts: Sendable {
    /// Reads a file, which must still be the one that was listed; throws `CodedError`.
    package var read: @Sendable (_ file: FileIdentity) async throws -> Data
    /// Makes the JPEG of a card out of source bytes, off the cooperative threads; throws `CodedError`.
    package var prepare: @Sendable (_ source: Data) async throws -> PreparedImage
    /// The same, of bytes that came over the network.
    package var prepareForeign: @Sendable (_ source: Data) async throws -> PreparedImage
    /// Makes a prepared image smaller; `nil` if it is as small as it may get.
    package var shrink: @Sendable (_ image: PreparedImage) async throws -> PreparedImage?
    /// Images named by URL.
    package var fetcher: any Fetcher
    /// The verification service.
    package var verifier: any Verifier
    /// The business backend.
    package var backend: any Backend

    package init(
        read: @escaping @Sendable (_ file: FileIdentity) async throws -> Data,
        prepare: @escaping @Sendable (_ source: Data) async throws -> PreparedImage,
        prepareForeign: (@Sendable (_ source: Data) async throws -> PreparedImage)? = nil,
        shrink: @escaping @Sendable (_ image: PreparedImage) async throws -> PreparedImage?,
        fetcher: any Fetcher,
        verifier: any Verifier,
        backend: any Backend
    ) {
        self.read = read
        self.prepare = prepare
        self.prepareForeign = prepareForeign ?? prepare
        (self.shrink, self.fetcher, self.verifier, self.backend) = (shrink, fetcher, verifier, backend)
    }
}

/// Where the engine gets the time from and how it waits; tests put a clock of their own here.
package struct EngineTime: Sendable {
    /// The wall-clock time, which rows of the sandbox hold.
    package var now: @Sendable () -> Timestamp
    /// Time since some moment by a clock that nobody sets: what waits inside the process go by.
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

    /// The machine's own clocks.
    package static let system: EngineTime = {
        let start = SuspendingClock.now
        return EngineTime(
            now: { Timestamp(Date()) },
            steady: { start.duration(to: .now) },
            sleep: { try await Task.sleep(for: $0) }
        )
    }()
}
