import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// A connection that breaks within a request, at every kind of place: the card is delivered all the same, once.
@Suite("Connections that break within a request", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct ResetPointTests {
    /// Where the connection breaks.
    enum Place: String, CaseIterable {
        case head
        case boundary
        case image
        case afterBody

        var script: FaultScript {
            switch self {
            case .head: .reset(at: .connectionByte(20))
            case .boundary: .reset(at: .bodyByte(10))
            case .image: .reset(at: .bodyByte(1 << 20))
            case .afterBody: .reset(at: .requestEnd)
            }
        }
    }

    /// More bytes than the buffers of both sockets hold, so that a break in the middle meets the sender in the middle.
    private static let imageBytes = 6 << 20

    /// What a break may be called, as it depends on who notices it first.
    private static let breaks: Set<String> = ["connection_reset", "connection_closed"]

    @Test(
        "A delivery that breaks off is unknown, is sent again byte for byte, and makes one document",
        arguments: Place.allCases
    )
    func delivery(place: Place) async throws {
        var plan = FirePlan()
        plan.backendScripts { _ in [place.script] }
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1, bytes: Self.imageBytes)) == .complete)
            #expect(try await range.states() == ["delivered"])
            #expect(range.deliveries.classes == [.unknown, .accepted])
            #expect(Self.breaks.contains(range.deliveries.codes[0]))
            #expect(range.backend.requests == 2)
            try expectIdenticalRepeats(at: range.backend)
            expectOneDocumentEach(in: range.ledger, count: 1)
            #expect(range.ledger.documents.first?.image.count == Self.imageBytes)
        }
    }

    @Test(
        "A delivery that breaks off is held, and never sent again, where a person is to decide",
        arguments: Place.allCases
    )
    func held(place: Place) async throws {
        var plan = FirePlan()
        plan.backendScripts { _ in [place.script] }
        plan.settings.onUnknown = .hold
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1)) == .complete)
            #expect(try await range.states() == ["held:outcome_unknown"])
            #expect(range.deliveries.classes == [.unknown])
            #expect(range.backend.requests == 1)
            expectOneDocumentEach(in: range.ledger, count: 0)
        }
    }

    @Test("A verification that breaks off is made again, and the card delivered", arguments: Place.allCases)
    func verification(place: Place) async throws {
        var plan = FirePlan()
        plan.verifierScripts(place.script)
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1, bytes: Self.imageBytes)) == .complete)
            #expect(try await range.states() == ["delivered"])
            #expect(range.verifications.classes == [.transient, .accepted])
            #expect(Self.breaks.contains(range.verifications.codes[0]))
            #expect(range.verifier.requests == 2)
            #expect(range.deliveries.classes == [.accepted])
            expectOneDocumentEach(in: range.ledger, count: 1)
        }
    }

    @Test("A backend that refuses connections has got nothing: no attempt is spent, the same delivery goes later")
    func refused() async throws {
        let refusing = try RefusingPort()
        defer { refusing.close() }
        var plan = FirePlan()
        plan.settings.onUnknown = .hold
        plan.settings.deliverMaximumAttempts = 1
        try await withFireRange(plan) { range async throws in
            let ending = try await range.run(
                range.fronts(2),
                change: { $0.settings.patience = .milliseconds(300) },
                backendPort: refusing.port
            )
            #expect(ending == .patienceExhausted)
            #expect(try await range.states() == ["delivering", "delivering"])
            #expect(try await range.cards().allSatisfy { $0.attempts == 0 })
            #expect(Set(range.deliveries.entries.map(\.failureClass)) == [.notSent])
            #expect(Set(range.deliveries.codes) == ["connect_refused"])
            let keys = Set(range.deliveries.entries.map(\.subject))
            try await range.reopen()
            #expect(try await range.run([], later: .seconds(60)) == .complete)
            #expect(try await range.states() == ["delivered", "delivered"])
            #expect(range.backend.requests == 2)
            expectOneDocumentEach(in: range.ledger, count: 2)
            #expect(keys.isSubset(of: range.ledger.documents.map(\.key)))
        }
    }
}
