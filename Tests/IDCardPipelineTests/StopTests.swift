import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("One odd card does not stop a stage; what every card gets does", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct StopTests {
    static func stop(_ code: String = "http_404", status: Int? = 404) -> RemoteFailure {
        RemoteFailure(.stop, code: code, message: "what happened", httpStatus: status)
    }

    private static let argumentError = RemoteFailure(
        .stop,
        code: "BAD_ARGUMENTS",
        message: "m",
        mayConcernOneCard: true
    )

    static func front(_ harness: PipelineHarness, _ index: Int, isOdd: Bool = false) throws -> IntakeItem {
        let name = isOdd ? "\(index)odd" : "\(index)"
        return try harness.photo("\(name).jpg", "front;\(Holder.first);\(name)", number: "B-\(index)")
    }

    static func isOdd(_ image: Data) -> Bool { String(decoding: image, as: UTF8.self).hasSuffix("odd") }

    private static func verifier(_ failure: RemoteFailure) -> ScriptedVerifier {
        ScriptedVerifier { call in
            self.isOdd(call.image) ? .failed(failure) : .read(PhotoText(call.image).reading)
        }
    }

    /// A backend that stops at every document of one business number.
    private static func backend(_ failure: RemoteFailure = Self.stop(), at number: String = "B-11") -> LedgerBackend {
        LedgerBackend { attempt, _ in
            attempt.values["BUSINESSNO"] == number ? .instead(.failed(failure)) : .none
        }
    }

    private static func attempts(_ backend: LedgerBackend, of number: String) -> Int {
        backend.attempts.count { $0.values["BUSINESSNO"] == number }
    }

    /// How many probes may follow a stop in which a few odd cards are as likely the cause: at once, after 1, 2, 4 s …
    static func mostProbes(until end: Timestamp, from start: Timestamp) -> Int {
        let seconds = Double(end.millisecondsSinceEpoch - start.millisecondsSinceEpoch) / 1000
        return 1 + Int(log2(seconds + 1))
    }

    // MARK: Argument errors of a verifier

    @Test("Two odd images far apart end as failed, each alone; all others are delivered", arguments: StoreKind.allCases)
    func twoOddImages(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind, verifier: Self.verifier(Self.argumentError))
        let items = try (1...200).map { try Self.front(harness, $0, isOdd: $0 == 20 || $0 == 120) }
        let engine = harness.engine()
        #expect(try await engine.runBatch(items) == .complete)
        #expect(engine.pauses.isEmpty)
        #expect(try await harness.store.stateCounts() == [.delivered: 198, .failed: 2])
        #expect(try await harness.states().filter { $0 != "delivered" }.allSatisfy { $0 == "failed:BAD_ARGUMENTS" })
    }

    @Test("Odd images side by side do not stop a run either", arguments: [2, 3], StoreKind.allCases)
    func neighbours(count: Int, kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind, verifier: Self.verifier(Self.argumentError))
        let items = try (1...40).map { try Self.front(harness, $0, isOdd: (20..<20 + count).contains($0)) }
        let engine = harness.engine()
        #expect(try await engine.runBatch(items) == .complete)
        #expect(engine.pauses.isEmpty)
        #expect(try await harness.store.stateCounts() == [.delivered: 40 - count, .failed: count])
    }

    @Test("An argument error of every card stops the stage; no card ends, and no attempt is spent")
    func everyImage() async throws {
        let verifier = ScriptedVerifier { _ in .failed(Self.argumentError) }
        let time = PacingVirtualTime()
        let harness = try PipelineHarness(.sqlite, verifier: verifier, time: time.port) { $0.patience = .seconds(4) }
        let items = try (1...20).map { try Self.front(harness, $0) }
        let engine = harness.engine()
        let start = time.now
        #expect(try await engine.runBatch(items) == .patienceExhausted)
        #expect(engine.pauses[.verify]?.code == "BAD_ARGUMENTS")
        #expect(try await harness.cards().allSatisfy { $0.state == .prepared && $0.attempts == 0 })
        #expect(verifier.images.count <= 2 + Self.mostProbes(until: time.now, from: start), "two, and probes")
        #expect(try await harness.engine(verifier: ScriptedVerifier()).runBatch(items) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 20])
    }

    // MARK: One delivery, or one image, that stops the stage

    @Test(
        "A backend that stops at one business number delivers all others by the second run",
        arguments: StoreKind.allCases
    )
    func oneDelivery(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind, backend: Self.backend())
        // Alone, it may be the first of many.
        #expect(try await harness.run([try Self.front(harness, 11)]) == .patienceExhausted)
        #expect(try await harness.store.pauses()[.deliver]?.code == "http_404")
        let items = try (1...40).map { try Self.front(harness, $0) }
        let engine = harness.engine()
        #expect(try await engine.runBatch(items) == .complete)
        #expect(engine.pauses.isEmpty)
        #expect(try await harness.store.pauses().isEmpty)
        #expect(try await harness.store.stateCounts() == [.delivered: 39, .failed: 1])
        #expect(try await harness.states()[0] == "failed:http_404")
        #expect(Self.attempts(harness.backend, of: "B-11") == 2)
        #expect(harness.backend.accepted.count == 39)
    }

    @Test("Within one run as shipped, the next probe is made with another delivery", arguments: StoreKind.allCases)
    func withinOneRun(kind: StoreKind) async throws {
        let time = PacingVirtualTime()
        let harness = try PipelineHarness(kind, backend: Self.backend(), time: time.port)
        let items = try (1...40).map { try Self.front(harness, $0) }
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 39, .failed: 1])
        #expect(Self.attempts(harness.backend, of: "B-11") == 2)
    }

    @Test(
        "Five of forty deliveries that the backend stops at end alone, each by others after it",
        arguments: StoreKind.allCases
    )
    func fiveOdd(kind: StoreKind) async throws {
        let odd: Set<String> = ["B-5", "B-6", "B-7", "B-20", "B-30"]
        let time = PacingVirtualTime()
        let backend = LedgerBackend { attempt, _ in
            time.pass(.milliseconds(5))
            return odd.contains(attempt.values["BUSINESSNO"] ?? "") ? .instead(.failed(Self.stop())) : .none
        }
        let harness = try PipelineHarness(kind, backend: backend, time: time.port) { $0.deliverConcurrency = 1 }
        let items = try (1...40).map { try Self.front(harness, $0) }
        let ending = try await harness.run(items)
        let counts = try await harness.store.stateCounts()
        #expect(counts[.delivered] == 35)
        // An odd one may happen to be the last of all, with nothing after it to tell it from a backend that fails by now.
        #expect(counts[.failed] == (ending == .complete ? 5 : 4))
        #expect(backend.attempts.count <= 35 + 5 * 3)
        #expect(try await harness.run([try Self.front(harness, 41)]) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 36, .failed: 5])
    }

    @Test("Cards that met one outage do not end in the next: the second stops the stage", arguments: StoreKind.allCases)
    func secondOutage(kind: StoreKind) async throws {
        let time = PacingVirtualTime()
        let taken = Mutex<Int?>(0)
        let backend = LedgerBackend { _, _ in
            time.pass(.milliseconds(5))
            let isTaken = taken.withLock { left in
                guard let count = left else { return true }
                left = max(0, count - 1)
                return count > 0
            }
            return isTaken ? .none : .instead(.failed(Self.stop("http_403", status: 403)))
        }
        let harness = try PipelineHarness(kind, backend: backend, time: time.port) {
            $0.deliverConcurrency = 1
            $0.patience = .milliseconds(700)
        }
        let items = try (1...12).map { try Self.front(harness, $0) }
        // Every card gets a refusal of the first outage.
        for _ in 0..<14 { #expect(try await harness.run(items) == .patienceExhausted) }
        for _ in 0..<2 {
            taken.withLock { $0 = 1 }
            for _ in 0..<2 { #expect(try await harness.run(items) == .patienceExhausted) }
        }
        let counts = try await harness.store.stateCounts()
        #expect(counts[.delivered] == 2)
        #expect(counts[.failed, default: 0] <= 2, "one for each time that the backend took a card in between")
        taken.withLock { $0 = nil }
        #expect(try await harness.engine(patience: .seconds(30)).runBatch(items) == .complete)
        #expect(try await harness.store.stateCounts()[.delivered, default: 0] >= 10)
    }

    /// Moves on until a stage waits for the whole interval: while another stage is at work it looks around twice a second.
    private static func nextProbeWaits(_ time: ManualTime) async {
        // A stage that waits already may be nearer to its time by a look around.
        while !time.isSlept(for: .seconds(299)...(.seconds(300))), !Task.isCancelled {
            let lookAround = Duration.milliseconds(500)
            if time.isSlept(for: lookAround...lookAround) { time.advance(by: lookAround) }
            await Task.yield()
        }
    }

    @Test(
        "In a quiet service the card after odd ones is the probe as soon as it comes",
        arguments: [Stage.verify, .deliver],
        StoreKind.allCases
    )
    func quietService(stage: Stage, kind: StoreKind) async throws {
        let time = ManualTime()
        let harness = try PipelineHarness(
            kind,
            verifier: Self.verifier(Self.stop()),
            backend: LedgerBackend { attempt, _ in
                ["B-1", "B-2"].contains(attempt.values["BUSINESSNO"]) ? .instead(.failed(Self.stop())) : .none
            },
            time: time.port
        )
        let count: @Sendable () -> Int = {
            stage == .verify ? harness.verifier.images.count : harness.backend.attempts.count
        }
        try await harness.serve { engine in
            for (index, wait) in [(1, Duration.seconds(1)), (2, .seconds(2))] {
                _ = try await engine.take(try Self.front(harness, index, isOdd: stage == .verify))
                await time.somebodySleeps(for: wait)
                #expect(engine.pauses.keys.elementsEqual([stage]))
                time.advance(by: wait)
                // There is no other card, so one of these is the next probe after the whole interval.
                await Self.nextProbeWaits(time)
            }
            // However often that was: it tells nothing of others.
            for calls in 3...14 {
                time.advance(by: .seconds(300))
                await Self.nextProbeWaits(time)
                #expect(count() == calls)
            }
            _ = try await engine.take(try Self.front(harness, 3))
            await harness.reached(.delivered)
        }
        #expect(harness.log.events.contains(.stageResumed(stage)))
        #expect((15...17).contains(count()), "the other one, and then at most once each of the odd ones")
    }

    @Test("What is about the account ends no card, whatever others get", arguments: StoreKind.allCases)
    func account(kind: StoreKind) async throws {
        var failure = Self.stop("AUTHORIZATION_ERROR", status: 403)
        failure.concernsAccount = true
        let refusal = failure
        let time = PacingVirtualTime()
        let harness = try PipelineHarness(kind, verifier: Self.verifier(refusal), time: time.port)
        let items = try (1...10).map { try Self.front(harness, $0, isOdd: $0 == 4) }
        for _ in 0..<4 { #expect(try await harness.run(items) == .patienceExhausted) }
        #expect(try await harness.store.stateCounts() == [.delivered: 9, .prepared: 1])
    }

    @Test("The highest priority does not make a delivery the probe each time", arguments: StoreKind.allCases)
    func priority(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind, backend: Self.backend(at: "B-0"))
        let urgent = try harness.photo("0.jpg", "front;\(Holder.first);0", number: "B-0", priority: 9)
        #expect(try await harness.run([urgent]) == .patienceExhausted)
        #expect(Self.attempts(harness.backend, of: "B-0") == 1, "no other card is left to probe with")
        // The others are still to be taken in and verified when the stopped one is due.
        let items = try (1...12).map { try Self.front(harness, $0) }
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 12, .failed: 1])
    }

    @Test("What may have been received is held as unknown, not failed", arguments: StoreKind.allCases)
    func mayHaveBeenReceived(kind: StoreKind) async throws {
        let unknown = DeliveryOutcome.failed(RemoteFailure(.unknown, code: "reset", message: "m"))
        let calls = CallCounter()
        let backend = LedgerBackend { attempt, _ in
            guard attempt.values["BUSINESSNO"] == "B-1" else { return .none }
            return calls.next() == 1 ? .after(unknown) : .instead(.failed(Self.stop("http_403", status: 403)))
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = try (1...5).map { try Self.front(harness, $0) }
        _ = try await harness.engine(patience: .milliseconds(300)).runBatch(items)
        #expect(try await harness.run(items + [try Self.front(harness, 6)]) == .complete)
        #expect(try await harness.states() == ["held:outcome_unknown"] + Array(repeating: "delivered", count: 5))
    }

    @Test(
        "One image that gets a bare 403 is failed by the second run; all others are verified",
        arguments: StoreKind.allCases
    )
    func oneImage(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind, verifier: Self.verifier(Self.stop("http_403", status: 403)))
        #expect(try await harness.run([try Self.front(harness, 7, isOdd: true)]) == .patienceExhausted)
        let items = try (1...20).map { try Self.front(harness, $0, isOdd: $0 == 7) }
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 19, .failed: 1])
        #expect(harness.verifier.images.count { Self.isOdd($0) } == 2)
    }

    @Test(
        "Wrong credentials stay a stop: each run probes with another card, and none ends",
        arguments: StoreKind.allCases
    )
    func wrongCredentials(kind: StoreKind) async throws {
        let isRight = CallCounter()
        let backend = LedgerBackend { _, _ in
            isRight.current > 0 ? .none : .instead(.failed(Self.stop("http_401", status: 401)))
        }
        let time = PacingVirtualTime()
        let harness = try PipelineHarness(kind, backend: backend, time: time.port) {
            $0.deliverConcurrency = 1
            $0.patience = .seconds(4)
        }
        let items = try (1...8).map { try Self.front(harness, $0) }
        while backend.attempts.count <= 8 { #expect(try await harness.run(items) == .patienceExhausted) }
        let tried = backend.attempts.map { $0.values["BUSINESSNO"] }
        #expect(Set(tried.prefix(8)).count == 8, "the same card was tried twice")
        #expect(tried.count == 9 && tried.last == tried.first)
        #expect(try await harness.cards().allSatisfy { $0.state == .delivering && $0.attempts == 0 })
        _ = isRight.next()
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.store.stateCounts() == [.delivered: 8])
    }

    @Test("The other cards of a batch are delivered, the odd one fails alone", arguments: StoreKind.allCases)
    func batch(kind: StoreKind) async throws {
        let backend = LedgerBackend(
            grouping: .batch(maximumCards: 4, maximumBytes: .max, wait: .milliseconds(10))
        ) { attempt, _ in
            attempt.texts.contains("B-3") ? .instead(.failed(Self.stop())) : .none
        }
        let harness = try PipelineHarness(kind, backend: backend) { $0.deliverConcurrency = 1 }
        let items = try (1...12).map { try Self.front(harness, $0) }
        for _ in 0..<3 { _ = try await harness.run(items) }
        #expect(try await harness.store.stateCounts() == [.delivered: 11, .failed: 1])
        #expect(try await harness.states()[2] == "failed:http_404")
    }

    @Test("A TOKEN refused for one business number alone fails that card", arguments: StoreKind.allCases)
    func token(kind: StoreKind) async throws {
        let backend = LedgerBackend { attempt, _ in
            attempt.values["BUSINESSNO"] == "B-2" ? .instead(.tokenExpired(Self.stop("100001", status: 200))) : .none
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = try (1...6).map { try Self.front(harness, $0) }
        for _ in 0..<3 { _ = try await harness.run(items) }
        #expect(try await harness.store.stateCounts() == [.delivered: 5, .failed: 1])
    }

    // MARK: A person

    @Test(
        "The card of a stopped delivery can be done again, decided on and erased",
        arguments: ["retry", "delivered", "resend", "reject", "erase"],
        StoreKind.allCases
    )
    func person(what: String, kind: StoreKind) async throws {
        let isRight = CallCounter()
        let backend = LedgerBackend { _, _ in isRight.current > 0 ? .none : .instead(.failed(Self.stop())) }
        let harness = try PipelineHarness(kind, backend: backend)
        #expect(try await harness.run([try Self.front(harness, 1)]) == .patienceExhausted)
        let card = try await harness.cards()[0]
        #expect(card.state == .delivering)
        let origin = AccessOrigin(actor: "root:test", purpose: "test")
        let now = Timestamp(Date())
        switch what {
        case "retry": _ = try await harness.store.retry(card.id, by: origin, now: now)
        case "erase": _ = try await harness.store.erase([card.id], reason: .requested, by: origin, now: now)
        default:
            let resolution = try #require(Resolution(rawValue: what))
            _ = try await harness.store.resolve(card.id, as: resolution, by: origin, now: now)
        }
        _ = isRight.next()
        #expect(try await harness.run([]) == .complete)
        let states = [
            "retry": "delivered", "delivered": "delivered", "resend": "delivered",
            "reject": "rejected:rejected_by_operator", "erase": "erased:requested",
        ]
        #expect(try await harness.states() == [states[what]])
        let sent = ["retry": 2, "resend": 2]
        #expect(backend.attempts.count == sent[what] ?? 1)
        #expect(Set(backend.attempts.map(\.key)).count == (what == "retry" ? 2 : 1))
    }

    @Test("What may have been received is not done again under another key", arguments: StoreKind.allCases)
    func personAndUnknown(kind: StoreKind) async throws {
        let unknown = DeliveryOutcome.failed(RemoteFailure(.unknown, code: "reset", message: "m"))
        let backend = LedgerBackend { _, number in number == 1 ? .after(unknown) : .instead(.failed(Self.stop())) }
        let harness = try PipelineHarness(kind, backend: backend)
        #expect(try await harness.run([try Self.front(harness, 1)]) == .patienceExhausted)
        let (store, card) = (harness.store, try await harness.cards()[0].id)
        let origin = AccessOrigin(actor: "root:test", purpose: "test")
        let error = await #expect(throws: StoreError.self) {
            try await store.retry(card, by: origin, now: Timestamp(Date()))
        }
        #expect(error?.code == .conflict)
        _ = try await store.resolve(card, as: .delivered, by: origin, now: Timestamp(Date()))
        #expect(try await harness.states() == ["delivered"])
    }

    @Test("While the stage works, a card in delivery is nobody's to decide on", arguments: StoreKind.allCases)
    func underWay(kind: StoreKind) async throws {
        let (arrived, announce) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let backend = LedgerBackend { _, _ in
            announce.yield()
            return .silence
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = [try Self.front(harness, 1)]
        let run = Task { try await harness.run(items) }
        for await _ in arrived { break }
        let (store, card) = (harness.store, try await harness.cards()[0].id)
        let origin = AccessOrigin(actor: "root:test", purpose: "test")
        let error = await #expect(throws: StoreError.self) {
            try await store.resolve(card, as: .reject, by: origin, now: Timestamp(Date()))
        }
        #expect(error?.code == .conflict)
        run.cancel()
        _ = try? await run.value
    }
}
