import CardModel
import Foundation
import Testing

@testable import CardStore

/// Lists for pages, the newest first.
@Suite final class LogListingTests: StoreSuite {
    private static let auditor = Caller(subject: "auditor", scopes: [.audit])

    private func lines(_ filter: LogFilter, limit: Int = 100) async throws -> [Int64] {
        var (lines, last) = ([Int64](), Int64?.none)
        while true {
            let page = try await harness.store.listings.accessLines(
                filter,
                before: last,
                limit: limit,
                for: Self.auditor
            )
            #expect(page.count <= limit)
            guard let end = page.last else { return lines }
            lines += page.map(\.number)
            last = end.number
        }
    }

    /// Lines of three persons and the engine, with a clock that goes back and stands still.
    private func writeLines() async throws -> [(
        number: Int64, at: Timestamp, subject: String?, card: CardID?, action: AccessAction
    )] {
        let cards = [CardID(rawValue: "a"), CardID(rawValue: "b"), nil]
        let subjects = ["li.na", "wang", "zhao", nil]
        let actions: [AccessAction] = [.reveal, .resolve, .deliver, .backup, .revealDenied]
        var written: [(number: Int64, at: Timestamp, subject: String?, card: CardID?, action: AccessAction)] = []
        for index in 0..<120 {
            harness.pass(.seconds([0, 3, -2, 5][index % 4]))
            let (subject, card, action) = (subjects[index % 4], cards[index % 3], actions[index % 5])
            let origin =
                try subject.map {
                    try AccessOrigin(Caller(subject: $0, scopes: [.operate]), actor: "token:\($0)", purpose: "T-1")
                } ?? AccessOrigin(actor: "engine:w1")
            let store = harness.store
            let number = try await store.write(at: harness.now) { tx in
                try AccessLog.append(action, of: [card], by: origin, vault: store.vault, in: tx).number
            }
            written.append((number, harness.now, subject, card, action))
        }
        return written
    }

    @Test func `lines are listed by person, card and action, the newest first, whatever the size of the page`()
        async throws
    {
        let written = try await self.writeLines()
        var found = 0
        for subject in [nil, "li.na", "nobody"] {
            for card in [nil, CardID(rawValue: "a")] {
                for action in [nil, AccessAction.reveal, .erase] {
                    let expected = written.filter { line in
                        (subject == nil ? card != nil || line.subject != nil : line.subject == subject)
                            && (card == nil || line.card == card) && (action == nil || line.action == action)
                    }
                    .sorted { ($1.at, $1.number) < ($0.at, $0.number) }.map(\.number)
                    let filter = LogFilter(subject: subject, card: card, action: action)
                    for limit in [1, 7, 100] {
                        #expect(try await self.lines(filter, limit: limit) == expected, "\(filter)")
                    }
                    found += expected.count
                }
            }
        }
        #expect(found > 200)
        let line = try #require(
            try await harness.store.listings.accessLines(
                LogFilter(subject: "zhao"),
                before: nil,
                limit: 1,
                for: Self.auditor
            )
            .first
        )
        #expect(line.subject == "zhao" && line.purpose == "T-1" && line.actor == "token:zhao")
    }

    @Test func `who may not read the log reads no line of it`() async throws {
        _ = try await self.writeLines()
        for scope in TokenScope.allCases {
            let caller = Caller(subject: "li.na", scopes: [scope])
            let error = await code {
                try await harness.store.listings.accessLines(
                    LogFilter(subject: "li.na"),
                    before: nil,
                    limit: 1,
                    for: caller
                )
            }
            #expect(error == ([.audit, .operate].contains(scope) ? nil : .scopeMissing), "\(scope)")
        }
    }

    @Test func `the last backup is told, and how the chain stands`() async throws {
        #expect(try await harness.store.listings.lastBackup() == nil)
        #expect(try await harness.store.upkeep.checkAccessLog() == (0, 0))
        let written = try await self.writeLines()
        let backups = written.filter { $0.action == .backup && $0.subject != nil }
        #expect(try await harness.store.listings.lastBackup() == backups.map(\.at).max())
        #expect(try await harness.store.upkeep.checkAccessLog() == (120, 0))
        try await harness.plant("UPDATE access_log SET purpose = 'other' WHERE number IN (3, 70)")
        #expect(try await harness.store.upkeep.checkAccessLog() == (120, 2))
    }

    // MARK: Cards

    @Test func `cards the newest first are those the oldest first, turned round, for every filter`() async throws {
        for index in 0..<40 {
            try await harness.admit("\(index)", number: "N\(index % 7)", submitter: ["local", "till"][index / 7 % 2])
        }
        let states = ["prepared", "held", "failed", "rejected", "verified", "delivered"]
        for (index, state) in states.enumerated() {
            let reason = ["legality_low", "front_missing", "holder_conflict"][index % 3]
            try await harness.plant(
                "UPDATE card SET state = '\(state)', reason = '\(reason)' WHERE intake_order % 6 = \(index)"
            )
        }
        try await harness.plant("UPDATE card SET remote_code = 'legality_low' WHERE intake_order % 5 = 0")
        var filters = 0
        for caller in [Caller.process, Caller(subject: "till", scopes: [.read])] {
            for states in [[CardState](), [.held], [.held, .failed]] {
                for (attention, reason) in [([], nil), (CardAttention.allCases, nil), ([], "legality_low")] {
                    for (number, submitter) in [(nil, nil), (BusinessNumber(stored: "N3"), nil), (nil, "local")] {
                        var filter = CardFilter()
                        (filter.states, filter.attention, filter.reason) = (states, attention, reason)
                        (filter.number, filter.submitter) = (number, submitter)
                        let all = try await harness.store.listings.cards(filter, after: 0, limit: 1_000, for: caller)
                            .map(
                                \.order
                            )
                        filters += all.isEmpty ? 0 : 1
                        for limit in [1, 7, 1_000] {
                            var (listed, last) = ([Int64](), Int64?.none)
                            repeat {
                                let page = try await harness.store.listings.cards(
                                    filter,
                                    after: last,
                                    newestFirst: true,
                                    limit: limit,
                                    for: caller
                                )
                                listed += page.map(\.order)
                                last = page.last?.order
                            } while last != nil
                            #expect(listed == all.reversed(), "\(filter)")
                        }
                    }
                }
            }
        }
        #expect(filters > 25)
    }
}
