import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardSandbox
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardFetch

/// A process that is killed while it fetches into a sandbox.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(3))))
struct KillTests {
    private static let card = CardID(rawValue: "card-1")
    private static let hour = Timestamp(millisecondsSinceEpoch: 1_760_003_600_000)
    private static let now = Timestamp(millisecondsSinceEpoch: 1_760_000_000_000)

    /// Opens the sandbox of a test, the same in every process.
    private static func open(_ path: String) throws -> SandboxStore {
        var storage = SandboxStorage()
        storage.ballast = 64 << 10
        storage.intakeFreeSpace = 0
        storage.workFreeSpace = 0
        let key = try #require(VaultKey(Data(repeating: 1, count: VaultKey.byteCount)))
        return try SandboxStore.open(
            directory: path,
            options: SandboxOptions(
                endpoints: .embedded,
                vault: .encrypted(KeyRing(key)),
                storage: storage,
                now: self.now
            )
        )
    }

    /// Works once on the card, as the engine does, and returns what was there before.
    private static func work(
        in store: SandboxStore,
        port: Int,
        limit: Int,
        kept: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> (before: [Range<Int>], outcome: ImageFetcher.Outcome) {
        _ = try await store.reclaimLeases(now: self.now)
        let job = try #require(try await store.claimFetching(limit: 1, until: self.hour, now: self.now).first)
        var settings = try Specimen.settings(port: port)
        settings.maximumBytes = limit
        settings.parallelAbove = 8 * 1_048_576
        let outcome = try await Specimen.fetcher(settings).imageFetcher.fetch(
            job,
            {
                try await store.keep($0, at: $1, of: self.card, version: $2)
                kept($0.count)
            },
            { try await store.source(of: self.card, at: $0) }
        )
        return (job.pieces, outcome)
    }

    @Test("After kill -9 in the middle of a large image only the missing bytes come")
    func killed() async throws {
        let image = Specimen.image(100_000_000)
        let host = SpecimenHost(image)
        let path = FileManager.default.temporaryDirectory.path + "/killed-\(UUID().uuidString)"
        // A temporary folder that cannot be removed is the system's to clean up.
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await host.serve { port in
            let first = try Self.open(path)
            let number = try #require(BusinessNumber("B-1"))
            let reception = Reception(
                metadata: CardMetadata(businessNumber: number),
                source: .address(ImageAddress(Specimen.url(port: port)))
            )
            _ = try await first.receive(reception, as: Self.card, now: Self.now)
            try await first.close()

            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, port = port as Int] in
                let total = Mutex(0)
                _ = try await Self.work(in: Self.open(path), port: port, limit: 100_000_000) { count in
                    let isEnough = total.withLock { total in
                        total += count
                        return total > 40_000_000
                    }
                    if isEnough { kill(getpid(), SIGKILL) }
                }
            }
            let before = host.sent.count

            let store = try Self.open(path)
            let (pieces, outcome) = try await Self.work(in: store, port: port, limit: 100_000_000)
            #expect(outcome.isComplete(with: image))
            let there = pieces.reduce(0) { $0 + $1.count }
            #expect(there > 40_000_000)
            #expect(host.sent[before...].reduce(0, +) == image.count - there)
            let attempt = AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: Self.now)
            let conclusion = FetchConclusion.complete(ContentDigest(of: image))
            let card = try await store.concludeFetching(Self.card, as: conclusion, attempt: attempt, now: Self.now)
            #expect(card.state == .received)
            try await store.close()
        }
    }
}
