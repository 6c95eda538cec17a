import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

// Refusals in a row by a code of no list.
extension StopTests {
    private static func unlisted(_ code: String = "100009") -> RemoteFailure {
        var failure = RemoteFailure(.rejected, code: code, message: "what happened", httpStatus: 200)
        failure.isUnlisted = true
        return failure
    }

    @Test(
        "A wrong TOKEN that no list names rejects nothing; with the right one all is delivered",
        arguments: StoreKind.allCases
    )
    func wrongToken(kind: StoreKind) async throws {
        let backend = LedgerBackend { attempt, _ in
            attempt.values["TOKEN"] == "token-1" ? .instead(.failed(Self.unlisted())) : .none
        }
        let time = PacingVirtualTime()
        let harness = try PipelineHarness(kind, backend: backend, time: time.port) {
            $0.deliverConcurrency = 1
            $0.patience = .seconds(4)
        }
        let items = try (1...20).map { try Self.front(harness, $0) }
        let engine = harness.engine()
        let start = time.now
        #expect(try await engine.runBatch(items) == .patienceExhausted)
        #expect(engine.pauses[.deliver]?.code == "100009")
        // Three in a row, and probes each twice as late; how many depends on how long others are still verified meanwhile.
        let tried = backend.attempts.map { $0.values["BUSINESSNO"] }
        #expect(tried.count >= 6)
        #expect(tried.count <= 3 + Self.mostProbes(until: time.now, from: start))
        #expect(Set(tried).count == tried.count)
        #expect(try await harness.cards().allSatisfy { $0.state == .verified || $0.state == .delivering })
        backend.renewToken("token-2")
        #expect(try await harness.run(items) == .complete)
        // What was formed with the old TOKEN is refused once more, under its own key, and goes by then.
        #expect(try await harness.run(items) == .complete)
        #expect(backend.accepted.allSatisfy { $0.values["TOKEN"] == "token-2" })
    }

