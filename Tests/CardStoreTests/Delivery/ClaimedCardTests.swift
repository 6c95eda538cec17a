import CardModel
import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import CardStore

/// What is claimed may be gone or damaged when it is opened: it stops no other.
@Suite final class ClaimedCardTests: StoreSuite {
    enum Stage: CaseIterable {
        case fetch
        case prepare
        case verify
        case deliver

        /// Whether a claim is the beginning of an attempt.
        var calls: Bool { self == .verify || self == .deliver }
    }

    /// Brings a card to where a stage claims it.
    private func bring(_ name: String, to stage: Stage) async throws -> CardID {
        switch stage {
        case .fetch: return try await harness.address(name, number: name).card
        case .prepare: return try await harness.admit(harness.received(name, number: name)).card
        case .verify: return try await harness.admit(name, number: name).card
        case .deliver: return try await harness.sent(name, number: name, .failure(.transient))
        }
    }

    /// Claims what is due in a stage.
    private func claim(_ stage: Stage) async throws -> Claimed<[CardID]> {
        switch stage {
        case .fetch: try await harness.claimFetching().map { [$0.card.id] }
        case .prepare: try await harness.claimPreparation().map { [$0.card.id] }
        case .verify: try await harness.claimed().map { [$0.card.id] }
        case .deliver:
            try await harness.store.deliveries.claimDeliveries(by: harness.worker, limit: 10, now: harness.now)
                .map(\.members)
        }
    }

    /// Claims, and takes a card away once another one, which is damaged, has ended and before the next one is opened.
    private func claim(_ stage: Stage, after damaged: CardID, taking card: CardID, byErasing: Bool) async throws
        -> Claimed<[CardID]>
    {
        let (store, now) = (harness.store, harness.now)
        let before: String? = try await harness.value("SELECT state FROM card WHERE id = \(damaged)")
        let hook = CommitHook {
            let state = try DatabaseQueue(path: store.folder.database).read {
                try String.fetchOne($0, sql: "SELECT state FROM card WHERE id = '\(damaged.rawValue)'")
            }
            guard state != before else { return false }
            try Self.take(card, byErasing: byErasing, of: store, now: now)
            return true
        }
        try await store.database.withWriter { hook.add(to: $0) }
        let claimed = try await claim(stage)
        try await store.database.withWriter { _ = sqlite3_wal_hook($0.sqliteConnection, nil, nil) }
        #expect(try #require(hook.result).get())
        return claimed
    }

    /// Erases a card, or has another worker take it over, at once and as another process would.
    private static func take(_ card: CardID, byErasing: Bool, of store: Sandbox, now: Timestamp) throws {
        let queue = try DatabaseQueue(path: store.folder.database)
        try queue.write { connection in
            let tx = Transaction(connection, at: now)
            guard byErasing else {
                try tx.run("UPDATE card SET worker = 'other' WHERE id = \(card) AND state <> 'delivering'")
                try tx.run(
                    "UPDATE delivery SET worker = 'other' WHERE id = (SELECT delivery FROM card WHERE id = \(card))"
                )
                return
            }
            let erasure = Erasure(store: store, reason: .requested, origin: StoreHarness.person, now: now)
            #expect(try erasure.erase([card], in: tx) == [card])
        }
        try queue.close()
    }

    private func openAttempts() async throws -> Int? {
        try await harness.value("SELECT count(*) FROM attempt WHERE ended_at IS NULL")
    }

    @Test(arguments: Stage.allCases, [true, false])
    func `a card erased or taken over before it is opened is left alone`(stage: Stage, byErasing: Bool) async throws {
        let other = try await harness.store.upkeep.startWorker(id: "other", command: "run", now: harness.now)
        let damaged = try await bring("1", to: stage)
        let taken = try await bring("2", to: stage)
        let sound = try await bring("3", to: stage)
        try await harness.plant("DELETE FROM blob WHERE card = '\(damaged)'")
        harness.pass(.seconds(1))
        let before = try await harness.store.listings.status(of: [taken])
        let claimed = try await claim(stage, after: damaged, taking: taken, byErasing: byErasing)
        #expect(claimed.jobs == [[sound]])
        #expect(claimed.changes.map(\.card) == [damaged])
        if byErasing {
            #expect(try await harness.state(taken) == "erased requested")
        } else {
            #expect(try await harness.store.listings.status(of: [taken]) == before)
        }
        #expect(try await openAttempts() == (stage.calls ? 1 : 0))
        try await harness.store.upkeep.stop(other, now: harness.now)
    }

