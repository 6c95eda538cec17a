import CardModel
import TestSupport
import Testing

@testable import CardStore

/// Where cases stand, since when, and in which order they are listed.
@Suite final class CaseListingTests: StoreSuite {
    private func rejected(_ side: CardSide) async throws -> CardID {
        let card = try await harness.admit(harness.photo("\(side)", number: "N", side: side)).card
        let verdict = Verdict.rejected(VerdictRule.legalityLow.reason, message: "no")
        try await harness.conclude(#require(try await harness.claim().first), CardReading(side: side), verdict)
        return card
    }

    private func status(_ number: String) async throws -> (card: CardID?, since: Timestamp)? {
        var filter = CaseFilter()
        filter.number = BusinessNumber(stored: number)
        let found = try await harness.store.listings.cases(filter, after: nil, limit: 2, for: .process).cases
        return found.first.map { ($0.cardID, $0.since) }
    }

    @Test func `of a refused front and a back that waits, the front alone is missing`() async throws {
        _ = try await rejected(.front)
        func missing() async throws -> [CardSide] {
            var filter = CaseFilter()
            filter.number = BusinessNumber(stored: "N")
            let found = try await harness.store.listings.cases(filter, after: nil, limit: 1, for: .process).cases
            return try #require(found.first).missing
        }
        #expect(try await missing() == [.front, .back])
        _ = try await harness.admit(harness.photo("back", number: "N", side: .back))
        try await harness.conclude(#require(try await harness.claim().first), side: .back, number: nil)
        #expect(try await missing() == [.front])
    }

    @Test func `a case stands there since its cause, whatever its other cards do`() async throws {
        let front = try await rejected(.front)
        let began = try #require(await status("N")).since
        harness.now = harness.now.advanced(by: .seconds(60))
        let back = try await rejected(.back)
        let now = try #require(await status("N"))
        #expect(now.card == front && now.since == began)
        harness.now = harness.now.advanced(by: .seconds(60))
        try await harness.resolve(front, .seen)
        let second = try #require(await status("N"))
        #expect(second.card == back && second.since.duration(since: began) >= .seconds(120))
    }

    // MARK: What a clerk must bring

    /// What happened to a case, and the sides that its submitter must bring for that.
    private enum Story: CaseIterable {
        case refusedFront, heldFront, whole, frontAlone, retaken, held, ended, erased, returned, unknownSide, failedBack

        var sides: [CardSide] {
            switch self {
            case .refusedFront, .returned: [.front]
            case .heldFront, .frontAlone: [.back]
            case .whole, .retaken, .held, .ended, .erased, .unknownSide, .failedBack: []
            }
        }
    }

    private func tell(_ story: Story, _ number: String, reason: ReasonCode, retake: RetakeReason) async throws {
        func front(_ bytes: String, _ verdict: Verdict = .accepted) async throws -> CardID {
            try await harness.judged("\(number) \(bytes)", number: number, verdict)
        }
        func back(_ verdict: Verdict = .accepted) async throws {
            _ = try await harness.judged("\(number) back", number: number, side: .back, verdict)
        }
        let (refused, held) = (Verdict.rejected(reason, message: "no"), Verdict.held(reason, message: "look"))
        switch story {
        case .refusedFront:
            _ = try await front("front", refused)
            try await back()
        case .heldFront: _ = try await front("front", held)
        case .frontAlone: _ = try await front("front")
        case .retaken:
            _ = try await front("front", refused)
            _ = try await front("again")
            try await back()
        case .held:
            _ = try await front("front", held)
            try await back(held)
        case .ended: try await harness.resolve(front("front", held), .reject)
        case .returned:
            let front = try await front("front", held)
            try await back()
            let decisions = harness.store.decisions
            try await decisions.decide(
                front,
                .retake,
                because: retake,
                message: Redacted("why"),
                by: StoreHarness.person,
                now: harness.now
            )
        case .unknownSide: try await harness.admit("\(number) new", number: number)
        case .whole, .erased, .failedBack:
            let front = try await front("front")
            try await back()
            if story == .failedBack {
                try await harness.plant("UPDATE card SET state = 'failed' WHERE number = '\(number)' AND side = 'back'")
            }
            if story == .erased {
                try await harness.deliverAll()
                for card in try await harness.store.listings.caseCards(
                    of: BusinessNumber(stored: number),
                    for: .process
                ) {
                    try await harness.erase(card.card.id)
                }
                _ = front
            }
        }
    }

    @Test func `after a day of sixty cases the list has every one of which a side must be brought, and no other`()
        async throws
    {
        let reasons = Array(VerdictRule.allCases.map(\.reason).prefix(22))
        let retakes = RetakeReason.ofPhoto.filter { $0 != .wrongSide }
        var expected: [String: [CardSide]] = [:]
        for index in 0..<66 {
            let story = Story.allCases[index % Story.allCases.count]
            let number = "N-\(index)"
            try await self.tell(
                story,
                number,
                reason: reasons[index % reasons.count],
                retake: retakes[index % retakes.count]
            )
            if !story.sides.isEmpty { expected[number] = story.sides }
            harness.pass(.seconds(1))
        }
        // All that may be sent was sent, but for what is not verified yet.
        try await harness.deliverAll()
        var filter = CaseFilter()
        filter.toBring = true
        for caller in [Caller.process, Caller(subject: "local", scopes: [.read])] {
            let list = try await harness.store.listings.cases(filter, after: nil, limit: 100, for: caller).cases
            let sides = Dictionary(uniqueKeysWithValues: list.map { ($0.businessNo.rawValue, $0.task.sides) })
            #expect(sides == expected)
            #expect(list.allSatisfy { $0.todo != nil })
            #expect(list.map(\.state) == list.map(\.state).sorted { $0.order < $1.order })
        }
        let all = try await harness.store.listings.cases(CaseFilter(), after: nil, limit: 100, for: .process).cases
        let totals = try await harness.store.listings.caseTotals(for: .process)
        #expect(
            totals.filter { $0.value > 0 && $0.key != .erased }
                == Dictionary(grouping: all, by: \.state).mapValues(\.count)
        )
        #expect(totals[.erased] == 6)
    }
}

extension CaseState {
    fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
