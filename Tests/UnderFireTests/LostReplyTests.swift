import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// A backend that takes a document in, and whose answer never arrives.
@Suite("Answers that are lost after the backend has committed", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct LostReplyTests {
    /// How the answer is lost.
    enum Loss: String, CaseIterable {
        case close
        case reset
        case silence
        case halfAnswerThenClose
        case halfAnswerThenSilence

        /// Whether only the deadline ends the attempt.
        var isSilent: Bool { self == .silence || self == .halfAnswerThenSilence }

        func script(_ ledger: Ledger) -> FaultScript {
            switch self {
            case .close: .commit({ ledger.commit($0) }, then: .close)
            case .reset: .commit({ ledger.commit($0) }, then: .reset)
            case .silence: .commit({ ledger.commit($0) }, then: .silence)
            case .halfAnswerThenClose, .halfAnswerThenSilence:
                .answer { request in
                    ledger.commit(request)
                    return FaultReply(raw: "HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\n{\"RETCODE\":\"0000")
                }
            }
        }
    }

    private static func plan(_ loss: Loss, losses: Int = 1) -> FirePlan {
        var plan = FirePlan()
        plan.backendScripts { ledger in Array(repeating: loss.script(ledger), count: losses) }
        if loss.isSilent { plan.backendTimeout = .seconds(3) }
        if loss == .halfAnswerThenClose { plan.backendOptions.connectionLife = .closesIdle(afterReplies: 1) }
        return plan
    }

    @Test("The same bytes come again under the same key and make no second document", arguments: Loss.allCases)
    func resent(loss: Loss) async throws {
        try await withFireRange(Self.plan(loss)) { range async throws in
            #expect(try await range.run(range.fronts(1)) == .complete)
            #expect(try await range.states() == ["delivered"])
            #expect(range.deliveries.classes == [.unknown, .accepted])
            if loss.isSilent { #expect(range.deliveries.codes[0] == "deadline_exceeded") }
            let counts = try expectIdenticalRepeats(at: range.backend)
            #expect(Array(counts.values) == [2])
            expectOneDocumentEach(in: range.ledger, count: 1)
        }
    }

    @Test("Where a person is to decide, one attempt is made and the card held", arguments: Loss.allCases)
    func held(loss: Loss) async throws {
        var plan = Self.plan(loss)
        plan.settings.onUnknown = .hold
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1)) == .complete)
            #expect(try await range.states() == ["held:outcome_unknown"])
            #expect(range.deliveries.classes == [.unknown])
            #expect(range.backend.requests == 1)
            expectOneDocumentEach(in: range.ledger, count: 1)
            // A later run does not take it up again.
            #expect(try await range.run([], later: .seconds(3600)) == .complete)
            #expect(range.backend.requests == 1)
        }
    }

    @Test(
        "An answer that is lost every time leaves the card held as unknown, with one document",
        arguments: [Loss.close, .reset]
    )
    func usedUp(loss: Loss) async throws {
        var plan = Self.plan(loss, losses: 100)
        plan.settings.deliverMaximumAttempts = 3
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1)) == .complete)
            #expect(try await range.states() == ["held:outcome_unknown"])
            #expect(range.deliveries.classes == [.unknown, .unknown, .unknown])
            let counts = try expectIdenticalRepeats(at: range.backend)
            #expect(Array(counts.values) == [3])
            expectOneDocumentEach(in: range.ledger, count: 1)
        }
    }

    @Test("Every answer of twelve is lost once: twelve documents, each key seen twice")
    func many() async throws {
        var plan = FirePlan()
        // Breaker and budget have tests of their own; here half of all calls fail on purpose.
        plan.settings.breakerFailures = 0
        plan.backend = { request, ledger in
            .commit({ ledger.commit($0) }, then: request.isMultiple(of: 2) ? .close : .reset)
        }
        let isHealthy = FlagSwitch()
        let lossy = plan.backend
        plan.backend = { request, ledger in
            isHealthy.isOn ? .answer { ledger.answer($0) } : lossy(request, ledger)
        }
        plan.settings.patience = .milliseconds(500)
        plan.settings.retry = RetryPolicy(base: .seconds(86_400), cap: .seconds(86_400))
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(12)) == .patienceExhausted)
            #expect(range.backend.requests == 12)
            #expect(try await range.cards().allSatisfy { $0.state == .delivering && $0.attempts == 1 })
            isHealthy.turnOn()
            try await range.reopen()
            #expect(try await range.run([], later: .seconds(100_000)) == .complete)
            #expect(try await range.counts() == [.delivered: 12])
            let counts = try expectIdenticalRepeats(at: range.backend)
            #expect(counts.values.sorted() == Array(repeating: 2, count: 12))
            expectOneDocumentEach(in: range.ledger, count: 12)
        }
    }
}
