import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@Suite("Front and back of one business number against each other", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct PairTests {
    private static func items(_ harness: PipelineHarness, validity: String) throws -> [IntakeItem] {
        [
            try harness.photo("f.jpg", "front;\(Holder.first)"),
            try harness.photo("b.jpg", "back;validity=\(validity)"),
        ]
    }

    private static let beforeBirth = "1980.01.01-长期"

    private static func warnings(_ harness: PipelineHarness) async throws -> [[String]] {
        var warnings: [[String]] = []
        for card in try await harness.cards() {
            let events = try #require(try await harness.store.details(of: card.id)).events
            warnings.append(events.filter { $0.kind == "warning" }.compactMap(\.code))
        }
        return warnings
    }

    @Test("By default a pair that does not fit is delivered, and both histories say so", arguments: StoreKind.allCases)
    func warn(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        #expect(try await harness.run(try Self.items(harness, validity: Self.beforeBirth)) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(try await Self.warnings(harness) == [["issued_before_birth"], ["issued_before_birth"]])
    }

    @Test(
        "A rule set to reject or hold ends both before anything is sent, in every layout",
        arguments: [VerdictSeverity.reject, .hold],
        [DeliveryGrouping.single, .application, .batch(maximumCards: 4, maximumBytes: .max, wait: .zero)]
    )
    func refuse(severity: VerdictSeverity, grouping: DeliveryGrouping) async throws {
        let harness = try PipelineHarness(.sqlite, backend: LedgerBackend(grouping: grouping)) {
            $0.verdict = VerdictRules(severities: [.issuedBeforeBirth: severity])
        }
        #expect(try await harness.run(try Self.items(harness, validity: Self.beforeBirth)) == .complete)
        let state = severity == .reject ? "rejected:issued_before_birth" : "held:issued_before_birth"
        #expect(try await harness.states() == [state, state])
        #expect(harness.backend.attempts.isEmpty)
    }

    @Test("A back that comes after its front has gone is refused alone")
    func late() async throws {
        let harness = try PipelineHarness(.sqlite) {
            $0.verdict = VerdictRules(severities: [.issuedBeforeBirth: .reject])
        }
        let items = try Self.items(harness, validity: Self.beforeBirth)
        #expect(try await harness.run([items[0]]) == .complete)
        #expect(try await harness.run([items[1]]) == .complete)
        #expect(try await harness.states() == ["delivered", "rejected:issued_before_birth"])
    }

    @Test("A pair that fits leaves no warning")
    func fits() async throws {
        let harness = try PipelineHarness(.sqlite)
        #expect(try await harness.run(try Self.items(harness, validity: "2024.01.01-2044.01.01")) == .complete)
        #expect(try await Self.warnings(harness) == [[], []])
    }

    @Test("An image below the least size of the verifier is refused without a call")
    func tooSmall() async throws {
        let harness = try PipelineHarness(.sqlite, verifier: ScriptedVerifier(minimumEdge: 48))
        #expect(try await harness.run(try Self.items(harness, validity: "2024.01.01-2044.01.01")) == .complete)
        #expect(try await harness.states() == Array(repeating: "rejected:image_too_small_for_verifier", count: 2))
        #expect(harness.verifier.images.isEmpty)
    }

    @Test("A front that is held for another person's is not compared with the back", arguments: StoreKind.allCases)
    func conflict(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind) {
            $0.verdict = VerdictRules(severities: [.issuedBeforeBirth: .reject])
        }
        #expect(try await harness.run([try harness.photo("f.jpg", "front;\(Holder.first)")]) == .complete)
        let items = [
            try harness.photo("g.jpg", "front;\(Holder.second)"),
            try harness.photo("b.jpg", "back;validity=1995.01.01-2015.01.01"),
        ]
        try await harness.run(items)
        let states = try await harness.states()
        #expect(states.prefix(2) == ["delivered", "held:holder_conflict"])
    }
}
