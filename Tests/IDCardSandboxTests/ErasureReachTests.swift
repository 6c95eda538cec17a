import GRDB
import IDCardCore
import IDCardPipeline
import Synchronization
import Testing

@testable import IDCardSandbox

/// What an erasure reaches beside the card itself, and what it tells of the rest.
struct ErasureReachTests {
    private static let origin = AccessOrigin(actor: "root:cards erase", purpose: "ticket 7")
    private static let card = CardID(rawValue: "card-1")

    @Test("the certificate counts the exports of its card, and of no other")
    func exports() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        for number in 1...3 { _ = try await store.admit(.sample(number), now: .second(1)) }
        let other = CardID(rawValue: "card-2")
        for (action, card) in [
            (AccessAction.export, Self.card), (.show, Self.card), (.export, other), (.export, Self.card),
        ] {
            try await store.record(action, of: card, by: Self.origin, now: .second(8))
        }
        let certificates = try await store.erase(
            [Self.card, other, CardID(rawValue: "card-3")],
            reason: .requested,
            by: Self.origin,
            now: .second(9)
        )
        #expect(certificates.map(\.exportCount) == [2, 1, 0])
    }

    @Test("what is known of bytes that a process died of goes with the last card that has them")
    func crashes() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        var admission = try Admission.sample(1)
        _ = try await store.admit(admission, now: .second(1))
        admission.id = CardID(rawValue: "card-2")
        admission.metadata.businessNumber = try #require(BusinessNumber("CASE-2"))
        _ = try await store.admit(admission, now: .second(1))
        let others = try Admission.sample(3)
        let dying = try folder.open()
        for digest in [admission.sourceDigest, others.sourceDigest] { _ = try await dying.beginPreparing(digest) }
        try dying.die()
        _ = try await store.reclaimLeases(now: .second(2))
        for (card, count) in [("card-1", 1), ("card-2", 0)] {
            #expect(try await store.beginPreparing(admission.sourceDigest).crashes == 1)
            _ = try await store.erase(
                [CardID(rawValue: card)],
                reason: .requested,
                by: Self.origin,
                now: .second(9)
            )
            #expect(try await store.beginPreparing(admission.sourceDigest).crashes == count)
        }
        #expect(try await store.beginPreparing(others.sourceDigest).crashes == 1)
        #expect(try folder.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM decoder_crash") } == 1)
    }

    @Test("free pages are given back so many in a turn, so that others write in between, and all of them")
    func turns() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        _ = try await store.admit(.sample(1, byteCount: 25 << 20), now: .second(1))
        _ = try await store.admit(.sample(2), now: .second(1))
        let pages = try await store.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        #expect(pages > 1500)
        let turns = Mutex<[String]>([])
        try await store.writer.withConnection { db in
            db.trace { event in
                guard case .statement(let statement) = event, statement.sql.contains("incremental_vacuum") else {
                    return
                }
                turns.withLock { $0.append(statement.sql) }
            }
        }
        _ = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
        try await store.writer.withConnection { $0.trace(options: []) }
        let sql = turns.withLock { $0 }
        #expect(sql.count >= 4)
        #expect(Set(sql) == ["PRAGMA incremental_vacuum(500)"])
        #expect(try await store.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") } == 0)
        #expect(try await store.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 } < pages - 1500)
    }
}
