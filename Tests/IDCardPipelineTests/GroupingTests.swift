import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("Deliveries of several cards", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct GroupingTests {
    private static func batch(_ cards: Int, bytes: Int = .max, wait: Duration = .milliseconds(50)) -> DeliveryGrouping {
        .batch(maximumCards: cards, maximumBytes: bytes, wait: wait)
    }

    private static func pair(_ harness: PipelineHarness, _ number: String) throws -> [IntakeItem] {
        [
            try harness.photo("\(number)-b.jpg", "back;\(number)", number: number),
            try harness.photo("\(number)-f.jpg", "front;\(Holder.first);\(number)", number: number),
        ]
    }

    private static func refusal(_ code: String = "9001") -> RemoteFailure {
        RemoteFailure(.rejected, code: code, message: "refused", httpStatus: 200)
    }

    @Test("In the layout application front and back go in one delivery", arguments: StoreKind.allCases)
    func application(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind, backend: LedgerBackend(grouping: .application))
        #expect(try await harness.run(try Self.pair(harness, "B-1") + Self.pair(harness, "B-2")) == .complete)
        #expect(try await harness.states() == Array(repeating: "delivered", count: 4))
        let accepted = harness.backend.accepted
        #expect(accepted.count == 2)
        for attempt in accepted {
            #expect(attempt.images.count == 2)
            #expect(attempt.texts.filter { $0 == "front" || $0 == "back" } == ["front", "back"])
        }
    }

    @Test("A batch fills up over business numbers, fronts before their backs", arguments: StoreKind.allCases)
    func batch(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind, backend: LedgerBackend(grouping: Self.batch(6, wait: .seconds(3))))
        var items: [IntakeItem] = []
        for number in 1...7 { items += try Self.pair(harness, "B-\(number)") }
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == Array(repeating: "delivered", count: 14))
        let accepted = harness.backend.accepted
        #expect(accepted.map(\.images.count).reduce(0, +) == 14)
        #expect(accepted.allSatisfy { $0.images.count <= 6 })
        #expect(accepted.count < 7, "cards of several business numbers go together")
        for attempt in accepted {
            var fronts: Set<String> = []
            for start in stride(from: 0, to: attempt.texts.count, by: 3) {
                let (number, side) = (attempt.texts[start + 1], attempt.texts[start + 2])
                if side == "front" { fronts.insert(number) } else { #expect(fronts.contains(number)) }
            }
        }
    }

    @Test("A batch holds no more bytes than it may, but a card that is larger goes alone")
    func bytes() async throws {
        let harness = try PipelineHarness(
            .sqlite,
            backend: LedgerBackend(grouping: Self.batch(10, bytes: 60, wait: .seconds(3)))
        )
        let items = try (1...6).map { number in
            try harness.photo("\(number).jpg", "front;\(Holder.first);\(number)", number: "B-\(number)")
        }
        let large = "front;\(Holder.first);" + String(repeating: "x", count: 100)
        #expect(try await harness.run(items + [try harness.photo("l.jpg", large, number: "B-7")]) == .complete)
        let sizes = harness.backend.accepted.map { $0.images.map(\.count) }
        #expect(sizes.joined().count == 7)
        #expect(sizes.allSatisfy { $0.count == 1 || $0.reduce(0, +) <= 60 })
        #expect(sizes.contains { $0.count > 1 })
    }

    @Test("A batch that is not full goes when its first card has waited long enough", arguments: StoreKind.allCases)
    func wait(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind, backend: LedgerBackend(grouping: Self.batch(100)))
        #expect(try await harness.run(try Self.pair(harness, "B-1")) == .complete)
        #expect(harness.backend.accepted.map(\.images.count) == [2])
    }

    @Test("Each card of a batch goes its own way by what the backend says of it", arguments: StoreKind.allCases)
    func items(kind: StoreKind) async throws {
        let wasSentAway = Mutex(false)
        let backend = LedgerBackend(grouping: Self.batch(3)) { attempt, _ in
            .instead(
                .items(
                    attempt.images.map { image in
                        if image.last == UInt8(ascii: "2") { return .rejected(Self.refusal()) }
                        let isFirst =
                            image.last == UInt8(ascii: "3")
                            && wasSentAway.withLock { wasSent in
                                defer { wasSent = true }
                                return !wasSent
                            }
                        guard isFirst else { return .accepted(alreadyExisted: false, code: "000000") }
                        return .notApplied(RemoteFailure(.transient, code: "busy", message: "not now", httpStatus: 200))
                    }
                )
            )
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = try (1...3).map { number in
            try harness.photo("\(number).jpg", "front;\(Holder.first);\(number)", number: "B-\(number)")
        }
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered", "rejected:9001", "delivered"])
        let keys = harness.backend.attempts.filter { $0.images.contains { $0.last == UInt8(ascii: "3") } }.map(\.key)
        #expect(keys.count == 2)
        #expect(Set(keys).count == 2, "what was not applied goes under another key")
    }

    @Test("A card that is sent away again and again is left to a person")
    func exhausted() async throws {
        let busy = RemoteFailure(.transient, code: "busy", message: "not now", httpStatus: 200)
        let backend = LedgerBackend(grouping: Self.batch(2, wait: .zero)) { attempt, _ in
            let items = attempt.texts.filter { $0.hasPrefix("B-") }.map { number -> DeliveryItemOutcome in
                number == "B-1" ? .notApplied(busy) : .accepted(alreadyExisted: false, code: "0")
            }
            return .instead(.items(items))
        }
        let harness = try PipelineHarness(.sqlite, backend: backend) {
            $0.deliverMaximumAttempts = 3
            $0.patience = .milliseconds(500)
        }
        let item = { (number: Int) in
            try harness.photo("\(number).jpg", "front;\(Holder.first);\(number)", number: "B-\(number)")
        }
        #expect(try await harness.run([try item(1)]) == .patienceExhausted)
        #expect(try await harness.cards()[0].attempts == 0, "nothing tells it from an outage")
        var number = 1
        while try await harness.cards()[0].state != .held, number < 9 {
            number += 1
            _ = try await harness.run([try item(number)])
        }
        #expect(
            try await harness.states() == ["held:attempts_exhausted"] + Array(repeating: "delivered", count: number - 1)
        )
        #expect(try await harness.cards()[0].message?.contains("busy 3 times") == true)
    }

    @Test("What was not applied after a lost answer is not sent under another key")
    func notAppliedAfterUnknown() async throws {
        let busy = RemoteFailure(.transient, code: "busy", message: "not now", httpStatus: 200)
        let lost = RemoteFailure(.unknown, code: "connection_reset", message: "lost")
        let backend = LedgerBackend(grouping: Self.batch(1, wait: .zero)) { _, number in
            number == 1 ? .after(.failed(lost)) : .instead(.items([.notApplied(busy)]))
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        try await harness.run([try harness.photo("1.jpg", "front;\(Holder.first)")])
        #expect(try await harness.states() == ["held:outcome_unknown"])
        #expect(Set(harness.backend.attempts.map(\.key)).count == 1)
    }

    @Test(
        "A batch that is refused as a whole is taken apart, and only the culprit is rejected",
        arguments: StoreKind.allCases
    )
    func refusedAsAWhole(kind: StoreKind) async throws {
        let culprit = Data("front;\(Holder.first);2".utf8)
        let backend = LedgerBackend(grouping: Self.batch(3)) { attempt, _ in
            attempt.images.contains(culprit) ? .instead(.failed(Self.refusal())) : .none
        }
        let harness = try PipelineHarness(kind, backend: backend)
        let items = try (1...3).map { number in
            try harness.photo("\(number).jpg", "front;\(Holder.first);\(number)", number: "B-\(number)")
        }
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered", "rejected:9001", "delivered"])
    }

    @Test(
        "A delivery is sent byte for byte again after a crash, whatever the layout is by then",
        arguments: StoreKind.allCases
    )
    func layoutChanges(kind: StoreKind) async throws {
        let lost = RemoteFailure(.unknown, code: "connection_reset", message: "lost")
        let backend = LedgerBackend(grouping: .application) { _, number in
            number == 1 ? .after(.failed(lost)) : .none
        }
        let harness = try PipelineHarness(kind, backend: backend)
        #expect(try await harness.run(try Self.pair(harness, "B-1")) == .complete)
        let attempts = harness.backend.attempts
        #expect(attempts.count == 2)
        #expect(Set(attempts).count == 1, "key, boundary, values and images are the same")
        #expect(harness.backend.accepted.count == 1)
    }

    @Test("An expired TOKEN on single cards of a batch: a new one is taken, the others stay delivered")
    func expiredItem() async throws {
        let expired = RemoteFailure(.stop, code: "100001", message: "TOKEN", httpStatus: 200)
        let backendBox = Mutex<LedgerBackend?>(nil)
        let backend = LedgerBackend(grouping: Self.batch(2, wait: .seconds(1))) { attempt, number in
            guard number == 1, attempt.images.count == 2 else { return .none }
            backendBox.withLock { $0?.renewToken("token-2") }
            return .instead(.items([.accepted(alreadyExisted: false, code: "000000"), .notApplied(expired)]))
        }
        backendBox.withLock { $0 = backend }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        let items = try (1...2).map { number in
            try harness.photo("\(number).jpg", "front;\(Holder.first);\(number)", number: "B-\(number)")
        }
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(harness.backend.accepted.map { $0.values["TOKEN"] } == ["token-2"])
    }

    // MARK: One answer for several cards

    private static let layouts: [DeliveryGrouping] = [.application, batch(2)]

    @Test("A refusal of front and back together is asked about card by card", arguments: Self.layouts)
    func refusedPair(grouping: DeliveryGrouping) async throws {
        let backend = LedgerBackend(grouping: grouping) { attempt, _ in
            attempt.images.count > 1 ? .instead(.failed(Self.refusal("http_413"))) : .none
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        #expect(try await harness.run(try Self.pair(harness, "B-1")) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"], "front before back")
    }

    @Test("Of a whole that is said to exist already each card is asked about by itself", arguments: Self.layouts)
    func existsAsAWhole(grouping: DeliveryGrouping) async throws {
        let backend = LedgerBackend(grouping: grouping) { attempt, _ in
            attempt.images.count > 1 ? .instead(.accepted(alreadyExisted: true, code: "000001")) : .none
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        #expect(try await harness.run(try Self.pair(harness, "B-1")) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(backend.accepted.count == 2)
    }

    @Test("After a lost answer one answer for several cards is left to a person", arguments: [true, false])
    func wholeAfterUnknown(existed: Bool) async throws {
        let lost = RemoteFailure(.unknown, code: "connection_reset", message: "lost")
        let backend = LedgerBackend(grouping: .application) { _, number in
            if number == 1 { return .instead(.failed(lost)) }
            return existed
                ? .instead(.accepted(alreadyExisted: true, code: "000001")) : .instead(.failed(Self.refusal()))
        }
        let harness = try PipelineHarness(.sqlite, backend: backend)
        try await harness.run(try Self.pair(harness, "B-1"))
        #expect(try await harness.states() == ["held:outcome_unknown", "held:outcome_unknown"])
        #expect(Set(backend.attempts.map(\.key)).count == 1)
    }

    @Test("Sides of two user accounts go one after the other, the front first", arguments: Self.layouts)
    func accounts(grouping: DeliveryGrouping) async throws {
        let harness = try PipelineHarness(.sqlite, backend: LedgerBackend(grouping: grouping))
        var items = try Self.pair(harness, "B-1")
        var metadata = try items[0].takenMetadata
        metadata.userNumber = Redacted("user-2")
        items[0].disposition = .take(metadata)
        #expect(try await harness.run(items) == .complete)
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"])
    }
}
