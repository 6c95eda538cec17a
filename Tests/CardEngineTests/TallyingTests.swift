import CardEngine
import CardModel
import Synchronization
import TestSupport
import Testing

@testable import CardStore

/// Figures over time while an engine works.
@Suite(.timeLimit(.minutes(5))) struct TallyingTests {
    let harness: EngineHarness
    var time: ManualTime { self.harness.time }

    init() async throws { self.harness = try await EngineHarness() }

    private func sums() async throws -> [Int] {
        let figures = try await harness.store.listings.throughput(.hour, now: time.now)
        return [figures.admitted, figures.verified, figures.delivered].map { $0.reduce(0, +) }
    }

    @Test func `a process that goes on adds what happened to the figures`() async throws {
        let items = try harness.items(["N1": ["front"], "N2": ["front"]]).flatMap(\.self)
        try await harness.take(items, harness.settings(), time, until: .seconds(30))
        #expect(try await self.sums() == [2, 2, 2])
    }

    @Test func `a batch adds to the figures, too`() async throws {
        let failure = RemoteFailure.specimen(.transient, code: "LATER")
        harness.state.withLock { $0.verifyFailures["N1"] = [failure] }
        let items = try harness.items(["N1": ["front"]])
        let settings = harness.settings { $0.retry = RetryPolicy(base: .seconds(60), cap: .seconds(60)) }
        try await time.passing { [harness, time] in try await harness.run(items, settings, time: time.engineTime) }
        #expect(try await harness.states() == ["N1 front": "delivered"])
        #expect(try await self.sums().first == 1)
    }

    @Test func `figures that cannot be written stop no card, and are written later`() async throws {
        try await harness.store.write { _ = try $0.run("ALTER TABLE tally RENAME TO away") }
        let item = try harness.items(["N1": ["front"]])[0][0]
        try await time.passing(whenAsleep: 7) { [harness, time] in
            try await harness.withEngine(time: time.engineTime) { engine in
                try await engine.run {
                    _ = try await engine.intake().admit(item)
                    await time.reached(.seconds(35))
                    #expect(try await harness.states() == ["N1 front": "delivered"])
                    #expect(
                        try await harness.store.read { try $0.value("SELECT tallied FROM store", as: Int.self) } == 0
                    )
                    try await harness.store.write { _ = try $0.run("ALTER TABLE away RENAME TO tally") }
                    await time.reached(time.elapsed + .seconds(30))
                }
            }
        }
        #expect(try await self.sums() == [1, 1, 1])
    }
}