    @Test func `of a delivery that an erased card left, the others are not called damaged`() async throws {
        let damaged = try await bring("1", to: .deliver)
        let (front, back, job) = try await harness.joint()
        try await harness.conclude(job, .failure(.transient))
        try await harness.plant("DELETE FROM blob WHERE card = '\(damaged)'")
        harness.pass(.seconds(1))
        let claimed = try await claim(.deliver, after: damaged, taking: front, byErasing: true)
        #expect(claimed.jobs == [])
        #expect(try await harness.state(back) == "held outcome_unknown")
        #expect(
            try await harness.card(back).message?.text().contains("a person took another card out of the same delivery")
                == true
        )
        #expect(try await openAttempts() == 0)
    }

    @Test(
        arguments: Stage.allCases,
        [
            "UPDATE card_key SET key_id = 'none' WHERE card", "UPDATE card_key SET wrapped = x'00' WHERE card",
            "UPDATE card SET metadata = x'00' WHERE id", "UPDATE blob SET bytes = x'00' WHERE card",
            "DELETE FROM card_key WHERE card",
        ]
    )
    func `a damaged card ends in every stage and stops no other`(stage: Stage, damage: String) async throws {
        let damaged = try await bring("1", to: stage)
        let sound = try await bring("2", to: stage)
        try await harness.plant("\(damage) = '\(damaged)'")
        harness.pass(.seconds(1))
        let claimed = try await claim(stage)
        #expect(claimed.jobs == [[sound]])
        #expect(claimed.changes == [CardChange(card: damaged, state: .failed, reason: .imageUnreadable)])
        #expect(try await openAttempts() == (stage.calls ? 1 : 0))
    }

    @Test(arguments: ["parts = x'00'", "parts = NULL"])
    func `a delivery whose parts do not open stops no other`(damage: String) async throws {
        let damaged = try await bring("1", to: .deliver)
        let sound = try await bring("2", to: .deliver)
        let delivery = "(SELECT delivery FROM card WHERE id = '\(damaged)')"
        try await harness.plant("UPDATE delivery SET \(damage) WHERE id = \(delivery)")
        harness.pass(.seconds(1))
        #expect(try await claim(.deliver).jobs == [[sound]])
        #expect(try await harness.state(damaged) == "verified")
    }

    @Test(arguments: ["bytes = x'00'", "start = -1"])
    func `bytes that came and are damaged end their card alone`(damage: String) async throws {
        let damaged = try await harness.fetching("damaged", number: "N").card.id
        let sound = try await harness.fetching("sound", from: "sound", number: "M").card.id
        try await harness.killWorker()
        try await harness.plant("UPDATE blob SET \(damage) WHERE card = '\(damaged)' AND kind = 'source'")
        #expect(try await claim(.fetch).jobs == [[sound]])
        #expect(try await harness.store.listings.status(of: [damaged]).map(\.reason) == [.imageUnreadable])
    }
}

/// Does something after commits, until it says that it is done.
private final class CommitHook: @unchecked Sendable {
    private let body: @Sendable () throws -> Bool
    private(set) var result: Result<Bool, any Error>?

    init(_ body: @escaping @Sendable () throws -> Bool) { self.body = body }

    func add(to connection: GRDB.Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        // Called once the lock of the writer is free (sqlite3.h).
        sqlite3_wal_hook(
            connection.sqliteConnection,
            { context, _, _, _ in
                let hook = Unmanaged<CommitHook>.fromOpaque(context!).takeUnretainedValue()
                if (try? hook.result?.get()) != true { hook.result = Result { try hook.body() } }
                return SQLITE_OK
            },
            context
        )
    }
}
