import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Pauses that stand in the sandbox, and clocks that were wrong when they were written down.
@Suite(.timeLimit(.minutes(5))) struct PauseTests {
    /// A pause as a test row names it: what was written down, by the clock of now.
    struct Written: Sendable {
        var failureClass = FailureClass.throttled
        var until: Duration
        var setAt: Duration
        /// When the first call may go.
        var opens: Duration
    }

    @Test(arguments: [
        // Another process was asked to wait.
        Written(until: .seconds(3), setAt: .zero, opens: .seconds(3)),
        // Its clock was five hours ahead.
        Written(until: .seconds(5 * 3600), setAt: .seconds(5 * 3600 - 2), opens: .zero),
        // Its clock was behind.
        Written(until: .seconds(-3600), setAt: .seconds(-3603), opens: .zero),
        // Whoever starts a run may have put the cause of a stop right.
        Written(failureClass: .stop, until: .seconds(300), setAt: .zero, opens: .zero),
    ])
    func `a pause of another process is obeyed between its two ends, a stop is found out by a call`(written: Written)
        async throws
    {
        let (harness, time) = (try await EngineHarness(), ManualTime())
        try await harness.store.endpoints.pause(Self.pause(written, from: time.now))
        let firstCall = Mutex<Duration?>(nil)
        harness.state.withLock { $0.onVerify = { _, _ in firstCall.withLock { $0 = $0 ?? time.elapsed } } }
        let items = try harness.items(["N1": ["front"]])
        try await time.passing { try await harness.run(items, time: time.engineTime) }
        let called = try #require(firstCall.withLock { $0 })
        #expect(called >= written.opens && called <= written.opens + .seconds(1))
        #expect(try await harness.store.endpoints.pauses().isEmpty, "the first answer ends the pause")
        #expect(try await harness.states() == ["N1 front": "delivered"])
    }

    /// With a tenth of a call per second, a gate waits for its rate most of the time.
    @Test(arguments: [nil, 0.1])
    func `a throttle that another process writes down is obeyed by one that runs already`(rate: Double?) async throws {
        let (harness, time) = (try await EngineHarness(), ManualTime())
        let secondCall = Mutex<Duration?>(nil)
        harness.state.withLock { state in
            state.verifyFailures["N1 front"] = [RemoteFailure.specimen(.transient)]
            state.onVerify = { _, _ in
                guard harness.state.withLock({ $0.verified.count }) == 1 else {
                    return secondCall.withLock { $0 = time.elapsed }
                }
                let written = Written(until: .seconds(20), setAt: .zero, opens: .seconds(20))
                try await harness.store.endpoints.pause(Self.pause(written, from: time.now))
                // The call ends after a heartbeat, which reads what others wrote down.
                await time.reached(.seconds(5))
            }
        }
        let items = try harness.items(["N1": ["front"]])
        let settings = harness.settings { $0.verification.rate = rate }
        try await time.passing { try await harness.run(items, settings, time: time.engineTime) }
        #expect(try #require(secondCall.withLock { $0 }) >= .seconds(20))
    }

    /// The next try is due within microseconds: it must meet a gate that rests.
    @Test func `an endpoint that asks to be left alone is not called again by the card it told`() async throws {
        for _ in 0..<100 {
            let harness = try await EngineHarness()
            var throttle = RemoteFailure.specimen(.throttled)
            throttle.retryAfter = .seconds(600)
            harness.state.withLock { $0.verifyFailures["N1 front"] = [throttle] }
            let settings = harness.settings {
                $0.retry = RetryPolicy(base: .nanoseconds(1), cap: .nanoseconds(1))
                $0.patience = .seconds(60)
            }
            try await harness.run(try harness.items(["N1": ["front"]]), settings)
            #expect(harness.state.withLock { $0.verified.count } == 1)
        }
    }

    @Test func `an answer to a call that was under way before does not end what an endpoint asked for`() async throws {
        let harness = try await EngineHarness()
        var throttle = RemoteFailure.specimen(.throttled)
        throttle.retryAfter = .seconds(600)
        let (isUnderWay, isTold) = (Happening(), Happening())
        harness.state.withLock { state in
            state.verifyFailures["N1 front"] = [throttle]
            state.onEvent = { event, _ in if case .failed(.verify, _) = event { isTold.happen() } }
            state.onVerify = { photo, _ in
                guard photo.contains("N2") else { return try await isUnderWay.wait() }
                isUnderWay.happen()
                try await isTold.wait()
            }
        }
        let settings = harness.settings { $0.patience = .seconds(60) }
        try await harness.run(try harness.items(["N1": ["front"], "N2": ["front"]]), settings)
        #expect(try await harness.states()["N2 front"] == "delivered")
        #expect(try await harness.store.endpoints.pauses().map(\.host) == ["verifier:443"])
    }

    @Test func `an answer to a call of before does not end what another process was asked for since`() async throws {
        let (harness, time) = (try await EngineHarness(), ManualTime())
        let stop = Written(failureClass: .stop, until: .seconds(300), setAt: .seconds(-1), opens: .zero)
        try await harness.store.endpoints.pause(Self.pause(stop, from: time.now))
        harness.state.withLock { state in
            state.onVerify = { _, _ in
                let throttle = Written(until: .seconds(600), setAt: .zero, opens: .zero)
                try await harness.store.endpoints.pause(Self.pause(throttle, from: time.now))
            }
        }
        let items = try harness.items(["N1": ["front"]])
        try await time.passing { try await harness.run(items, time: time.engineTime) }
        #expect(try await harness.states() == ["N1 front": "delivered"])
        #expect(try await harness.store.endpoints.pauses().map(\.failureClass) == [.throttled])
    }

    @Test func `two calls that are throttled at once leave no pause once the endpoint answers again`() async throws {
        let harness = try await EngineHarness()
        let bothAreUnderWay = Happening()
        var throttle = RemoteFailure.specimen(.throttled)
        throttle.retryAfter = .milliseconds(1)
        harness.state.withLock { state in
            for number in ["N1", "N2"] { state.verifyFailures["\(number) front"] = [throttle] }
            state.onVerify = { _, _ in
                guard harness.state.withLock({ $0.verified.count }) == 1 else { return bothAreUnderWay.happen() }
                try await bothAreUnderWay.wait()
            }
        }
        let reporting = Mutex((pauses: 0, ends: 0))
        harness.state.withLock { state in
            state.onEvent = { event, _ in
                if case .paused = event { reporting.withLock { $0.pauses += 1 } }
                if case .resumed = event { reporting.withLock { $0.ends += 1 } }
            }
        }
        try await harness.run(try harness.items(["N1": ["front"], "N2": ["front"]]))
        let (pauses, ends) = reporting.withLock { $0 }
        #expect(pauses >= 1 && ends >= 1, "\(pauses) \(ends)")
        #expect(try await harness.store.endpoints.pauses() == [])
        #expect(harness.delivered.joined().count == 2)
    }

    private static func pause(_ written: Written, from now: Timestamp) -> EndpointPause {
        EndpointPause(
            stage: .verify,
            host: "verifier:443",
            after: RemoteFailure(written.failureClass, code: "CODE", message: "not now"),
            since: now,
            wait: Wait(from: now.advanced(by: written.setAt), until: now.advanced(by: written.until))
        )
    }
}
