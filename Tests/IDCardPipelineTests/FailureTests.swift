import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("What each class of failure leads to", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct FailureTests {
    private static func failure(_ failureClass: FailureClass, _ code: String = "code", status: Int? = nil)
        -> RemoteFailure
    {
        RemoteFailure(failureClass, code: code, message: "what happened", httpStatus: status)
    }

    private static func front(_ harness: PipelineHarness, _ name: String = "1", number: String = "B-1") throws
        -> IntakeItem
    {
        try harness.photo("\(name).jpg", "front;\(Holder.first);\(name)", number: number)
    }

    // MARK: Verification

    @Test("A transient failure is tried again", arguments: StoreKind.allCases)
    func transient(kind: StoreKind) async throws {
        let verifier = ScriptedVerifier { call in
            call.earlierCalls < 2 ? .failed(Self.failure(.transient)) : .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(kind, verifier: verifier)
        #expect(try await harness.run([try Self.front(harness)]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(verifier.images.count == 3)
    }

    @Test(
        "A card that fails while others are taken is failed once its attempts are used up",
        arguments: StoreKind.allCases
    )
    func exhausted(kind: StoreKind) async throws {
        let verifier = ScriptedVerifier { call in
            String(decoding: call.image, as: UTF8.self).hasSuffix("odd")
                ? .failed(Self.failure(.transient, "http_500")) : .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(kind, verifier: verifier) {
            $0.verifyMaximumAttempts = 3
            $0.patience = .milliseconds(500)
            $0.breakerFailures = 0
            // So many retries as it takes to come after another card.
            $0.retryBudgetFloor = 1000
        }
        let odd = try Self.front(harness, "odd", number: "B-0")
        // It fails, another card is taken, and it fails again: however often it is tried then, that is two.
        #expect(try await harness.run([odd, try Self.front(harness, "1", number: "B-1")]) == .patienceExhausted)
        #expect(try await harness.cards()[0].state == .prepared)
        #expect(try await harness.cards()[0].attempts == 2)
        // A card that is taken while it is under way proves nothing; one of these is taken before it fails.
        var number = 1
        while try await harness.cards()[0].state == .prepared, number < 9 {
            number += 1
            _ = try await harness.run([odd, try Self.front(harness, "\(number)", number: "B-\(number)")])
        }
        let others = Array(repeating: "delivered", count: number)
        #expect(try await harness.states() == ["failed:attempts_exhausted"] + others)
        #expect(try await harness.cards()[0].attempts == 3)
        #expect(try await harness.cards()[0].message?.contains("http_500") == true)
    }

    @Test("A definite no is rejected with the remote's code")
    func rejected() async throws {
        let verifier = ScriptedVerifier { _ in .failed(Self.failure(.rejected, "IMAGE_ERROR_UNSUPPORTED_FORMAT")) }
        let harness = try PipelineHarness(.sqlite, verifier: verifier)
        try await harness.run([try Self.front(harness)])
        #expect(try await harness.states() == ["rejected:IMAGE_ERROR_UNSUPPORTED_FORMAT"])
        #expect(verifier.images.count == 1)
    }

    @Test("An image found too large is made smaller and resent once", arguments: [1, 2])
    func shrink(refusals: Int) async throws {
        let calls = CallCounter()
        let verifier = ScriptedVerifier { call in
            calls.next() <= refusals
                ? .failed(Self.failure(.shrink, "IMAGE_FILE_TOO_LARGE")) : .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.sqlite, verifier: verifier)
        try await harness.run([try Self.front(harness)])
        #expect(try await harness.states() == [refusals == 1 ? "delivered" : "rejected:image_too_large"])
        #expect(verifier.images.count == 2)
        #expect(verifier.images[1].count < verifier.images[0].count)
        if refusals == 1 { #expect(harness.backend.accepted.map(\.image) == [verifier.images[1]]) }
    }

    @Test(
        "Throttling and connections that cannot be made cost no attempt",
        arguments: [FailureClass.throttled, .notSent]
    )
    func free(failureClass: FailureClass) async throws {
        let verifier = ScriptedVerifier { call in
            guard call.earlierCalls < 4 else { return .read(PhotoText(call.image).reading) }
            return .failed(RemoteFailure(failureClass, code: "c", message: "m", retryAfter: .milliseconds(1)))
        }
        let harness = try PipelineHarness(.sqlite, verifier: verifier) {
            $0.verifyMaximumAttempts = 2
        }
        #expect(try await harness.run([try Self.front(harness)]) == .complete)
        #expect(try await harness.states() == ["delivered"])
    }

    @Test(
        "An endpoint that cannot be reached ends the batch after the patience; nothing is lost",
        arguments: StoreKind.allCases
    )
    func unreachable(kind: StoreKind) async throws {
        let verifier = ScriptedVerifier { _ in .failed(Self.failure(.notSent)) }
        let harness = try PipelineHarness(kind, verifier: verifier)
        let items = try (0..<5).map { try Self.front(harness, "\($0)", number: "B-\($0)") }
        let engine = harness.engine(patience: .milliseconds(200))
        #expect(try await engine.runBatch(items) == .patienceExhausted)
        #expect(engine.pauses.isEmpty)
        #expect(try await harness.cards().allSatisfy { $0.state == .prepared && $0.attempts == 0 })
        let later = ScriptedVerifier()
        #expect(try await harness.engine(verifier: later).runBatch(items) == .complete)
        #expect(harness.backend.accepted.count == 5)
        #expect(later.images.count == 5)
    }

    @Test("A wrong key stops the stage: cards keep state and attempts, a later run completes")
    func stop() async throws {
        let verifier = ScriptedVerifier { _ in .failed(Self.failure(.stop, "AUTHENTICATION_ERROR")) }
        let harness = try PipelineHarness(.sqlite, verifier: verifier) { $0.verifyConcurrency = 2 }
        let items = try (0..<5).map { try Self.front(harness, "\($0)", number: "B-\($0)") }
        // No longer than a probe waits.
        let engine = harness.engine(patience: .milliseconds(700))
        #expect(try await engine.runBatch(items) == .patienceExhausted)
        #expect(engine.pauses[.verify]?.code == "AUTHENTICATION_ERROR")
        #expect(try await harness.store.pauses()[.verify]?.code == "AUTHENTICATION_ERROR")
        #expect(try await harness.cards().allSatisfy { $0.state == .prepared && $0.attempts == 0 })
        #expect(verifier.images.count <= harness.settings.verifyConcurrency)
        #expect(try await harness.engine(verifier: ScriptedVerifier()).runBatch(items) == .complete)
        #expect(harness.backend.accepted.count == 5)
        #expect(try await harness.store.pauses().isEmpty)
    }

    @Test("An argument error fails one card alone, and stops the stage when a second card gets it")
    func argumentError() async throws {
        let verifier = ScriptedVerifier { call in
            let failure = RemoteFailure(.stop, code: "BAD_ARGUMENTS", message: "m", mayConcernOneCard: true)
            return String(decoding: call.image, as: UTF8.self).hasSuffix("odd")
                ? .failed(failure) : .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.sqlite, verifier: verifier)
        #expect(
            try await harness.run([
                try Self.front(harness, "odd", number: "B-1"), try Self.front(harness, "2", number: "B-2"),
            ]) == .complete
        )
        #expect(try await harness.states().sorted() == ["delivered", "failed:BAD_ARGUMENTS"])
        let second = try PipelineHarness(.sqlite, verifier: verifier)
        let engine = second.engine()
        _ = try await engine.runBatch([
            try Self.front(second, "odd", number: "B-1"), try Self.front(second, "2odd", number: "B-2"),
            try Self.front(second, "3odd", number: "B-3"),
        ])
        #expect(engine.pauses[.verify]?.code == "BAD_ARGUMENTS")
    }

    // MARK: Delivery

    @Test("A delivery of unknown outcome is sent again byte for byte under the same key", arguments: StoreKind.allCases)
    func resend(kind: StoreKind) async throws {
        let backend = LedgerBackend { _, number in
            number <= 2 ? .after(.failed(Self.failure(.unknown, "connection_reset"))) : .none
        }
        let harness = try PipelineHarness(kind, backend: backend)
        #expect(try await harness.run([try Self.front(harness)]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(backend.attempts.count == 3)
        #expect(Set(backend.attempts).count == 1)
        #expect(backend.accepted.count == 1)
    }

    @Test("Unknown outcomes until the attempts are used up end in held, never failed")
    func heldUnknown() async throws {
        let backend = LedgerBackend { _, _ in .after(.failed(Self.failure(.unknown))) }
        let harness = try PipelineHarness(.sqlite, backend: backend) { $0.deliverMaximumAttempts = 3 }
        #expect(try await harness.run([try Self.front(harness)]) == .complete)
        #expect(try await harness.states() == ["held:outcome_unknown"])
        #expect(backend.attempts.count == 3)
        try await harness.run([try Self.front(harness)])
        #expect(backend.attempts.count == 3, "a held card was sent again")
    }

    @Test("With on_unknown hold, the first unknown outcome holds")
    func holdAtOnce() async throws {
        let backend = LedgerBackend { _, _ in .after(.failed(Self.failure(.unknown))) }
        let harness = try PipelineHarness(.sqlite, backend: backend) { $0.onUnknown = .hold }
        try await harness.run([try Self.front(harness)])
        #expect(try await harness.states() == ["held:outcome_unknown"])
        #expect(backend.attempts.count == 1)
    }

    @Test("Other content under our key is held at once")
    func keyConflict() async throws {
        let backend = LedgerBackend { _, _ in
            .instead(.failed(Self.failure(.unknown, "idempotency_key_conflict", status: 422)))
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        try await harness.run([try Self.front(harness)])
        #expect(try await harness.states() == ["held:outcome_unknown"])
        #expect(backend.attempts.count == 1)
    }

    @Test("A refusal of the backend is rejected with its code; its back is blocked")
    func backendRefuses() async throws {
        let backend = LedgerBackend { attempt, _ in
            attempt.values["DOCTYPE"] == "front" ? .instead(.failed(Self.failure(.rejected, "200002"))) : .none
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        try await harness.run([try Self.front(harness), try harness.photo("back.jpg", "back;x")])
        #expect(try await harness.states() == ["rejected:200002", "verified:blocked_by_front"])
        #expect(backend.accepted.isEmpty)
    }

    @Test("An expired TOKEN that is renewed leads to a new delivery with a new key", arguments: StoreKind.allCases)
    func tokenRenewed(kind: StoreKind) async throws {
        let expired = DeliveryOutcome.tokenExpired(Self.failure(.stop, "100001"))
        let holder = BackendHolder()
        let backend = LedgerBackend { attempt, _ in
            guard attempt.values["TOKEN"] == "token-1" else { return .none }
            holder.backend?.renewToken("token-2")
            return .instead(expired)
        }
        holder.backend = backend
        let harness = try PipelineHarness(kind, backend: backend)
        #expect(try await harness.run([try Self.front(harness)]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(backend.attempts.map { $0.values["TOKEN"] } == ["token-1", "token-2"])
        #expect(Set(backend.attempts.map(\.key)).count == 2)
    }

    @Test("An expired TOKEN without a new one stops delivery; a later run with a new one completes")
    func tokenNotRenewed() async throws {
        let backend = LedgerBackend { attempt, _ in
            attempt.values["TOKEN"] == "token-1" ? .instead(.tokenExpired(Self.failure(.stop, "100001"))) : .none
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        let items = try (0..<4).map { try Self.front(harness, "\($0)", number: "B-\($0)") }
        let engine = harness.engine()
        #expect(try await engine.runBatch(items) == .patienceExhausted)
        #expect(engine.pauses[.deliver]?.code == "100001")
        #expect(
            try await harness.cards().allSatisfy {
                ($0.state == .verified || $0.state == .delivering) && $0.attempts == 0
            }
        )
        backend.renewToken("token-2")
        #expect(try await harness.run(items) == .complete)
        #expect(backend.accepted.count == 4)
        #expect(backend.accepted.allSatisfy { $0.values["TOKEN"] == "token-2" })
    }

    @Test("An expired TOKEN after an unknown outcome is held: the first attempt may have been received")
    func tokenAfterUnknown() async throws {
        let backend = LedgerBackend { _, number in
            number == 1
                ? .after(.failed(Self.failure(.unknown))) : .instead(.tokenExpired(Self.failure(.stop, "100001")))
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        _ = try await harness.run([try Self.front(harness)])
        #expect(try await harness.states() == ["held:outcome_unknown"])
        #expect(backend.attempts.count == 2)
    }

    @Test(
        "A run cut short in the middle of a delivery sends the same bytes under the same key next time",
        arguments: StoreKind.allCases,
        [true, false]
    )
    func interrupted(kind: StoreKind, wasTaken: Bool) async throws {
        let (arrived, announce) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let backend = LedgerBackend { _, number in
            guard number == 1 else { return .none }
            announce.yield()
            return wasTaken ? .afterThatSilence : .silence
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = [try Self.front(harness)]
        let engine = harness.engine()
        let run = Task { try await engine.runBatch(items) }
        for await _ in arrived { break }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(try await harness.cards().map(\.attempts) == [0])
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(backend.attempts.count == 2)
        #expect(Set(backend.attempts).count == 1)
        #expect(backend.accepted.count == 1)
    }

    @Test(
        "A TOKEN refused by status stops delivery; with a new one the delivery is formed anew and goes",
        arguments: StoreKind.allCases
    )
    func refusedToken(kind: StoreKind) async throws {
        let backend = LedgerBackend { attempt, _ in
            attempt.values["TOKEN"] == "token-1"
                ? .instead(.failed(Self.failure(.stop, "http_401", status: 401))) : .none
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = try (0..<3).map { try Self.front(harness, "\($0)", number: "B-\($0)") }
        #expect(try await harness.run(items) == .patienceExhausted)
        backend.renewToken("token-2")
        #expect(try await harness.run(items) == .complete)
        #expect(backend.accepted.count == 3)
        #expect(backend.accepted.allSatisfy { $0.values["TOKEN"] == "token-2" })
    }

    @Test("Many deliveries with an old TOKEN are all formed anew in one run")
    func manyOldDeliveries() async throws {
        let isDown = CallCounter()
        let backend = LedgerBackend { attempt, _ in
            if isDown.current == 0 { return .instead(.failed(Self.failure(.throttled))) }
            return attempt.values["TOKEN"] == "token-1" ? .instead(.tokenExpired(Self.failure(.stop, "100001"))) : .none
        }
        let harness = try PipelineHarness(.memory, backend: backend)
        let items = try (0..<60).map { try Self.front(harness, "\($0)", number: "B-\($0)") }
        #expect(try await harness.engine(patience: .milliseconds(100)).runBatch(items) == .patienceExhausted)
        let formed = try await harness.store.stateCounts()[.delivering]
        #expect(formed == 60)
        backend.renewToken("token-2")
        _ = isDown.next()
        let engine = harness.engine()
        #expect(try await engine.runBatch(items) == .complete)
        #expect(engine.pauses.isEmpty)
        #expect(backend.accepted.count == 60)
    }

    @Test("A TOKEN refused by status after an unknown outcome is held: it must not block the stage for ever")
    func refusedTokenAfterUnknown() async throws {
        let backend = LedgerBackend { attempt, number in
            if number == 1 { return .after(.failed(Self.failure(.unknown))) }
            return attempt.values["TOKEN"] == "token-1"
                ? .instead(.failed(Self.failure(.stop, "http_401", status: 401))) : .none
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        let items = [try Self.front(harness, "1", number: "B-1"), try Self.front(harness, "2", number: "B-2")]
        _ = try await harness.run(items)
        backend.renewToken("token-2")
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states().sorted() == ["delivered", "held:outcome_unknown"])
        #expect(backend.accepted.count == 2)
    }

    @Test("A TOKEN that stays expired ends the batch, also when the stage probes more often than the patience lasts")
    func probesWithinPatience() async throws {
        let backend = LedgerBackend { _, _ in .instead(.tokenExpired(Self.failure(.stop, "100001"))) }
        let harness = try PipelineHarness(.sqlite, backend: backend, time: PacingVirtualTime().port) {
            $0.patience = .seconds(2)
            $0.probeInterval = .milliseconds(20)
        }
        #expect(try await harness.run([try Self.front(harness)]) == .patienceExhausted)
        #expect(backend.attempts.count > 1, "it did not probe")
    }

    @Test("A source that gives another TOKEN every time, each refused, ends in a pause")
    func tokenCarousel() async throws {
        let holder = BackendHolder()
        let backend = LedgerBackend { _, number in
            holder.backend?.renewToken("token-\(number + 1)")
            return .instead(.tokenExpired(Self.failure(.stop, "100001")))
        }
        holder.backend = backend
        let harness = try PipelineHarness(.sqlite, backend: backend)
        let engine = harness.engine()
        #expect(try await engine.runBatch([try Self.front(harness)]) == .patienceExhausted)
        #expect(engine.pauses[.deliver]?.code == "100001")
    }

    @Test("While delivery is stopped, the rules of a business number still hold cards of different persons")
    func settlesWhilePaused() async throws {
        let backend = LedgerBackend { _, _ in .instead(.failed(Self.failure(.stop, "http_401", status: 401))) }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        let other = try harness.photo("0.jpg", "front;\(Holder.first);0", number: "B-0")
        #expect(try await harness.run([other]) == .patienceExhausted)
        _ = try await harness.run([
            try harness.photo("1.jpg", "front;\(Holder.first);1"), try harness.photo("2.jpg", "front;\(Holder.second)"),
        ])
        #expect(try await harness.states().dropFirst() == ["held:holder_conflict", "held:holder_conflict"])
    }

    @Test("A card without a user account waits and says so; once there is one it goes", arguments: StoreKind.allCases)
    func userNumberMissing(kind: StoreKind) async throws {
        let hasAccount = CallCounter()
        let backend = LedgerBackend(mayForm: { _ in
            guard hasAccount.current == 0 else { return }
            throw RemoteFailure(.rejected, code: "user_no_missing", message: "m")
        })
        let harness = try PipelineHarness(kind, backend: backend)
        let items = [try Self.front(harness)]
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["verified:user_no_missing"])
        _ = hasAccount.next()
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered"])
    }

    @Test(
        "Metadata put right judges a rejected card anew, without reading file or card again",
        arguments: StoreKind.allCases
    )
    func rejudged(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let wrong = try harness.photo("1.jpg", "front;\(Holder.first)", side: .back)
        #expect(try await harness.run([wrong]) == .complete)
        #expect(try await harness.states() == ["rejected:side_mismatch"])
        var right = wrong
        var metadata = try wrong.takenMetadata
        metadata.side = .front
        metadata.priority = 7
        right.disposition = .take(metadata)
        #expect(try await harness.run([right]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(try await harness.cards()[0].metadata.priority == 7)
        #expect(harness.verifier.images.count == 1, "the reading was paid for twice")
        guard case .duplicate(_, wasRead: false) = harness.results()[0] else {
            Issue.record("the file was read again")
            return
        }
    }

    @Test("A batch of nothing new still decides on what an earlier batch left", arguments: 0..<10)
    func leftovers(round: Int) async throws {
        let harness = try PipelineHarness(.memory)
        let items = [
            try harness.photo("1.jpg", "front;110101199003070012"), try harness.photo("2.jpg", "back;x"),
        ]
        try await harness.run(items)
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["rejected:id_number_checksum", "verified:blocked_by_front"])
    }
}

/// Counts calls from 1.
final class CallCounter: Sendable {
    private let count = Mutex(0)

    var current: Int { self.count.withLock { $0 } }

    func next() -> Int {
        self.count.withLock { count in
            count += 1
            return count
        }
    }
}

/// Lets a backend's script reach the backend.
final class BackendHolder: Sendable {
    private let stored = Mutex<LedgerBackend?>(nil)

    var backend: LedgerBackend? {
        get { self.stored.withLock { $0 } }
        set { self.stored.withLock { $0 = newValue } }
    }
}
