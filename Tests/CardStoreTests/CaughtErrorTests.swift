import CardModel
import Testing

@testable import CardStore

/// An error of the database that something caught: it must not count as a value that does not open.
@Suite final class CaughtErrorTests: StoreSuite {
    @Test func `a change that catches an error of the database fails all the same, and alone`() async throws {
        let (store, now) = (harness.store, harness.now)
        for statement: SQL in ["SELECT 1 FROM nothing", "SELECT 'word' FROM store"] {
            async let other: Void = store.listings.logList(to: StoreHarness.person, now: now)
            let error = await code {
                try await store.write(at: now) { tx in
                    _ = try? tx.values(statement, as: Int64.self)
                    _ = try? tx.run("UPDATE store SET next_order = 99")
                }
            }
            try await other
            #expect(error == .sandboxDamaged)
            #expect(
                await code { try await store.read { tx in _ = try? tx.values(statement, as: Int64.self) } } == error
            )
        }
        #expect(try await harness.value("SELECT next_order FROM store") == Int64(1))
        #expect(try await harness.accessLog().count == 2)
    }

    @Test func `while readings cannot be read, no purpose passes and no card counts as one without a reading`()
        async throws
    {
        let card = try await harness.verified("front", number: "N", .front)
        let purpose = try AccessOrigin(.process, actor: "clerk", purpose: "the file of SPECIMEN")
        #expect(
            await code { try await harness.store.listings.export(card, to: purpose, now: harness.now) }
                == .purposePersonal
        )
        try await harness.plant("ALTER TABLE reading RENAME COLUMN bytes TO moved")
        #expect(
            await code { try await harness.store.listings.export(card, to: purpose, now: harness.now) }
                == .sandboxDamaged
        )
        #expect(await code { try await harness.store.listings.details(of: card, for: .process) } == .sandboxDamaged)
        #expect(await code { try await harness.store.upkeep.sealFindings() } == .sandboxDamaged)
        #expect(try await harness.accessLog().count == 1)
    }
}
