import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// A backend that refuses who we are, before it has read what we send.
@Suite("Credentials that the backend refuses at the head", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct RefusedCredentialsTests {
    private static let statuses = ["401 Unauthorized", "403 Forbidden"]

    /// A backend that refuses the first request at the head, and from then on every form with another TOKEN.
    private static func plan(_ status: String, then: FaultScript.AfterEarlyReply = .close) -> FirePlan {
        var plan = FirePlan()
        plan.backendScripts { _ in [.earlyReply(FaultReply(status), then: then)] }
        plan.ledger.demand(token: "token-2")
        plan.settings.onUnknown = .hold
        plan.settings.deliverMaximumAttempts = 1
        return plan
    }

    @Test(
        "The stage stops, the cards keep their state; a new TOKEN delivers them under new keys",
        arguments: statuses,
        FaultScript.AfterEarlyReply.allCases
    )
    func stops(status: String, then: FaultScript.AfterEarlyReply) async throws {
        try await withFireRange(Self.plan(status, then: then)) { range async throws in
            // With a second one the run would ask about that, too, a second later.
            let items = try range.fronts(1, bytes: 6 << 20)
            let ending = try await range.run(items, change: { $0.settings.patience = .milliseconds(300) })
            #expect(ending == .patienceExhausted)
            #expect(range.pauses[.deliver]?.code == "http_\(status.prefix(3))")
            #expect(range.deliveries.classes == [.stop])
            #expect(range.backend.requests == 1)
            let cards = try await range.cards()
            #expect(cards.allSatisfy { [.verified, .delivering].contains($0.state) && $0.attempts == 0 })
            let refusedKeys = Set(range.deliveries.entries.map(\.subject))
            expectOneDocumentEach(in: range.ledger, count: 0)

            range.renewToken("token-2")
            try await range.reopen()
            #expect(try await range.storedPauses()[.deliver] != nil)
            #expect(try await range.run([], later: .seconds(3600)) == .complete)
            #expect(range.pauses.isEmpty)
            #expect(try await range.storedPauses().isEmpty)
            #expect(try await range.counts() == [.delivered: 1])
            expectOneDocumentEach(in: range.ledger, count: 1)
            #expect(range.ledger.documents.allSatisfy { $0.token == "token-2" && !refusedKeys.contains($0.key) })
        }
    }

    @Test("A TOKEN that is renewed while the stage is stopped is taken up by its next probe", arguments: statuses)
    func probe(status: String) async throws {
        var plan = Self.plan(status)
        plan.settings.probeInterval = .milliseconds(300)
        try await withFireRange(plan) { range async throws in
            let items = try range.fronts(3)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { () async throws in #expect(try await range.run(items) == .complete) }
                let pause = await range.events.first { event in
                    if case .stagePaused(.deliver, _) = event { true } else { false }
                }
                #expect(pause != nil)
                range.renewToken("token-2")
                try await group.waitForAll()
            }
            #expect(range.pauses.isEmpty)
            #expect(try await range.counts() == [.delivered: 3])
            expectOneDocumentEach(in: range.ledger, count: 3)
            #expect(range.ledger.documents.allSatisfy { $0.token == "token-2" })
        }
    }
}
