import CardEngine
import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardStore

/// What becomes of cards outside a call to an endpoint is told, too: progress, counts and the exit code live on it.
@Suite(.timeLimit(.minutes(5))) struct TellingTests {
    private static func reporting(_ harness: EngineHarness) -> [String] {
        harness.reporting { event in
            guard case .changed(let change) = event else { return nil }
            return change.state.rawValue + (change.reason.map { " \($0.rawValue)" } ?? "")
        }
    }

    @Test func `a card that a dead process was sending is told of when it is held`() async throws {
        let harness = try await EngineHarness()
        let settings = harness.settings { $0.onUnknown = .hold }
        harness.state.withLock { state in
            state.onDeliver = {
                // Whoever removes the lock takes the process for dead; the next one takes its work over.
                try harness.removeWorkerLock()
                try await harness.run([], settings)
                #expect(Self.reporting(harness).contains("held outcome_unknown"))
            }
        }
        let items = try harness.items(["N1": ["front"]])
        _ = await #expect(throws: CodedError.self) { try await harness.run(items, settings) }
    }

    @Test(arguments: [false, true])
    func `a card that does not open when it is claimed is told of`(whileDelivering: Bool) async throws {
        let harness = try await EngineHarness()
        let failure = RemoteFailure.specimen(.transient)
        harness.state.withLock { state in
            if whileDelivering {
                state.onDeliver = { harness.state.withLock { $0.engine }?.stop() }
                state.deliveries = [{ _ in .failed(failure) }]
            } else {
                state.onVerify = { _, engine in engine.stop() }
                state.verifyFailures["front"] = [failure]
            }
        }
        let items = try harness.items(["N1": ["front"]])
        try await harness.run(items)
        #expect(try await harness.states() == ["N1 front": whileDelivering ? "delivering" : "prepared"])
        try await harness.store.database.write { tx in _ = try tx.run("UPDATE blob SET bytes = x'00'") }
        harness.store.preparedImages.drop([try await harness.onlyCard().card.id])
        harness.state.withLock { ($0.onDeliver, $0.onVerify) = (nil, nil) }
        try await harness.run(items)
        #expect(Self.reporting(harness).last == "failed stored_image_unreadable")
        #expect(try await harness.states() == ["N1 front": "failed stored_image_unreadable"])
    }

    @Test func `a decision of a page is carried out when its time is over, and the card goes on at once`() async throws
    {
        let harness = try await EngineHarness()
        harness.state.withLock { $0.onVerify = { _, engine in engine.stop() } }
        try await harness.run(try harness.items(["N1": ["front"]]))
        harness.state.withLock { $0.onVerify = nil }
        try await harness.store.database.write { tx in
            _ = try tx.run("UPDATE card SET state = 'held', reason = 'legality_low'")
        }
        let card = try await harness.onlyCard()
        let person = try AccessOrigin(.process, actor: "li.na", purpose: "T-1")
        let carriedOut = Mutex<[Duration]>([])
        harness.state.withLock { state in
            state.onEvent = { [time = harness.time] event, _ in
                guard case .changed(let change) = event, change.state == .prepared else { return }
                carriedOut.withLock { $0.append(time.elapsed) }
            }
        }
        let time = harness.time
        try await time.passing(whenAsleep: 8) {
            try await harness.withEngine(harness.settings(), time: time.engineTime) { engine in
                try await engine.run {
                    let (store, worker) = (harness.store, engine.worker)
                    _ = try await store.decisions.decide(
                        card.card.id,
                        .retry,
                        undoableIn: worker,
                        by: person,
                        now: time.now
                    )
                    await time.reached(.seconds(15))
                }
            }
        }
        #expect(try await harness.states() == ["N1 front": "delivered"])
        // Looked at every two seconds.
        #expect(carriedOut.withLock(\.self) == [.seconds(12)])
    }

    @Test func `each call of a stage is told of by how it ended`() async throws {
        let harness = try await EngineHarness()
        harness.state.withLock { state in
            state.verifyFailures["front 1"] = [RemoteFailure.specimen(.transient)]
            state.deliveries = [{ _ in .failed(.specimen(.throttled)) }]
        }
        try await harness.run(try harness.items(["N1": ["front 1"], "N2": ["broken"]]))
        let calls = harness.reporting { event in
            if case .called(let stage, let ended, _) = event { "\(stage.rawValue) \(ended.rawValue)" } else { nil }
        }
        #expect(
            calls.sorted() == [
                "deliver accepted", "deliver throttled", "prepare accepted", "prepare rejected", "verify accepted",
                "verify transient",
            ]
        )
    }
}
