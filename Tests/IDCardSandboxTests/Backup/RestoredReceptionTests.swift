import Foundation
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What becomes of cards without an image when a backup is put back: they may have been sent since.
struct RestoredReceptionTests {
    let restoring = RestoringSandbox()
    private static let received = CardID(rawValue: "received")
    private static let fetching = CardID(rawValue: "fetching")

    private func fillAndBackUp() async throws {
        try await self.restoring.sandbox.fill()
        let store = try self.restoring.sandbox.folder.open()
        try await store.receive(.noise(1, 5000), as: "received", receipt: .sample())
        try await store.beginFetching(.noise(2, 5000), as: "fetching")
        try await store.keep(SourceRun(id: "run-1", source: "inbox", startedAt: .second(1)))
        try await store.close()
        try await self.restoring.backUp()
    }

    @Test("they are held until a person has them done again, and nothing claims them before")
    func held() async throws {
        try await self.fillAndBackUp()
        _ = try await self.restoring.restore(replacing: true)
        let store = try self.restoring.sandbox.folder.open()
        #expect(try await store.check().words == [])
        for card in [Self.received, Self.fetching] {
            #expect(try await store.card(card)?.state == .held)
            #expect(try await store.card(card)?.reason == .restored)
        }
        #expect(try await store.claimReceived(limit: 9, until: .second(99), now: .second(60)) == [])
        #expect(try await store.claimFetching(limit: 9, until: .second(99), now: .second(60)) == [])
        let run = try await store.run("run-1")
        #expect(run?.state == .failed)
        #expect(run?.reason == .restored)
        let origin = RestoringSandbox.origin
        #expect(try await store.retry(Self.received, by: origin, now: .second(61)).state == .received)
        #expect(try await store.retry(Self.fetching, by: origin, now: .second(61)).state == .fetching)
        #expect(try await store.source(of: Self.received, at: 0) == .noise(1, 5000))
        let jobs = try await store.claimFetching(limit: 9, until: .second(99), now: .second(62))
        #expect(jobs.map(\.pieces) == [[0..<5000]])
    }

    @Test(
        "a person who says what became of them leaves no source bytes behind",
        arguments: [Resolution.delivered, .reject]
    )
    func resolved(resolution: Resolution) async throws {
        try await self.fillAndBackUp()
        _ = try await self.restoring.restore(replacing: true)
        let store = try self.restoring.sandbox.folder.open()
        for card in [Self.received, Self.fetching] {
            let refused = await #expect(throws: StoreError.self) {
                _ = try await store.resolve(card, as: .accept, by: RestoringSandbox.origin, now: .second(61))
            }
            #expect(refused?.message.contains("retry it") == true)
            _ = try await store.resolve(card, as: resolution, by: RestoringSandbox.origin, now: .second(62))
            #expect(try await store.source(of: card, at: 0).isEmpty)
        }
        #expect(try await store.check().words == [])
    }

    @Test("resuming, they go on where they were")
    func resuming() async throws {
        try await self.fillAndBackUp()
        _ = try await self.restoring.restore(replacing: true, resuming: true)
        let store = try self.restoring.sandbox.folder.open()
        #expect(
            try await store.claimReceived(limit: 9, until: .second(99), now: .second(60)).map(\.id) == [Self.received]
        )
        #expect(try await store.openRuns().map(\.id) == ["run-1"])
    }

    @Test("a request whose card was erased after the backup, or came after it, still finds the tombstone")
    func tombstones() async throws {
        try await self.fillAndBackUp()
        let changed = try self.restoring.sandbox.folder.open()
        try await changed.receive(.noise(3, 100), as: "late", receipt: .sample("late"))
        for card in ["received", "late"] {
            _ = try await changed.erase(
                [CardID(rawValue: card)],
                reason: .requested,
                by: RestoringSandbox.origin,
                now: .second(30)
            )
        }
        try await changed.close()
        _ = try await self.restoring.restore(replacing: true)
        let store = try self.restoring.sandbox.folder.open()
        for receipt in [Receipt.sample(), .sample("late")] {
            guard case .repeated(let card)? = try await store.outcome(of: receipt) else {
                Issue.record("the request is not known any more")
                return
            }
            #expect(card.state == .erased)
        }
        #expect(try await store.source(of: Self.received, at: 0).isEmpty)
        #expect(try await store.finishErasures() == 0)
        #expect(try await store.check().words == [])
    }
}
