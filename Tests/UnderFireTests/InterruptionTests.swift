import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// An engine that ends while the backend has committed and says nothing, and the next one over the same sandbox.
@Suite("Processes that end between commit and answer", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct InterruptionTests {
    /// A backend that commits its first request and stays silent, and tells when it has committed.
    private static func plan() -> (plan: FirePlan, committed: AsyncStream<Void>) {
        let (committed, tell) = AsyncStream.makeStream(of: Void.self)
        var plan = FirePlan()
        plan.backendScripts { ledger in
            let commit = FaultScript.commit(
                { request in
                    ledger.commit(request)
                    tell.yield()
                },
                then: .silence
            )
            return [commit]
        }
        return (plan, committed)
    }

    /// Runs until the backend has committed, then ends the engine.
    private static func interrupt(_ range: FireRange, _ items: [IntakeItem], after event: AsyncStream<Void>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) { try await range.run(items) }
            }
            for await _ in event { break }
            group.cancelAll()
        }
    }

    @Test("The next process sends the same bytes under the same key, and there is one document")
    func resent() async throws {
        let (plan, committed) = Self.plan()
        try await withFireRange(plan) { range async throws in
            await Self.interrupt(range, try range.fronts(1, bytes: 1 << 20), after: committed)
            #expect(range.ledger.documents.count == 1)
            #expect(try await range.states() == ["delivering"])
            #expect(try await range.cards().map(\.attempts) == [0])
            range.renewToken("token-2")
            try await range.reopen()
            #expect(try await range.run([]) == .complete)
            #expect(try await range.states() == ["delivered"])
            let counts = try expectIdenticalRepeats(at: range.backend)
            #expect(Array(counts.values) == [2])
            expectOneDocumentEach(in: range.ledger, count: 1)
            #expect(range.ledger.documents.map(\.token) == ["token-1"])
        }
    }

    @Test("Where a person is to decide, the next process holds the card and sends nothing")
    func held() async throws {
        var (plan, committed) = Self.plan()
        plan.settings.onUnknown = .hold
        try await withFireRange(plan) { range async throws in
            await Self.interrupt(range, try range.fronts(1), after: committed)
            try await range.reopen()
            #expect(try await range.run([]) == .complete)
            #expect(try await range.states() == ["held:outcome_unknown"])
            #expect(range.backend.requests == 1)
            expectOneDocumentEach(in: range.ledger, count: 1)
        }
    }

    @Test("An interrupted verification is made again and costs no attempt")
    func verification() async throws {
        let (reached, tell) = AsyncStream.makeStream(of: Void.self)
        var plan = FirePlan()
        plan.settings.verifyMaximumAttempts = 1
        plan.verifierScripts(.commit({ _ in tell.yield() }, then: .silence))
        try await withFireRange(plan) { range async throws in
            await Self.interrupt(range, try range.fronts(2), after: reached)
            #expect(try await range.cards().allSatisfy { $0.state == .prepared && $0.attempts == 0 })
            try await range.reopen()
            #expect(try await range.run([]) == .complete)
            #expect(try await range.cards().allSatisfy { $0.state == .delivered })
            expectOneDocumentEach(in: range.ledger, count: range.ledger.documents.count)
        }
    }
}
