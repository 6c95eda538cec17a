import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("What a person does beside a running engine, and between two", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct OperatorTests {
    /// Where a scripted remote side finds the store, which is made after it.
    private final class StorePlace: Sendable {
        private let store = Mutex<(any CardStore)?>(nil)

        func set(_ store: any CardStore) { self.store.withLock { $0 = store } }

        /// Erases the first card by intake order.
        func eraseFirst() async throws {
            let store = try #require(self.store.withLock { $0 })
            let card = try #require(try await store.cards(matching: CardQuery(limit: 1)).first)
            _ = try await store.erase([card.id], reason: .requested, by: OperatorTests.origin, now: Timestamp(Date()))
        }
    }

    private static let origin = AccessOrigin(actor: "root:test", purpose: "test")

    private static func front(_ harness: PipelineHarness, _ name: String, number: String) throws -> IntakeItem {
        try harness.photo("\(name).jpg", "front;\(Holder.first);\(name)", number: number)
    }

    @Test("A card erased while it is verified drops out, and the others go on", arguments: StoreKind.allCases)
    func erasedAtVerifier(kind: StoreKind) async throws {
        let place = StorePlace()
        let verifier = ScriptedVerifier { call in
            if String(decoding: call.image, as: UTF8.self).hasSuffix("first") { try await place.eraseFirst() }
            return .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(kind, verifier: verifier)
        place.set(harness.store)
        let items = [
            try Self.front(harness, "first", number: "B-1"), try Self.front(harness, "second", number: "B-2"),
        ]
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["erased:requested", "delivered"])
        let lines = try await harness.store.accessLog(of: harness.cards()[0].id, after: 0, limit: 9)
        #expect(lines.map(\.action) == [.verify, .erase])
        #expect(lines.map(\.origin.purpose) == [AccessPurpose.verifyInterrupted, "test"])
    }

    @Test("A card erased while it is delivered drops out; its key is never sent again", arguments: StoreKind.allCases)
    func erasedAtBackend(kind: StoreKind) async throws {
        let place = StorePlace()
        let backend = LedgerBackend { _, number in
            if number == 1 { try await place.eraseFirst() }
            return .none
        }
        let harness = try PipelineHarness(kind, backend: backend)
        place.set(harness.store)
        #expect(try await harness.run([try Self.front(harness, "first", number: "B-1")]) == .complete)
        #expect(try await harness.states() == ["erased:requested"])
        #expect(backend.attempts.count == 1)
        #expect(try await harness.run([try Self.front(harness, "second", number: "B-2")]) == .complete)
        #expect(try await harness.states() == ["erased:requested", "delivered"])
    }

    @Test("A failed card that is done again is delivered by a run without inputs", arguments: StoreKind.allCases)
    func retried(kind: StoreKind) async throws {
        let verifier = ScriptedVerifier { call in
            call.earlierCalls < 2
                ? .failed(RemoteFailure(.stop, code: "BAD_ARGUMENTS", message: "m", mayConcernOneCard: true))
                : .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(kind, verifier: verifier)
        try await harness.run([try Self.front(harness, "first", number: "B-1")])
        #expect(try await harness.states() == ["failed:BAD_ARGUMENTS"])
        let id = try await harness.cards()[0].id
        _ = try await harness.store.retry(id, by: Self.origin, now: Timestamp(Date()))
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["delivered"])
    }

    @Test(
        "What a person has sent again goes under the same key and bytes, also under `hold`",
        arguments: StoreKind.allCases
    )
    func resent(kind: StoreKind) async throws {
        let unknown = DeliveryOutcome.failed(RemoteFailure(.unknown, code: "reset", message: "what happened"))
        let backend = LedgerBackend { _, number in number == 1 ? .after(unknown) : .none }
        let harness = try PipelineHarness(kind, backend: backend) { $0.onUnknown = .hold }
        try await harness.run([try Self.front(harness, "first", number: "B-1")])
        #expect(try await harness.states() == ["held:outcome_unknown"])
        let id = try await harness.cards()[0].id
        _ = try await harness.store.resolve(id, as: .resend, by: Self.origin, now: Timestamp(Date()))
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(backend.attempts.count == 2)
        #expect(Set(backend.attempts).count == 1, "the same, byte for byte")
        #expect(backend.accepted.count == 1)
    }

    @Test("A front that a person accepts is no conflict of holders any more", arguments: StoreKind.allCases)
    func accepted(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let items = [
            try harness.photo("1.jpg", "front;\(Holder.first);1", number: "B-1"),
            try harness.photo("2.jpg", "front;\(Holder.second);2", number: "B-1"),
        ]
        try await harness.run(items)
        #expect(try await harness.states() == ["held:holder_conflict", "held:holder_conflict"])
        let id = try await harness.cards()[1].id
        _ = try await harness.store.resolve(id, as: .accept, by: Self.origin, now: Timestamp(Date()))
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["held:holder_conflict", "delivered"])
    }

    @Test("What is older than its retention is erased by the next run, the rest stays", arguments: StoreKind.allCases)
    func retention(kind: StoreKind) async throws {
        var retention = Retention()
        retention.limit(.rejected, to: .milliseconds(1))
        let harness = try PipelineHarness(kind) { $0.retention = retention }
        // Rejected long ago, by the store's clock.
        let old = Timestamp(millisecondsSinceEpoch: 1_600_000_000_000)
        let number = try #require(BusinessNumber("B-9"))
        let admission = Admission(
            id: CardID(rawValue: "old"),
            metadata: CardMetadata(businessNumber: number),
            sourceDigest: ContentDigest(of: Data("old".utf8)),
            file: nil,
            intakeOrder: try await harness.store.reserveIntakeOrders(1),
            content: .refused(ReasonCode(rawValue: "image_corrupt"), message: "broken")
        )
        _ = try await harness.store.admit(admission, now: old)
        let card = admission.id
        let verifier = ScriptedVerifier { call in
            // Held up until the old card is erased: it must not wait for the end of the work.
            while try await harness.store.card(card)?.state != .erased { await Task.yield() }
            return .read(PhotoText(call.image).reading)
        }
        let items = [try Self.front(harness, "first", number: "B-1")]
        #expect(try await harness.engine(verifier: verifier).runBatch(items) == .complete)
        #expect(try await harness.states() == ["erased:retention", "delivered"])
    }
}
