import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("The pace of the engine before endpoints that throttle or fail", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct PacingEngineTests {
    private static func failure(_ failureClass: FailureClass, _ code: String = "http_500") -> RemoteFailure {
        RemoteFailure(failureClass, code: code, message: "what happened", httpStatus: 500)
    }

    private static func fronts(_ harness: PipelineHarness, _ count: Int) throws -> [IntakeItem] {
        try (0..<count).map { index in
            try harness.photo("\(index).jpg", "front;\(Holder.first);\(index)", number: "B-\(index)")
        }
    }

    /// When calls began and how they ended, by a virtual clock.
    private final class CallLog: Sendable {
        struct Entry: Sendable {
            var time: Timestamp
            var image: Data
            var isRetry: Bool
        }

        private struct State {
            var entries: [Entry] = []
            var seen: Set<Data> = []
            var inFlight = 0
            var throttled = 0
        }

        private let state = Mutex(State())
        let time: PacingVirtualTime

        init(_ time: PacingVirtualTime) {
            self.time = time
        }

        var entries: [Entry] { self.state.withLock { $0.entries } }
        var throttled: Int { self.state.withLock { $0.throttled } }

        /// Enters a call; returns its number from 1.
        @discardableResult
        func add(_ image: Data) -> Int {
            let now = self.time.now
            return self.state.withLock { state in
                let isRetry = !state.seen.insert(image).inserted
                state.entries.append(Entry(time: now, image: image, isRetry: isRetry))
                return state.entries.count
            }
        }

        /// Answers as an endpoint that allows so many calls at a time.
        func answer(_ image: Data, allowing allowed: Int, throttle: DeliveryOutcome? = nil) async -> Bool {
            let isAllowed = self.state.withLock { state in
                guard state.inFlight < allowed else {
                    state.throttled += 1
                    return false
                }
                state.inFlight += 1
                return true
            }
            guard isAllowed else { return false }
            // Long enough for the engine to begin what it may.
            for _ in 0..<50 { await Task.yield() }
            self.state.withLock { $0.inFlight -= 1 }
            return true
        }
    }

    @Test("A verifier that allows few calls at a time throttles at most one in a hundred", arguments: [1, 2, 3])
    func quota(allowed: Int) async throws {
        let time = PacingVirtualTime()
        let log = CallLog(time)
        let verifier = ScriptedVerifier { call in
            log.add(call.image)
            guard await log.answer(call.image, allowing: allowed) else {
                return .failed(Self.failure(.throttled, "CONCURRENCY_LIMIT_EXCEEDED"))
            }
            return .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: time.port) { $0.verifyConcurrency = 8 }
        #expect(try await harness.run(try Self.fronts(harness, 300)) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 300])
        #expect(harness.backend.accepted.count == 300)
        #expect(try await harness.cards().allSatisfy { $0.attempts == 0 })
        #expect(log.throttled >= 1, "it never tried more than one call")
        #expect(log.throttled * 100 <= log.entries.count)
    }

    @Test("While an endpoint wants to be left alone, no call of twenty waiting cards begins", arguments: [1, 4])
    func retryAfter(concurrency: Int) async throws {
        let time = PacingVirtualTime()
        let log = CallLog(time)
        let verifier = ScriptedVerifier { call in
            // The fourth call asks for half a minute; with four at a time others are under way.
            guard log.add(call.image) == 4 else { return .read(PhotoText(call.image).reading) }
            let failure = RemoteFailure(
                .throttled,
                code: "http_503",
                message: "m",
                httpStatus: 503,
                retryAfter: .seconds(30)
            )
            return .failed(failure)
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: time.port) {
            $0.verifyConcurrency = concurrency
            $0.patience = .seconds(60)
        }
        let start = time.now
        #expect(try await harness.run(try Self.fronts(harness, 24)) == .complete)
        #expect(harness.backend.accepted.count == 24)
        let early = log.entries.filter { $0.time < start.advanced(by: .seconds(30)) }
        #expect(early.count <= 4 + (concurrency - 1))
        #expect(log.entries.count == 25)
    }

    @Test("A delivery that is throttled holds up all deliveries for as long as the backend asks")
    func deliveryRetryAfter() async throws {
        let time = PacingVirtualTime()
        let times = CallLog(time)
        let backend = LedgerBackend { attempt, number in
            times.add(Data(attempt.key.utf8))
            let failure = RemoteFailure(.throttled, code: "http_503", message: "m", retryAfter: .seconds(20))
            return number == 1 ? .instead(.failed(failure)) : .none
        }
        let harness = try PipelineHarness(.memory, backend: backend, time: time.port) { $0.deliverConcurrency = 1 }
        let start = time.now
        #expect(try await harness.run(try Self.fronts(harness, 21)) == .complete)
        #expect(backend.accepted.count == 21)
        #expect(times.entries.filter { $0.time < start.advanced(by: .seconds(20)) }.count == 1)
    }

    @Test("Under total failure retries stay within the budget, and no card ends", arguments: [0, 10])
    func totalFailure(breakerFailures: Int) async throws {
        let time = PacingVirtualTime()
        let log = CallLog(time)
        let verifier = ScriptedVerifier { call in
            log.add(call.image)
            return .failed(Self.failure(.transient))
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: time.port) {
            $0.verifyConcurrency = 8
            $0.breakerFailures = breakerFailures
            $0.retryBudgetFloor = 1
            $0.patience = .seconds(300)
        }
        // The few calls that an open breaker lets through are made with cards that have not failed, as long as there are any.
        let count = breakerFailures == 0 ? 200 : 12
        #expect(try await harness.run(try Self.fronts(harness, count)) == .patienceExhausted)
        #expect(try await harness.store.stateCounts() == [.prepared: count])
        #expect(try await harness.cards().allSatisfy { $0.attempts == 0 })
        #expect(log.entries.contains { $0.isRetry })
        Self.expectWithinBudget(log.entries)
    }

    private static func expectWithinBudget(_ entries: [CallLog.Entry]) {
        for (index, entry) in entries.enumerated() where entry.isRetry {
            let begin = entry.time.advanced(by: .seconds(-10))
            let window = entries[...index].reversed().prefix { $0.time > begin }
            let retries = window.count { $0.isRetry }
            #expect(Double(retries) <= 0.2 * Double(window.count - retries) + 10)
        }
    }

    @Test("An endpoint that fails throughout ends a run after the patience; the breaker keeps the attempts")
    func patience() async throws {
        let time = PacingVirtualTime()
        let log = CallLog(time)
        let verifier = ScriptedVerifier { call in
            log.add(call.image)
            return .failed(Self.failure(.transient))
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: time.port) {
            $0.patience = .seconds(60)
            $0.verifyConcurrency = 8
        }
        #expect(try await harness.run(try Self.fronts(harness, 200)) == .patienceExhausted)
        // Ten open the breaker, and after 10 and 20 more seconds one call each tries again; the next would be too late.
        #expect(log.entries.count == 12)
        let cards = try await harness.cards()
        #expect(cards.allSatisfy { $0.state == .prepared })
        #expect(cards.allSatisfy { $0.attempts == 0 })
        let later = ScriptedVerifier()
        #expect(try await harness.engine(verifier: later).runBatch([]) == .complete)
        #expect(harness.backend.accepted.count == 200)
    }

    @Test("An open breaker lets nothing through, then one call; its answer lets all go")
    func breaker() async throws {
        let time = PacingVirtualTime()
        let log = CallLog(time)
        let verifier = ScriptedVerifier { call in
            log.add(call.image) <= 11
                ? .failed(Self.failure(.transient)) : .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: time.port) {
            $0.verifyConcurrency = 4
            $0.patience = .seconds(600)
        }
        let start = time.now
        #expect(try await harness.run(try Self.fronts(harness, 30)) == .complete)
        #expect(harness.backend.accepted.count == 30)
        let times = log.entries.map { $0.time.duration(since: start).inSeconds }
        #expect(times[9] < 10 && times[10] >= 10 && times[10] < 11)
        #expect(times[11] >= times[10] + 20)
        #expect(log.entries[10].image != log.entries[11].image, "one card alone was tried")
        #expect(times.count == 41)
    }

    @Test("Deliveries put off for want of budget are held as unknown in the end, each sent as often as it may be")
    func deliveriesPutOff() async throws {
        let time = PacingVirtualTime()
        let backend = LedgerBackend { _, _ in .after(.failed(Self.failure(.unknown))) }
        let harness = try PipelineHarness(.memory, backend: backend, time: time.port) {
            $0.deliverMaximumAttempts = 3
            $0.breakerFailures = 0
            $0.retryBudgetFloor = 0.5
            $0.patience = .seconds(36_000)
        }
        #expect(try await harness.run(try Self.fronts(harness, 40)) == .complete)
        #expect(try await harness.states().allSatisfy { $0 == "held:outcome_unknown" })
        #expect(backend.attempts.count == 120)
        #expect(Set(backend.attempts).count == 40)
    }

    @Test("A stale connection is tried again at once, a second time in a row with backoff", arguments: [1, 2])
    func stale(failures: Int) async throws {
        let time = PacingVirtualTime()
        let log = CallLog(time)
        let reset = RemoteFailure(
            .transient,
            code: "connection_reset",
            message: "m",
            retryAfter: .seconds(5),
            retriesAtOnce: true
        )
        let verifier = ScriptedVerifier { call in
            log.add(call.image) <= failures ? .failed(reset) : .read(PhotoText(call.image).reading)
        }
        let backend = LedgerBackend { attempt, number in
            var unknown = reset
            unknown.failureClass = .unknown
            log.add(attempt.image)
            return number <= failures ? .instead(.failed(unknown)) : .none
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, backend: backend, time: time.port)
        let start = time.now
        #expect(try await harness.run(try Self.fronts(harness, 1)) == .complete)
        #expect(try await harness.states() == ["delivered"])
        let seconds = log.entries.map { Int($0.time.duration(since: start).inSeconds) }
        #expect(seconds == (failures == 1 ? [0, 0, 0, 0] : [0, 0, 5, 5, 5, 10]))
    }

    @Test("A fixed rate spaces calls evenly")
    func rate() async throws {
        let time = PacingVirtualTime()
        let log = CallLog(time)
        let verifier = ScriptedVerifier { call in
            log.add(call.image)
            return .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: time.port) {
            $0.verifyRate = 2
            $0.verifyConcurrency = 8
        }
        let start = time.now
        #expect(try await harness.run(try Self.fronts(harness, 12)) == .complete)
        let times = log.entries.map { $0.time.duration(since: start).wholeMilliseconds }
        #expect(times == (0..<12).map { $0 * 500 })
    }
}
