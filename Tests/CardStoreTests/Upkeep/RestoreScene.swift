import CardModel
import Foundation
import Testing

@testable import CardStore

/// A sandbox with a card in each state that matters, a backup of it, and what came after.
struct RestoreScene {
    let harness: StoreHarness
    var cards: [String: CardID] = [:]
    var backup: String { "\(self.harness.folder)/backup" }

    init() async throws {
        self.harness = try await StoreHarness()
        self.cards["delivered"] = try await self.harness.sent("a", number: "A", .accepted)
        self.cards["delivering"] = try await self.harness.delivering("b", number: "B").0
        self.cards["erased"] = try await self.harness.admit("c", number: "C").card
        try await self.harness.erase(self["erased"])
        self.cards["rejected"] = try await self.harness.sent("d", number: "D", .failure(.unknown), onUnknown: .hold)
        try await self.harness.resolve(self["rejected"], .reject)
        self.cards["foreign"] = try await self.harness.admit("e", number: "A", submitter: "other").card
        self.cards["prepared"] = try await self.harness.admit("f", number: "F").card
        self.cards["claimed"] = try #require(try await self.harness.claim(1).first).card.id
        try await self.harness.backUp(to: self.backup)
    }

    /// Makes the backup anew, with what has come since.
    func backUpAgain() async throws {
        try FileManager.default.removeItem(atPath: self.backup)
        try await self.harness.backUp(to: self.backup)
    }

    subscript(_ name: String) -> CardID { self.cards[name] ?? CardID(rawValue: "no \(name)") }

    /// Ends all work, as whoever restores must.
    func close() async throws {
        try await self.harness.store.upkeep.stop(self.harness.worker, now: self.harness.now)
        try self.harness.store.close()
    }

    func restore(
        into folder: String? = nil,
        ring: KeyRing? = nil,
        replacing: Bool = true,
        kind: Sandbox.Kind? = nil,
        erasures: [String] = []
    ) async throws -> RestoreReport {
        try await Restore(
            of: BackupFile(self.backup, erasures: erasures),
            into: folder ?? self.harness.folder,
            kind: kind,
            ring: ring ?? KeyRing(self.harness.key),
            replacing: replacing,
            by: AccessOrigin(actor: "root:restore"),
            now: self.harness.now
        ).run()
    }

    /// Restores the backup once all work has ended, and opens what came of it.
    @discardableResult
    func closeAndRestore() async throws -> RestoreReport {
        try await self.close()
        let report = try await self.restore()
        try await self.reopen()
        return report
    }

    func reopen() async throws { self.harness.store = try await self.harness.another() }

    func state(_ name: String) async throws -> String { try await self.harness.state(self[name]) }
}
