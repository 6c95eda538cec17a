import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// Servers that answer 413 at the head, while the body is still being sent.
@Suite("Bodies that are refused before they have ended", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct TooLargeTests {
    /// More than the buffers of both sockets hold: the answer meets the sender in the middle.
    private static let imageBytes = 8 << 20

    private static func early(_ then: FaultScript.AfterEarlyReply) -> FaultScript {
        // A server that takes in the rest may have all of it before the client gives up: it says that it serves no more.
        let reply = FaultReply(
            "413 Payload Too Large",
            headers: ["Connection: close"],
            body: "Request Entity Too Large"
        )
        return .earlyReply(then == .drain ? reply : .tooLarge, then: then)
    }

    @Test(
        "The verifier's first 413 makes the image smaller once, and it is delivered so",
        arguments: FaultScript.AfterEarlyReply.allCases
    )
    func shrunk(then: FaultScript.AfterEarlyReply) async throws {
        var plan = FirePlan()
        plan.verifierScripts(Self.early(then))
        plan.settings.verifyMaximumAttempts = 1
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1, bytes: Self.imageBytes)) == .complete)
            #expect(try await range.states() == ["delivered"])
            #expect(try await range.cards().map(\.isShrunk) == [true])
            #expect(range.verifications.classes == [.shrink, .accepted])
            #expect(range.verifier.requests == 2)
            expectOneDocumentEach(in: range.ledger, count: 1)
            #expect(range.ledger.documents.map(\.image.count) == [Self.imageBytes / 2])
        }
    }

    @Test("The verifier's second 413 rejects the card", arguments: FaultScript.AfterEarlyReply.allCases)
    func refusedTwice(then: FaultScript.AfterEarlyReply) async throws {
        var plan = FirePlan()
        plan.verifier = { _ in Self.early(then) }
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1, bytes: Self.imageBytes)) == .complete)
            #expect(try await range.states() == ["rejected:image_too_large"])
            #expect(range.verifications.classes == [.shrink, .shrink])
            #expect(range.verifier.requests == 2)
            #expect(range.backend.requests == 0)
        }
    }

    @Test(
        "The backend's 413 is a definite no, and the next card is delivered",
        arguments: FaultScript.AfterEarlyReply.allCases
    )
    func backend(then: FaultScript.AfterEarlyReply) async throws {
        var plan = FirePlan()
        plan.backendScripts { _ in [Self.early(then)] }
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(1, bytes: Self.imageBytes)) == .complete)
            #expect(try await range.states() == ["rejected:http_413"])
            #expect(range.backend.requests == 1)
            #expect(try await range.run(range.pair("B-2")) == .complete)
            #expect(try await range.states() == ["rejected:http_413", "delivered", "delivered"])
            #expect(range.backend.requests == 3)
            expectOneDocumentEach(in: range.ledger, count: 2)
        }
    }
}
