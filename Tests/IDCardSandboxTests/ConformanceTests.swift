import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// Both stores keep every promise of `CardStore`.
struct ConformanceTests {
    @Test("the SQLite store keeps the promise", arguments: CardStoreConformance.cases)
    func sandbox(promise: CardStoreConformance.Case) async throws {
        let folder = SandboxFolder()
        let subject = StoreSubject(
            store: try folder.open(),
            another: { try folder.open() },
            end: { store in try (store as? SandboxStore)?.die() }
        )
        try await promise.run(subject)
    }

    @Test("the in-memory store keeps the promise", arguments: CardStoreConformance.cases)
    func memory(promise: CardStoreConformance.Case) async throws {
        let store = InMemoryStore()
        let subject = StoreSubject(
            store: store,
            another: { InMemoryStore(sharing: store) },
            end: { store in (store as? InMemoryStore)?.die() }
        )
        try await promise.run(subject)
    }

    @Test("every promise has words of its own")
    func names() {
        let names = CardStoreConformance.cases.map(\.description)
        #expect(Set(names).count == names.count)
        #expect(names.count > 40)
    }
}
