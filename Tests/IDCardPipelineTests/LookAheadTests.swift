import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// Inputs are looked up while those before them are dealt with.
@Suite("Looking inputs up ahead", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct LookAheadTests {
    @Test("New inputs among many known ones are found in every window, each taken once and in its order")
    func someNew() async throws {
        let harness = try PipelineHarness(.sqlite)
        let items = try (0..<1100).map {
            try harness.photo("\($0).jpg", "front;\(Holder.first);\($0)", number: "B-\($0)")
        }
        // In the first window; after three that had none, in one of 512 and at its end; in the small ones that follow.
        let new: Set = [5, 63, 700, 1023, 1024, 1099]
        try await harness.run(items.indices.filter { !new.contains($0) }.map { items[$0] })
        let before = try await harness.store.stateCounts().values.reduce(0, +)
        try await harness.run(items)
        var orders: [Int64] = []
        for (index, result) in harness.results().sorted(by: { $0.key < $1.key }) {
            switch result {
            case .admitted(let card):
                #expect(new.contains(index))
                #expect(card.metadata.businessNumber.rawValue == "B-\(index)")
                orders.append(card.intakeOrder)
            case .duplicate(let card, wasRead: false):
                #expect(!new.contains(index))
                #expect(card.metadata.businessNumber.rawValue == "B-\(index)")
            default: Issue.record("\(index): \(result)")
            }
        }
        #expect(harness.results().count == items.count)
        #expect(orders.count == new.count)
        #expect(orders == orders.sorted())
        #expect(try await harness.store.stateCounts().values.reduce(0, +) == before + new.count)
        #expect(harness.backend.attempts.count == items.count)
    }

    @Test(
        "The same bytes in neighbouring windows, all new, become one card that is sent once",
        arguments: StoreKind.allCases
    )
    func sameBytes(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let items = try (0..<140).map { index in
            let content = [70, 130].contains(index) ? 5 : index
            return try harness.photo("\(index).jpg", "front;\(Holder.first);\(content)", number: "B-\(content)")
        }
        #expect(try await harness.run(items) == .complete)
        let results = harness.results()
        #expect(results.count == items.count)
        #expect(try await harness.cards().count == 138)
        #expect(harness.backend.attempts.count == 138)
        #expect(harness.verifier.images.count == 138)
        #expect(Set([5, 70, 130].map { results[$0]?.cardID }).count == 1)
        let isNew = [5, 70, 130].map { if case .admitted = results[$0] { true } else { false } }
        #expect(isNew.count(where: \.self) == 1)
    }

    @Test(
        "Of known inputs that say different things of one card, the last one counts",
        arguments: StoreKind.allCases
    )
    func lastWord(kind: StoreKind) async throws {
        // None of them is sent, so that what their senders say is still taken over.
        let harness = try PipelineHarness(
            kind,
            verifier: ScriptedVerifier { _ in .failed(RemoteFailure(.rejected, code: "c", message: "m")) }
        )
        let photos = try (0..<140).map { index in
            let content = index == 70 ? 5 : index
            return try harness.photo("\(index).jpg", "front;\(Holder.first);\(content)", number: "B-\(content)")
        }
        func items(first: String, last: String) -> [IntakeItem] {
            photos.enumerated().map { index, photo in
                var item = photo
                guard case .take(var metadata) = item.disposition else { return item }
                metadata.userNumber = Redacted(index == 5 ? first : last)
                item.disposition = .take(metadata)
                return item
            }
        }
        func user() async throws -> String? {
            try await harness.cards().first { $0.metadata.businessNumber.rawValue == "B-5" }?.metadata.userNumber?
                .reveal()
        }
        try await harness.run(items(first: "U-2", last: "U-2"))
        #expect(try await user() == "U-2")
        try await harness.run(items(first: "U-1", last: "U-2"))
        #expect(try await user() == "U-2")
        try await harness.run(items(first: "U-2", last: "U-1"))
        #expect(try await user() == "U-1")
    }
}
