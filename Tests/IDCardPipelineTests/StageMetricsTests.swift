import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import MetricsTestKit
import Testing

/// What the stages tell of themselves in figures.
@Suite("Figures of the stages", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct StageMetricsTests {
    /// The sum under a name and labels.
    private static func total(
        _ metrics: TestMetrics,
        _ label: String,
        _ dimensions: (String, String)...
    ) throws -> Int64 {
        try metrics.expectCounter(label, dimensions).totalValue
    }

    @Test("Every piece of work is counted once by how it ended, and every card by the states it entered")
    func counted() async throws {
        let metrics = TestMetrics()
        let verifier = ScriptedVerifier { call in
            call.earlierCalls == 0
                ? .failed(RemoteFailure(.transient, code: "timeout", message: "x"))
                : .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, metrics: metrics)
        let photo = try harness.photo("1.jpg", "front;\(Holder.first)")
        let items = [photo, try harness.photo("2.jpg", "broken")]
        #expect(try await harness.run(items) == .complete)
        try await harness.run([photo])

        let calls = "idcard.stage.calls"
        #expect(try Self.total(metrics, calls, ("stage", "prepare"), ("outcome", "accepted")) == 1)
        #expect(try Self.total(metrics, calls, ("stage", "prepare"), ("outcome", "rejected")) == 1)
        #expect(try Self.total(metrics, calls, ("stage", "verify"), ("outcome", "transient")) == 1)
        #expect(try Self.total(metrics, calls, ("stage", "verify"), ("outcome", "accepted")) == 1)
        #expect(try Self.total(metrics, calls, ("stage", "deliver"), ("outcome", "accepted")) == 1)
        #expect(try Self.total(metrics, calls, ("stage", "fetch"), ("outcome", "accepted")) == 0)
        let durations = try metrics.expectTimer("idcard.stage.duration", [("stage", "verify")])
        #expect(durations.values.count == 2)
        #expect(try Self.total(metrics, "idcard.inputs", ("result", "admitted")) == 2)
        #expect(try Self.total(metrics, "idcard.inputs", ("result", "duplicate")) == 1)
        for state in ["verified", "delivered"] {
            #expect(try Self.total(metrics, "idcard.cards_entered", ("state", state)) == 1, "\(state)")
        }
    }
}
