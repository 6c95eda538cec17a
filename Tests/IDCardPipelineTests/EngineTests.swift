import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@Suite("The pipeline from inputs to deliveries", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct EngineTests {
    @Test("A pair is verified and delivered, front before back", arguments: StoreKind.allCases)
    func pair(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let items = [
            try harness.photo("back.jpg", "back;x"), try harness.photo("front.jpg", "front;\(Holder.first)"),
        ]
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"])
        #expect(harness.verifier.images.count == 2)
    }

    @Test("Running again delivers and reads nothing", arguments: StoreKind.allCases)
    func again(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let items = [
            try harness.photo("front.jpg", "front;\(Holder.first)"), try harness.photo("back.jpg", "back;x"),
        ]
        try await harness.run(items)
        #expect(try await harness.run(items) == .complete)
        #expect(harness.backend.attempts.count == 2)
        #expect(harness.verifier.images.count == 2)
        let results = harness.results().values
        #expect(results.count == 2)
        for result in results {
            guard case .duplicate(_, wasRead: false) = result else {
                Issue.record("\(result) instead of a duplicate that was not read")
                continue
            }
        }
    }

    @Test(
        "A copy of the same bytes under another name is the same card; under another number it is not, but is read once"
    )
    func copies() async throws {
        let harness = try PipelineHarness(.sqlite)
        let items = [
            try harness.photo("a.jpg", "front;\(Holder.first)"),
            try harness.photo("b.jpg", "front;\(Holder.first)"),
            try harness.photo("c.jpg", "front;\(Holder.first)", number: "B-2"),
        ]
        try await harness.run(items)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(harness.verifier.images.count == 1)
        #expect(harness.backend.accepted.count == 2)
        let duplicates = harness.results().values.filter { if case .duplicate = $0 { true } else { false } }
        #expect(duplicates.count == 1)
    }

    @Test("A retaken front supersedes the older one", arguments: StoreKind.allCases)
    func retake(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        try await harness.run([
            try harness.photo("1.jpg", "front;\(Holder.first);one"),
            try harness.photo("2.jpg", "front;\(Holder.first);two"), try harness.photo("3.jpg", "back;x"),
        ])
        #expect(try await harness.states() == ["superseded:superseded", "delivered", "delivered"])
        #expect(harness.backend.accepted.map(\.image) == [Data("front;\(Holder.first);two".utf8), Data("back;x".utf8)])
    }

    @Test("Fronts of two persons under one number are both held and nothing is sent", arguments: StoreKind.allCases)
    func holderConflict(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        #expect(
            try await harness.run([
                try harness.photo("1.jpg", "front;\(Holder.first)"),
                try harness.photo("2.jpg", "front;\(Holder.second)"),
            ]) == .complete
        )
        #expect(try await harness.states() == ["held:holder_conflict", "held:holder_conflict"])
        #expect(harness.backend.attempts.isEmpty)
    }

    @Test(
        "A back whose front is refused stays verified, blocked; a new front lets it go",
        arguments: StoreKind.allCases
    )
    func blockedBack(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        #expect(
            try await harness.run([
                try harness.photo("1.jpg", "front;110101199003070012"), try harness.photo("2.jpg", "back;x"),
            ]) == .complete
        )
        #expect(try await harness.states() == ["rejected:id_number_checksum", "verified:blocked_by_front"])
        #expect(harness.backend.attempts.isEmpty)
        try await harness.run([try harness.photo("3.jpg", "front;\(Holder.first)")])
        #expect(try await harness.states() == ["rejected:id_number_checksum", "delivered", "delivered"])
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"])
    }

    @Test("A back without a front is delivered at the end of the batch", arguments: StoreKind.allCases)
    func backWithoutFront(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        try await harness.run([try harness.photo("1.jpg", "back;x")])
        #expect(try await harness.states() == ["delivered"])
    }

    @Test(
        "A back does not go while its front cannot be read, or was refused before: the run after it sends both in order",
        arguments: StoreKind.allCases,
        [false, true]
    )
    func frontUnreadable(kind: StoreKind, before: Bool) async throws {
        let harness = try PipelineHarness(kind)
        let front = try harness.photo("1.jpg", "front;\(Holder.first)")
        let back = try harness.photo("2.jpg", "back;x")
        var unread = front
        if before {
            let metadata = try front.takenMetadata
            unread.disposition = .refuse(.sourceUnreadable, message: "m", of: metadata.businessNumber)
        } else {
            unread.path = Redacted(harness.folder + "/gone.jpg")
        }
        #expect(try await harness.run([back, unread]) == .complete)
        #expect(try await harness.states() == ["verified:blocked_by_front"])
        #expect(harness.backend.attempts.isEmpty)
        try await harness.run([back, front])
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"])
    }

    @Test("A back goes although another photo that says it is a back cannot be read", arguments: StoreKind.allCases)
    func backUnreadable(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        var unread = try harness.photo("1.jpg", "back;y")
        var metadata = try unread.takenMetadata
        metadata.side = .back
        unread.disposition = .take(metadata)
        unread.path = Redacted(harness.folder + "/gone.jpg")
        try await harness.run([try harness.photo("2.jpg", "back;x"), unread])
        #expect(try await harness.states() == ["delivered"])
    }

    @Test("An unreadable image is rejected, beside it good cards are delivered; again it is a duplicate")
    func unreadable() async throws {
        let harness = try PipelineHarness(.sqlite)
        let items = [
            try harness.photo("1.jpg", "broken", number: "B-9"), try harness.photo("2.jpg", "front;\(Holder.first)"),
        ]
        try await harness.run(items)
        #expect(try await harness.states() == ["rejected:image_corrupt", "delivered"])
        try await harness.run(items)
        #expect(try await harness.cards().count == 2)
    }

    @Test("An input that vanished is refused without a card, others go on")
    func vanished() async throws {
        let harness = try PipelineHarness(.memory)
        let gone = try harness.photo("1.jpg", "back;gone")
        try FileManager.default.removeItem(atPath: harness.folder + "/1.jpg")
        try await harness.run([gone, try harness.photo("2.jpg", "front;\(Holder.first)")])
        #expect(try await harness.states() == ["delivered"])
        guard case .refused(.sourceUnreadable, let message) = harness.results()[0] else {
            Issue.record("not refused: \(String(describing: harness.results()[0]))")
            return
        }
        #expect(!message.contains(harness.folder), "a path in a message")
    }

    @Test("Refused and ignored inputs are told and store nothing")
    func refusedInputs() async throws {
        let harness = try PipelineHarness(.memory)
        let refused = IntakeItem(source: "x", path: "/x", disposition: .refuse(.businessNumberMissing, message: "m"))
        try await harness.run([refused, IntakeItem(source: "y", path: "/y", disposition: .ignore)])
        #expect(harness.results() == [0: .refused(.businessNumberMissing, message: "m"), 1: .ignored])
        #expect(try await harness.cards().isEmpty)
    }

    @Test("Cards with a higher priority are verified first")
    func priorities() async throws {
        let held = Holder.first
        let (gate, open) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let verifier = ScriptedVerifier { call in
            // The first call waits until everything is taken in, so that the rest is claimed in order of priority.
            if call.image == Data("back;gate".utf8) { for await _ in gate { break } }
            return .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.sqlite, verifier: verifier) {
            $0.verifyConcurrency = 1
            $0.prepareConcurrency = 1
        }
        let gated = try harness.photo("0.jpg", "back;gate", number: "B-0", priority: 99)
        let items =
            try [gated]
            + [0, 5, -1, 9].enumerated().map { index, priority in
                try harness.photo(
                    "\(index + 1).jpg",
                    "front;\(held);\(priority)",
                    number: "B-\(index + 1)",
                    priority: priority
                )
            }
        async let ending = harness.run(items)
        var takenIn = 0
        _ = await harness.log.first { event in
            guard case .input = event else { return false }
            takenIn += 1
            return takenIn == items.count
        }
        open.yield()
        open.finish()
        #expect(try await ending == .complete)
        let order = harness.verifier.images.map { String(decoding: $0, as: UTF8.self) }
        #expect(order.dropFirst().map { $0.split(separator: ";").last } == ["9", "5", "0", "-1"])
    }

    @Test("No stage has more under way than its limit, and uses it")
    func concurrency() async throws {
        let harness = try PipelineHarness(
            .sqlite,
            verifier: ScriptedVerifier { call in
                await Task.yield()
                return .read(PhotoText(call.image).reading)
            }
        ) {
            $0.verifyConcurrency = 3
            $0.deliverConcurrency = 2
            $0.prepareConcurrency = 4
        }
        let items = try (0..<60).map { index in
            try harness.photo("\(index).jpg", "front;\(Holder.first);\(index)", number: "B-\(index)")
        }
        try await harness.run(items)
        #expect(harness.backend.accepted.count == 60)
        #expect(harness.verifier.mostInFlight <= 3)
        #expect(harness.backend.mostInFlight <= 2)
        #expect(harness.verifier.mostInFlight > 1)
    }
}
