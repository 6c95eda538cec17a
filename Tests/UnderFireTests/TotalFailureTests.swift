import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

/// A verifier of which every call fails, and that works again later.
@Suite("A verifier that fails throughout", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct TotalFailureTests {
    enum Failure: String, CaseIterable {
        case status
        case reset

        var script: FaultScript {
            switch self {
            case .status: .reply(FaultReply("500 Internal Server Error"))
            case .reset: .reset(at: .bodyByte(0))
            }
        }

        var codes: Set<String> { self == .status ? ["http_500"] : ["connection_reset", "connection_closed"] }
    }

    private static func plan(_ failure: Failure, until isHealthy: FlagSwitch) -> FirePlan {
        var plan = FirePlan()
        plan.verifier = { _ in isHealthy.isOn ? .answer(FaceIDReplies.answer) : failure.script }
        plan.settings.patience = .milliseconds(500)
        plan.settings.verifyConcurrency = 4
        return plan
    }

    /// Runs again a while later, against a verifier that works: everything is delivered.
    private static func expectRecovery(of range: FireRange, count: Int) async throws {
        try await range.reopen()
        let ending = try await range.run([], later: .seconds(600), change: { $0.settings.patience = .seconds(40) })
        #expect(ending == .complete)
        #expect(try await range.counts() == [.delivered: count])
        expectOneDocumentEach(in: range.ledger, count: count)
    }

    @Test(
        "Retries stay within the budget, attempts are kept, and a later run delivers all",
        arguments: Failure.allCases
    )
    func budget(failure: Failure) async throws {
        let count = 20
        let isHealthy = FlagSwitch()
        var plan = Self.plan(failure, until: isHealthy)
        plan.settings.breakerFailures = 0
        plan.settings.retryBudgetRatio = 0.2
        plan.settings.retryBudgetFloor = 1
        try await withFireRange(plan) { range async throws in
            let items = try range.fronts(count)
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try await range.run(items) == .patienceExhausted)
            let windows = Int(start.duration(to: clock.now).inSeconds / 10) + 1
            let calls = range.verifications.entries
            #expect(calls.allSatisfy { $0.failureClass == .transient && failure.codes.contains($0.code) })
            #expect(Set(calls.map(\.subject)).count == count)
            // In ten seconds 0.2 retries per first attempt, and one per second; the run mostly lies within ten.
            #expect(calls.count > count)
            #expect(calls.count - count <= windows * (count / 5 + 10))
            #expect(range.verifier.requests == calls.count)
            let cards = try await range.cards()
            #expect(cards.allSatisfy { $0.state == .prepared && $0.attempts == 0 })
            #expect(try await range.attemptCodes().allSatisfy { !$0.isEmpty })
            #expect(try await range.attemptCodes().joined().count == calls.count)
            isHealthy.turnOn()
            try await Self.expectRecovery(of: range, count: count)
        }
    }

    @Test(
        "The breaker leaves the verifier alone after ten failures; a later run delivers all",
        arguments: Failure.allCases
    )
    func breaker(failure: Failure) async throws {
        let isHealthy = FlagSwitch()
        try await withFireRange(Self.plan(failure, until: isHealthy)) { range async throws in
            #expect(try await range.run(range.fronts(15)) == .patienceExhausted)
            #expect(range.verifier.requests == 10)
            let cards = try await range.cards()
            #expect(cards.allSatisfy { $0.state == .prepared && $0.attempts == 0 })
            #expect(try await range.attemptCodes().joined().count == 10)
            isHealthy.turnOn()
            try await Self.expectRecovery(of: range, count: 15)
        }
    }

    @Test("At the settings as shipped, an outage ends no card, be there one, two or many", arguments: [1, 2, 15])
    func shippedSettings(count: Int) async throws {
        let isHealthy = FlagSwitch()
        var plan = Self.plan(.status, until: isHealthy)
        plan.settings = EngineSettings()
        plan.settings.retry = RetryPolicy(base: .milliseconds(1), cap: .milliseconds(5))
        plan.settings.patience = .seconds(2)
        try await withFireRange(plan) { range async throws in
            let items = try range.fronts(count)
            for hour in 0..<3 {
                // Long enough for the age of a card to count, if it did.
                #expect(try await range.run(items, later: .seconds(hour * 100_000)) == .patienceExhausted)
            }
            #expect(range.verifier.requests >= 10)
            #expect(try await range.cards().allSatisfy { $0.state == .prepared && $0.attempts == 0 })
            isHealthy.turnOn()
            try await range.reopen()
            let ending = try await range.run(
                [],
                later: .seconds(400_000),
                change: { $0.settings = FirePlan().settings }
            )
            #expect(ending == .complete)
            #expect(try await range.counts() == [.delivered: count])
        }
    }
}
