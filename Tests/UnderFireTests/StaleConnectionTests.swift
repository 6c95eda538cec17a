import IDCardCore
import IDCardPipeline
import IDCardTesting
import OutboundHTTP
import Testing

/// Servers that close a kept connection exactly when the next request begins on it.
@Suite("Kept connections that close when they are used again", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct StaleConnectionTests {
    private static func plan(_ ending: FaultScript.Ending, afterReplies: Int) -> FirePlan {
        var plan = FirePlan()
        plan.verifierOptions.connectionLife = .endsAtNextRequest(afterReplies: afterReplies, by: ending)
        plan.backendOptions.connectionLife = .endsAtNextRequest(afterReplies: afterReplies, by: ending)
        return plan
    }

    @Test(
        "Each card needs one further attempt at most, at once, and is delivered once",
        arguments: [FaultScript.Ending.close, .reset],
        [1, 3]
    )
    func oneByOne(ending: FaultScript.Ending, afterReplies: Int) async throws {
        var plan = Self.plan(ending, afterReplies: afterReplies)
        plan.settings.verifyConcurrency = 1
        plan.settings.deliverConcurrency = 1
        // A card that had to wait would wait for hours, and the run end without it.
        plan.settings.retry = RetryPolicy(base: .seconds(86_400), cap: .seconds(86_400))
        plan.settings.patience = .seconds(5)
        plan.http.poolIdleTimeout = .seconds(60)
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(8)) == .complete)
            #expect(try await range.counts() == [.delivered: 8])
            for (log, server) in [(range.verifications, range.verifier), (range.deliveries, range.backend)] {
                #expect(log.mostPerSubject == 2)
                #expect(Set(log.codes) == ["ok", "connection_stale"])
                // Of eight replies every so many are the last of their connection, but for the very last. A call that
                // begins before the connection of the last one is back in the pool opens another.
                #expect(log.codes.count { $0 == "connection_stale" } <= (8 - 1) / afterReplies)
                #expect(server.requests == log.entries.count)
            }
            expectOneDocumentEach(in: range.ledger, count: 8)
        }
    }

    @Test("With several at a time all are delivered once, too", arguments: [FaultScript.Ending.close, .reset])
    func severalAtATime(ending: FaultScript.Ending) async throws {
        var plan = Self.plan(ending, afterReplies: 4)
        plan.settings.verifyConcurrency = 4
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(40)) == .complete)
            #expect(try await range.counts() == [.delivered: 40])
            for log in [range.verifications, range.deliveries] {
                // Or closed just before the head was handed over, which is no attempt at all.
                let failures = log.entries.filter { $0.failureClass != .accepted }
                #expect(
                    failures.allSatisfy { $0.code == "connection_stale" || $0.failureClass == .notSent },
                    "\(failures)"
                )
                #expect(log.mostPerSubject <= 3)
            }
            try expectIdenticalRepeats(at: range.backend)
            expectOneDocumentEach(in: range.ledger, count: 40)
        }
    }
}
