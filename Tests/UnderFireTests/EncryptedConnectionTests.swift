import IDCardCore
import IDCardPipeline
import IDCardTesting
import OutboundHTTP
import Testing

/// TLS between the pipeline and both remote sides, with an authority of our own.
@Suite("Encrypted connections to both sides", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct EncryptedConnectionTests {
    private static func plan(_ authority: ThrowawayAuthority) throws -> FirePlan {
        var plan = FirePlan()
        plan.verifierOptions.tls = authority.server
        plan.backendOptions.tls = authority.server
        plan.http.tls = try authority.trusted()
        return plan
    }

    @Test("Cards go through, and a lost answer is made up for, as in plain text")
    func endToEnd() async throws {
        var plan = try Self.plan(try await ThrowawayAuthority("own"))
        plan.verifierScripts(.reset(at: .bodyByte(100)))
        plan.backendScripts { ledger in
            [.commit({ ledger.commit($0) }, then: .close), .commit({ ledger.commit($0) }, then: .reset)]
        }
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.pair("B-1") + range.pair("B-2")) == .complete)
            #expect(try await range.counts() == [.delivered: 4])
            #expect(range.verifier.requests == 5)
            #expect(range.backend.requests == 6)
            try expectIdenticalRepeats(at: range.backend)
            expectOneDocumentEach(in: range.ledger, count: 4)
        }
    }

    @Test("A verifier of another authority gets nothing, and the cards keep their state")
    func wrongVerifier() async throws {
        let own = try await ThrowawayAuthority("own")
        var plan = try Self.plan(own)
        plan.verifierOptions.tls = try await ThrowawayAuthority("other").server
        plan.settings.patience = .milliseconds(300)
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(2)) == .patienceExhausted)
            #expect(range.verifier.requests == 0)
            #expect(Set(range.verifications.classes) == [.notSent])
            #expect(Set(try await range.attemptCodes().joined()) == ["tls_untrusted"])
            #expect(try await range.cards().allSatisfy { $0.state == .prepared && $0.attempts == 0 })
        }
    }

    @Test("A backend of another authority gets nothing; trusted, it gets the same delivery")
    func wrongBackend() async throws {
        let own = try await ThrowawayAuthority("own")
        let other = try await ThrowawayAuthority("other")
        var plan = try Self.plan(own)
        plan.backendOptions.tls = other.server
        plan.settings.patience = .milliseconds(300)
        plan.settings.onUnknown = .hold
        let both = try TLSSettings(trust: .certificates([.bytes(own.root), .bytes(other.root)]))
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1)) == .patienceExhausted)
            #expect(range.backend.requests == 0)
            #expect(Set(range.deliveries.classes) == [.notSent])
            // The first attempt is the verifier's, which was trusted.
            #expect(Set(try await range.attemptCodes().joined()) == ["ok", "tls_untrusted"])
            #expect(try await range.cards().allSatisfy { $0.state == .delivering && $0.attempts == 0 })
            let key = range.deliveries.entries.first?.subject
            try await range.reopen()
            #expect(try await range.run([], later: .seconds(600), change: { $0.http.tls = both }) == .complete)
            #expect(try await range.states() == ["delivered"])
            #expect(range.ledger.documents.map(\.key) == [key])
        }
    }
}