    @Test("Refusals in a row are counted over runs, and end with a card that is taken", arguments: StoreKind.allCases)
    func overRuns(kind: StoreKind) async throws {
        let refused = Mutex<Set<String>>(["B-1", "B-2", "B-4", "B-5", "B-6"])
        let backend = LedgerBackend { attempt, _ in
            refused.withLock { $0.contains(attempt.values["BUSINESSNO"] ?? "") }
                ? .instead(.failed(Self.unlisted("555"))) : .none
        }
        let harness = try PipelineHarness(kind, backend: backend)
        for index in 1...5 { #expect(try await harness.run([try Self.front(harness, index)]) == .complete) }
        let rejected = "rejected:555"
        #expect(try await harness.states() == [rejected, rejected, "delivered", rejected, rejected])
        #expect(try await harness.run([try Self.front(harness, 6)]) == .patienceExhausted)
        // The three since the last that was taken.
        #expect(
            try await harness.cards().map(\.state) == [.rejected, .rejected, .delivered]
                + harness.cards().suffix(3).map(\.state)
        )
        #expect(try await harness.cards().suffix(3).allSatisfy { $0.state == .verified || $0.state == .delivering })
        #expect(try await harness.run([try Self.front(harness, 7)]) == .complete)
        #expect(
            try await harness.states()
                == [rejected, rejected, "delivered", rejected, rejected, rejected, "delivered"]
        )
    }

    @Test("Refusals in a row that are concluded beside each other stop as well", arguments: StoreKind.allCases)
    func besideEachOther(kind: StoreKind) async throws {
        for _ in 0..<10 {
            let harness = try PipelineHarness(
                kind,
                backend: LedgerBackend { _, _ in .instead(.failed(Self.unlisted())) },
                time: PacingVirtualTime().port
            ) { $0.patience = .seconds(4) }
            let engine = harness.engine()
            #expect(try await engine.runBatch(try (1...3).map { try Self.front(harness, $0) }) == .patienceExhausted)
            #expect(engine.pauses[.deliver]?.code == "100009")
            #expect(try await harness.store.stateCounts()[.rejected] == nil)
        }
    }

    @Test("What may be at the backend is held, not rejected, by what a wrong TOKEN gets", arguments: StoreKind.allCases)
    func mayBeAtBackend(kind: StoreKind) async throws {
        let calls = CallCounter()
        let backend = LedgerBackend { _, _ in
            calls.next() <= 5
                ? .instead(.failed(RemoteFailure(.unknown, code: "reset", message: "m")))
                : .instead(.failed(Self.unlisted()))
        }
        let harness = try PipelineHarness(kind, backend: backend, time: PacingVirtualTime().port) {
            $0.deliverConcurrency = 1
            $0.patience = .seconds(4)
        }
        let engine = harness.engine()
        #expect(try await engine.runBatch(try (1...8).map { try Self.front(harness, $0) }) == .patienceExhausted)
        #expect(engine.pauses[.deliver]?.code == "100009")
        let counts = try await harness.store.stateCounts()
        #expect(counts[.rejected] == nil && counts[.held] != nil, "\(counts)")
        #expect(try await harness.cards().allSatisfy { $0.state != .held || $0.reason == .outcomeUnknown })
    }

    @Test("What a process refused that was killed before it stopped is judged again", arguments: StoreKind.allCases)
    func killedBeforeStop(kind: StoreKind) async throws {
        let isRight = CallCounter()
        let backend = LedgerBackend { _, _ in isRight.current > 0 ? .none : .instead(.failed(Self.unlisted("555"))) }
        let harness = try PipelineHarness(kind, backend: backend) { $0.equalRefusals = 0 }
        // Refused as by a process that has not come to stop.
        #expect(try await harness.run(try (1...3).map { try Self.front(harness, $0) }) == .complete)
        #expect(try await harness.store.stateCounts() == [.rejected: 3])
        _ = isRight.next()
        #expect(try await harness.engine(equalRefusals: 4).runBatch([]) == .complete)
        #expect(try await harness.store.stateCounts() == [.rejected: 3], "three are not too many there")
        #expect(try await harness.engine(equalRefusals: 3).runBatch([]) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 3])
    }

    @Test("Three cards of one business number are one, and a limit of 0 never stops", arguments: StoreKind.allCases)
    func neverStops(kind: StoreKind) async throws {
        let backend = LedgerBackend { _, _ in .instead(.failed(Self.unlisted("555"))) }
        let harness = try PipelineHarness(kind, backend: backend) { $0.equalRefusals = 0 }
        #expect(try await harness.run(try (1...8).map { try Self.front(harness, $0) }) == .complete)
        #expect(try await harness.store.stateCounts() == [.rejected: 8])
        let one = try PipelineHarness(kind, backend: backend)
        let items = try (1...4).map { try one.photo("\($0).jpg", "front;\(Holder.first);\($0)") }
        for item in items { _ = try await one.run([item]) }
        #expect(try await one.store.stateCounts()[.rejected] == 4)
        #expect(try await one.store.pauses().isEmpty)
    }

    @Test("A TOKEN code for one card beside others that are taken stops nothing", arguments: StoreKind.allCases)
    func oneTokenCode(kind: StoreKind) async throws {
        let expired = Self.stop("100001", status: 200)
        let backend = LedgerBackend(
            grouping: .batch(maximumCards: 4, maximumBytes: .max, wait: .milliseconds(10))
        ) { attempt, _ in
            let items = attempt.texts.filter { $0.hasPrefix("B-") }.map { number -> DeliveryItemOutcome in
                number == "B-2" ? .notApplied(expired) : .accepted(alreadyExisted: false, code: "0")
            }
            return .instead(.items(items))
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = try (1...12).map { try Self.front(harness, $0) }
        _ = try await harness.run(items)
        #expect(try await harness.store.stateCounts()[.delivered] == 11)
        // With others once more, it is certain.
        _ = try await harness.run([try Self.front(harness, 13), try Self.front(harness, 14)])
        #expect(try await harness.states()[1] == "failed:100001")
    }

    @Test("Answers card by card count in the same way", arguments: StoreKind.allCases)
    func itemByItem(kind: StoreKind) async throws {
        let isRight = CallCounter()
        let backend = LedgerBackend(
            grouping: .batch(maximumCards: 4, maximumBytes: .max, wait: .milliseconds(10))
        ) { attempt, _ in
            let item: DeliveryItemOutcome =
                isRight.current > 0 ? .accepted(alreadyExisted: false, code: "0") : .rejected(Self.unlisted())
            return .instead(.items(attempt.images.map { _ in item }))
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = try (1...12).map { try Self.front(harness, $0) }
        #expect(try await harness.run(items) == .patienceExhausted)
        #expect(try await harness.store.stateCounts()[.rejected] == nil)
        _ = isRight.next()
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 12])
    }
}
