import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import Testing

@Suite struct JointDeliveryTests {
    @Test func `a batch keeps to its bytes, and a larger card goes alone`() async throws {
        let harness = try await EngineHarness()
        let settings = harness.settings {
            $0.policy = ApplicationPolicy(layout: .batch)
            $0.batchWait = .milliseconds(50)
            // Each photo is "N1 front": eight bytes.
            $0.batchMaxBytes = 20
            $0.delivery.concurrency = 1
        }
        let photos = (1...5).map { ("N\($0)", ["front"]) }
        try await harness.run(harness.items(photos), settings)
        #expect(Set(try await harness.states().values) == ["delivered"])
        #expect(harness.delivered.allSatisfy { $0.count <= 2 })
        #expect(harness.delivered.joined().count == 5)
    }

    @Test func `front and back go in one form, however large they are`() async throws {
        let harness = try await EngineHarness()
        let settings = harness.settings {
            $0.policy = ApplicationPolicy(layout: .application)
            $0.batchMaxBytes = 1
        }
        try await harness.run(harness.items(["N1": ["front", "back"]]), settings)
        #expect(harness.delivered == [["N1 front", "N1 back"]])
    }

    @Test func `a TOKEN refused for one member of a delivery is fetched again`() async throws {
        let harness = try await EngineHarness()
        let refusal = EngineHarness.failure(.stop, code: "TOKEN")
        harness.state.withLock { state in
            state.tokens = ["TOKEN-1", "TOKEN-2"]
            state.deliveries = [{ _ in .items([.notApplied(refusal), .notApplied(refusal)]) }]
        }
        let settings = harness.settings { $0.policy = ApplicationPolicy(layout: .application) }
        let end = try await harness.run(harness.items(["N1": ["front", "back"]]), settings)
        #expect(end.stopped.isEmpty)
        #expect(harness.state.withLock { $0.tokens } == ["TOKEN-2"])
        #expect(harness.delivered.joined().count == 2)
    }

    @Test func `a photo that a newer one replaces is told of`() async throws {
        let harness = try await EngineHarness()
        let settings = harness.settings { $0.verification.concurrency = 1 }
        try await harness.run(harness.items(["N1": ["front", "front again"]]), settings)
        let told = harness.state.withLock { state in
            state.events.compactMap { event -> CardState? in
                guard case .changed(let change) = event, change.state == .superseded else { return nil }
                return change.state
            }
        }
        #expect(told.count == 1)
    }
}
