import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// How a batch ends that does not come to its end by itself.
@Suite(.timeLimit(.minutes(5))) struct EndingTests {
    let harness: EngineHarness
    var time: ManualTime { harness.time }

    init() async throws { self.harness = try await EngineHarness() }

    @Test func `an error of the sandbox is told after what is under way was concluded`() async throws {
        let (isSending, isEnding) = (Happening(), Happening())
        let settings = harness.settings { $0.shutdownTimeout = .seconds(77) }
        harness.state.withLock { state in
            state.onDeliver = {
                isSending.happen()
                // The error has been met: whoever waits for the end counts down to cutting calls off.
                try await isEnding.wait()
            }
            state.onVerify = { photo, _ in
                guard photo == "N2 front" else { return }
                try await isSending.wait()
                try harness.removeWorkerLock()
            }
        }
        let system = EngineTime.system
        let time = EngineTime(now: system.now, steady: system.steady) { duration in
            guard duration == .seconds(77) else { return try await Task.sleep(for: duration) }
            isEnding.happen()
            // On a busy machine what is under way may take longer than that: it is not to be cut off here.
            try await Task.sleep(for: .seconds(3600))
        }
        let items = try harness.items(["N1": ["front"], "N2": ["front"]])
        let error = await #expect(throws: CodedError.self) { _ = try await harness.run(items, settings, time: time) }
        #expect(error?.code == .sandboxUnavailable)
        #expect(try await harness.states() == ["N1 front": "delivered", "N2 front": "verified"])
    }

    @Test(arguments: [false, true])
    func `a cancelled run ends in order, and the next goes on`(whileDelivering: Bool) async throws {
        let (isUnderWay, never) = (Happening(), Happening())
        let calls = Counter()
        let call: @Sendable () async throws -> Void = {
            #expect(calls.next() == 1, "nothing else is begun")
            isUnderWay.happen()
            try await never.wait()
        }
        harness.state.withLock { state in
            if whileDelivering { state.onDeliver = call } else { state.onVerify = { _, _ in try await call() } }
        }
        let items = try harness.items(["N1": ["front"], "N2": ["front"], "N3": ["front"]])
        let settings = harness.settings {
            $0.verification.concurrency = whileDelivering ? 32 : 1
            $0.delivery.concurrency = 1
        }
        let run = Task { try await harness.run(items, settings) }
        try await isUnderWay.wait()
        run.cancel()
        #expect(try await run.value.isEmpty)
        #expect(try await !harness.states().values.contains("delivered"))
        harness.state.withLock { ($0.onVerify, $0.onDeliver) = (nil, nil) }
        try await harness.run(items)
        #expect(Set(try await harness.states().values) == ["delivered"])
    }

    @Test func `a list waits while the queue is full, and goes on when a card has moved on`() async throws {
        let isTaken = Happening()
        let calls = Counter()
        try await fill()
        harness.state.withLock { state in
            state.onVerify = { _, _ in
                // The first call ends after the list has looked for room; the second when it has found some.
                if calls.next() == 1 { await time.reached(.seconds(3)) } else { try await isTaken.wait() }
            }
            state.onEvent = { event, engine in
                guard case .taken = event else { return }
                engine.stop()
                isTaken.happen()
            }
        }
        let items = try harness.items(["N1": ["front"]])
        let settings = harness.settings { $0.verification.concurrency = 1 }
        try await time.passing { try await harness.run(items, settings, time: time.engineTime) }
        let order = harness.reporting { event -> String? in
            switch event {
            case .taken: "taken"
            case .changed(let change): change.state.rawValue
            default: nil
            }
        }
        #expect(order.first == "verified")
        #expect(order.contains("taken"))
    }

    @Test(arguments: [FailureClass.stop, .transient])
    func `the rest of a list is left to a later run if the queue stays full`(failureClass: FailureClass) async throws {
        try await fill()
        let failures = Array(repeating: RemoteFailure.specimen(failureClass), count: 1000)
        harness.state.withLock { $0.verifyFailures["front"] = failures }
        let items = try harness.items(["N1": ["front"]])
        let settings = harness.settings()
        let stopped = try await time.passing { try await harness.run(items, settings, time: time.engineTime) }
        #expect(stopped.keys.contains(.verify) == (failureClass == .stop))
        // A stop is known after three rests; an outage may pass while the patience lasts.
        #expect((time.elapsed < settings.patience) == (failureClass == .stop))
        let mentioned = harness.reporting { event -> Bool? in
            switch event {
            case .taken, .refused: true
            default: nil
            }
        }
        #expect(mentioned.isEmpty)
    }

    /// Takes three prepared cards in, one more than may be under way from then on.
    private func fill() async throws {
        var random = SystemRandomNumberGenerator()
        let now = Timestamp(Date())
        for name in ["Q1 front", "Q2 front", "Q3 front"] {
            let jpeg = Data(name.utf8)
            let digest = ContentDigest(of: jpeg)
            let admission = NewCard(
                id: CardID.generate(at: now, using: &random),
                photo: Photo(
                    .bytes(jpeg, digest),
                    name: Redacted(name),
                    metadata: CardMetadata(businessNumber: BusinessNumber(stored: name))
                ),
                submitter: "local",
                source: digest,
                content: .prepared(PreparedImage(jpeg: jpeg, width: 100, height: 63, digest: digest)),
                waitsUntil: now
            )
            _ = try await harness.store.intake.admit([admission], now: now)
        }
        harness.state.withLock { $0.queueDepth = 2 }
    }
}
