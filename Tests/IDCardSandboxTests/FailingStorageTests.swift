import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// The disk refuses at one point after the other on a card's way: a clear error, nothing half done, and with room again
/// the same call succeeds.
struct FailingStorageTests {
    /// The calls that bring a card from its photo to its end.
    private struct Way {
        typealias Step = @Sendable (SandboxStore) async throws -> Void

        static let steps: [Step] = [
            { _ = try await $0.admit(.sample(1, byteCount: 300_000), now: .second(1)) },
            { store in
                let claimed = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(1))
                try #require(claimed.count == 1)
            },
            { store in
                let card = CardID(rawValue: "card-1")
                let image = try await store.preparedImage(of: card)
                let key = ReadingKey(imageDigest: image.digest, provider: "faceid-v1", parameters: "")
                let reading = CardReading(side: .front, fields: CardFields(name: "样本甲"))
                _ = try await store.conclude(
                    card,
                    as: .judged(reading, key, .accepted),
                    attempt: Self.accepted,
                    now: .second(2)
                )
            },
            { store in
                let number = try #require(BusinessNumber("CASE-1"))
                let basis = try await store.snapshot(of: number)
                #expect(
                    try await store.apply(
                        ApplicationChange(deliveries: [Self.delivery(number)]),
                        basis: basis,
                        now: .second(3)
                    ) != nil
                )
            },
            { store in
                let claimed = try await store.claimDeliveries(limit: 1, until: .second(99), now: .second(4))
                try #require(claimed.count == 1)
            },
            { _ = try await $0.beginAttempt(of: DeliveryID(rawValue: "delivery-1"), after: 0, now: .second(4)) },
            { store in
                let members = try await store.conclude(
                    DeliveryID(rawValue: "delivery-1"),
                    as: .delivered(code: "0000"),
                    attempt: Self.accepted,
                    number: 1,
                    now: .second(5)
                )
                #expect(members.map(\.state) == [.delivered])
            },
        ]

        private static let accepted = AttemptRecord(
            failureClass: .accepted,
            code: "ok",
            httpStatus: 200,
            startedAt: .second(1)
        )

        private static func delivery(_ number: BusinessNumber) -> Delivery {
            let card = CardID(rawValue: "card-1")
            return Delivery(
                id: DeliveryID(rawValue: "delivery-1"),
                boundary: "b",
                parts: [.image(of: card, name: "f", filename: "f", contentType: "t")],
                members: [card],
                businessNumbers: [number]
            )
        }
    }

    /// Takes the steps; one that fails is expected to have changed nothing, and to succeed after `mend`.
    ///
    /// - Returns: the codes of the steps that failed.
    private static func take(
        _ steps: [Way.Step],
        at store: SandboxStore,
        mend: () async throws -> Void
    ) async throws -> [StoreError.Code] {
        var codes: [StoreError.Code] = []
        for step in steps {
            let before = try await store.read { try Self.counts(in: $0) }
            do {
                try await step(store)
            } catch let error as StoreError {
                codes.append(error.code)
                #expect(try await store.read { try Self.counts(in: $0) } == before)
                try await mend()
                try await step(store)
            }
        }
        #expect(try await store.stateCounts() == [.delivered: 1])
        return codes
    }

    private static func counts(in db: Database) throws -> [Int] {
        let tables = try String.fetchAll(
            db,
            sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        return try tables.map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0 }
    }

    @Test("the database may not grow: at every point the disk counts as full")
    func full() async throws {
        var codes: [StoreError.Code] = []
        for pages in 0..<24 {
            let folder = SandboxFolder()
            let store = try folder.open()
            let most = try await store.writer.withConnection { db in
                let count = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(count + pages)")
                return count + 1000
            }
            codes += try await Self.take(Way.steps, at: store) {
                try await store.writer.withConnection { try $0.execute(sql: "PRAGMA max_page_count = \(most)") }
            }
            try await store.close()
            #expect(try folder.raw { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        }
        #expect(codes.count >= 4)
        #expect(Set(codes) == [.diskFull])
    }

    @Test("no file may grow: at every point a write fails, and nothing is lost")
    func cutOff() async throws {
        let folder = SandboxFolder()
        try await folder.open().close()
        await #expect(processExitsWith: .exitCode(42)) { [path = folder.path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var failures = 0
            for kibibytes in stride(from: 0, to: 1200, by: 40) {
                let store = try SandboxStore.open(
                    directory: path + "-\(kibibytes)",
                    options: SandboxOptions(
                        endpoints: .embedded,
                        vault: .sample,
                        storage: SandboxFolder.storage,
                        now: .second(0)
                    )
                )
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                var small = limit
                small.rlim_cur = rlim_t(max(store.disk.logSize, 64 << 10) + kibibytes << 10)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
                let codes = try await Self.take(Way.steps, at: store) {
                    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                }
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                try await store.close()
                try FileManager.default.removeItem(atPath: path + "-\(kibibytes)")
                failures += codes.filter { $0 == .unavailable }.count
            }
            exit(failures >= 4 ? 42 : 1)
        }
    }
}
