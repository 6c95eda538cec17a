import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("An outage ends no card; a card that fails alone ends", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct OutageTests {
    /// The system's clock, set forward.
    private final class ShiftedTime: Sendable {
        private let offset = Mutex(Duration.zero)

        var port: PipelineTime {
            let system = PipelineTime.system
            return PipelineTime(
                now: { system.now().advanced(by: self.offset.withLock { $0 }) },
                // The engine's own waits, by the clock that is set forward.
                sleep: { until in try await system.sleep(until.advanced(by: .zero - self.offset.withLock { $0 })) }
            )
        }

        func shift(by duration: Duration) { self.offset.withLock { $0 += duration } }
    }

    private static let failure = RemoteFailure(.transient, code: "http_500", message: "m", httpStatus: 500)

    private static func front(_ harness: PipelineHarness, _ name: String) throws -> IntakeItem {
        try harness.photo("\(name).jpg", "front;\(Holder.first);\(name)", number: "B-\(name)")
    }

    private static func oddVerifier() -> ScriptedVerifier {
        ScriptedVerifier { call in
            String(decoding: call.image, as: UTF8.self).hasSuffix("odd")
                ? .failed(self.failure) : .read(PhotoText(call.image).reading)
        }
    }

    @Test("At the settings as shipped, an outage costs no card an attempt", arguments: [1, 2, 40])
    func shipped(count: Int) async throws {
        let time = PacingVirtualTime()
        let verifier = ScriptedVerifier { _ in .failed(Self.failure) }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: time.port) { settings in
            let interval = settings.takeBackInterval
            settings = EngineSettings()
            settings.takeBackInterval = interval
        }
        let items = try (0..<count).map { try Self.front(harness, "\($0)") }
        for _ in 0..<3 {
            let engine = harness.engine()
            #expect(try await engine.runBatch(items) == .patienceExhausted)
            #expect(engine.failures[.verify]?.code == "http_500")
            #expect(engine.pauses.isEmpty)
        }
        #expect(try await harness.cards().allSatisfy { $0.state == .prepared && $0.attempts == 0 })
        let engine = harness.engine(verifier: ScriptedVerifier())
        #expect(try await engine.runBatch(items) == .complete)
        #expect(engine.failures.isEmpty)
        #expect(try await harness.store.stateCounts() == [.delivered: count])
    }

    @Test(
        "Images that the verifier never gets done do not keep it from all others, after an outage either",
        arguments: [true, false],
        StoreKind.allCases
    )
    func poison(afterOutage: Bool, kind: StoreKind) async throws {
        let time = PacingVirtualTime()
        let isDown = Mutex(afterOutage)
        let verifier = ScriptedVerifier { call in
            isDown.withLock(\.self) || String(decoding: call.image, as: UTF8.self).hasSuffix("odd")
                ? .failed(Self.failure) : .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(kind, verifier: verifier, time: time.port) { settings in
            let interval = settings.takeBackInterval
            settings = EngineSettings()
            settings.takeBackInterval = interval
        }
        let items =
            try (0..<12).map { try Self.front(harness, "\($0)odd") } + (0..<30).map { try Self.front(harness, "\($0)") }
        if afterOutage {
            #expect(try await harness.run(items) == .patienceExhausted)
            isDown.withLock { $0 = false }
        }
        // The first twelve fail first: by then the breaker is open for longer than a run waits.
        for _ in 0..<2 { _ = try await harness.run(items) }
        #expect(try await harness.store.stateCounts()[.delivered] == 30)
    }

    @Test("A backend that says \"not now\" to every card costs none an attempt", arguments: StoreKind.allCases)
    func backendDown(kind: StoreKind) async throws {
        let isDown = Mutex(true)
        let backend = LedgerBackend { _, _ in isDown.withLock(\.self) ? .instead(.failed(Self.failure)) : .none }
        let time = PacingVirtualTime()
        let harness = try PipelineHarness(kind, backend: backend, time: time.port) {
            $0.deliverMaximumAttempts = 3
            $0.retry = EngineSettings().retry
        }
        let items = try (1...3).map { try Self.front(harness, "\($0)") }
        for _ in 0..<3 { #expect(try await harness.run(items) == .patienceExhausted) }
        #expect(try await harness.cards().allSatisfy { $0.state == .delivering && $0.attempts == 0 })
        isDown.withLock { $0 = false }
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 3])
    }

    @Test("A card to which alone the backend says \"not now\" is held in the end", arguments: StoreKind.allCases)
    func notNowAlone(kind: StoreKind) async throws {
        let backend = LedgerBackend { attempt, _ in
            attempt.values["BUSINESSNO"] == "B-odd" ? .instead(.failed(Self.failure)) : .none
        }
        let time = PacingVirtualTime()
        let harness = try PipelineHarness(kind, backend: backend, time: time.port) {
            $0.deliverMaximumAttempts = 3
            $0.retry = EngineSettings().retry
        }
        _ = try await harness.run([try Self.front(harness, "odd")])
        for number in 1...3 { _ = try await harness.run([try Self.front(harness, "\(number)")]) }
        #expect(try await harness.states().first == "held:attempts_exhausted")
        #expect(try await harness.store.stateCounts()[.delivered] == 3)
    }

    @Test("What a host asked for holds in the next process and in every other one", arguments: StoreKind.allCases)
    func retryAfter(kind: StoreKind) async throws {
        let time = PacingVirtualTime()
        let calls = Mutex<[Timestamp]>([])
        let verifier = ScriptedVerifier { call in
            let number = calls.withLock { calls in
                calls.append(time.now)
                return calls.count
            }
            guard number == 1 else { return .read(PhotoText(call.image).reading) }
            return .failed(
                RemoteFailure(.throttled, code: "http_503", message: "m", httpStatus: 503, retryAfter: .seconds(15))
            )
        }
        let harness = try PipelineHarness(kind, verifier: verifier, time: time.port) { $0.patience = .seconds(1) }
        let items = [try Self.front(harness, "1")]
        #expect(try await harness.run(items) == .patienceExhausted)
        #expect(calls.withLock { $0.count } == 1)
        // The card is due when the host may be called; another process knows of the host alone.
        let first = try #require(calls.withLock { $0.first })
        let waits = try await harness.another().waits(longest: .seconds(100), now: first)
        #expect(waits == ["verifier": first.advanced(by: .seconds(15))])
        let another = try Self.front(harness, "2")
        #expect(try await harness.engine(patience: .seconds(60)).runBatch([another]) == .complete)
        let later = calls.withLock { $0.dropFirst() }
        #expect(later.count == 2)
        #expect(later.allSatisfy { $0 >= first.advanced(by: .seconds(15)) })
        #expect(try await harness.store.stateCounts() == [.delivered: 2])
    }

    @Test("A card that fails alone ends after verification.max_age", arguments: StoreKind.allCases)
    func maximumAge(kind: StoreKind) async throws {
        let time = ShiftedTime()
        let harness = try PipelineHarness(kind, verifier: Self.oddVerifier(), time: time.port) {
            $0.verifyMaximumAttempts = 100
            $0.patience = .milliseconds(100)
        }
        let odd = try Self.front(harness, "odd")
        #expect(try await harness.run([odd]) == .patienceExhausted)
        #expect(try await harness.run([try Self.front(harness, "1")]) == .patienceExhausted)
        #expect(try await harness.states() == ["prepared", "delivered"])
        time.shift(by: .seconds(86_400))
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["failed:attempts_exhausted", "delivered"])
        #expect(try await harness.cards()[0].message?.contains("verification.max_age") == true)
    }

    @Test("The age of a card ends it only if others were taken since", arguments: StoreKind.allCases)
    func ageInAnOutage(kind: StoreKind) async throws {
        let time = ShiftedTime()
        let harness = try PipelineHarness(kind, verifier: Self.oddVerifier(), time: time.port) {
            $0.patience = .milliseconds(100)
        }
        // Taken before the first failure: it says nothing of what came after.
        #expect(try await harness.run([try Self.front(harness, "1")]) == .complete)
        #expect(try await harness.run([try Self.front(harness, "odd")]) == .patienceExhausted)
        for _ in 0..<3 {
            time.shift(by: .seconds(86_400))
            #expect(try await harness.run([]) == .patienceExhausted)
        }
        #expect(try await harness.states() == ["delivered", "prepared"])
        #expect(try await harness.cards()[1].attempts == 0)
    }
}
