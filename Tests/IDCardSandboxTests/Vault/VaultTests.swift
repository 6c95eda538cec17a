import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What is sealed opens in its own place, as it was, with its own key, and in no other way.
struct VaultTests {
    let folder = SandboxFolder()
    private static let secret = Data("样本甲 110101199003070011".utf8)

    /// Seals the secret for a card in a column.
    private func sealed(_ store: SandboxStore, card: String = "a", column: String = "card.message") async throws -> Data
    {
        try await store.writer.write { try store.vault.seal(Self.secret, card: card, column: column, in: $0) }
    }

    private func open(_ bytes: Data, _ store: SandboxStore, card: String = "a", column: String = "card.message")
        async throws -> Data
    {
        try await store.read { try store.vault.open(bytes, card: card, column: column, in: $0) }
    }

    private func expectRefusal(_ body: () async throws -> Data) async {
        let error = await #expect(throws: StoreError.self) { try await body() }
        #expect(error?.code == .corrupt)
        #expect(error?.cause == nil)
        #expect(error.map { !"\($0)".contains("样本甲") } == true)
    }

    @Test("a value opens as it was, and no two sealings of it are alike")
    func roundTrip() async throws {
        let store = try self.folder.open()
        let one = try await self.sealed(store)
        let two = try await self.sealed(store)
        #expect(one != two)
        #expect(one.count == Self.secret.count + SealedValue.overhead)
        #expect(one.first == 1)
        #expect(one.range(of: Self.secret.prefix(9)) == nil)
        #expect(try await self.open(one, store) == Self.secret)
        #expect(try await self.open(two, store) == Self.secret)
    }

    @Test("every flipped bit position of a value, and every shortening, is refused")
    func damaged() async throws {
        let store = try self.folder.open()
        let whole = try await self.sealed(store)
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1 << (index % 8)
            await self.expectRefusal { try await self.open(bytes, store) }
            await self.expectRefusal { try await self.open(whole.prefix(index), store) }
        }
        await self.expectRefusal { try await self.open(whole + [0], store) }
    }

    @Test("a value opens neither in another column, nor for another card, nor for a delivery")
    func places() async throws {
        let store = try self.folder.open()
        let value = try await self.sealed(store)
        _ = try await self.sealed(store, card: "b")
        await self.expectRefusal { try await self.open(value, store, column: "card.expected_name") }
        await self.expectRefusal { try await self.open(value, store, card: "b") }
        await self.expectRefusal {
            try await store.read { try store.vault.open(value, delivery: "a", column: "delivery.parts", in: $0) }
        }
    }

    @Test("a wrapped key serves no other owner")
    func wrappedKeys() async throws {
        let store = try self.folder.open()
        let value = try await self.sealed(store)
        _ = try await self.sealed(store, card: "b")
        try self.folder.raw { db in
            try db.execute(
                sql: "UPDATE data_key SET bytes = (SELECT bytes FROM data_key WHERE owner = 'b') WHERE owner = 'a'"
            )
        }
        await self.expectRefusal { try await self.open(value, store) }
    }

    @Test("without its data key a value is lost, whoever holds the key of the sandbox")
    func destroyedKey() async throws {
        let store = try self.folder.open()
        let value = try await self.sealed(store)
        try await store.writer.write { try store.destroyKey(of: "a", in: $0) }
        await self.expectRefusal { try await self.open(value, store) }
        // What is sealed for the same owner later has another key.
        _ = try await self.sealed(store)
        await self.expectRefusal { try await self.open(value, store) }
    }

    @Test("values swapped between cards and columns of the file are refused by the store")
    func swappedRows() async throws {
        let store = try self.folder.open(storage: SandboxFolder.storageWithoutCache)
        for number in 1...2 {
            var admission = try Admission.sample(number)
            admission.metadata.expectedName = Redacted("样本甲")
            _ = try await store.admit(admission, now: .second(1))
        }
        let swaps = [
            "UPDATE image SET jpeg = (SELECT jpeg FROM image WHERE card = 'card-2') WHERE card = 'card-1'",
            "UPDATE image SET jpeg = digest WHERE card = 'card-1'",
        ]
        for swap in swaps {
            try self.folder.raw { try $0.execute(sql: swap) }
            await #expect(throws: StoreError.self) { try await store.preparedImage(of: CardID(rawValue: "card-1")) }
        }
        try self.folder.raw { try $0.execute(sql: "UPDATE card SET expected_name = user_number WHERE id = 'card-2'") }
        let card = try #require(try await store.card(CardID(rawValue: "card-2")))
        #expect(card.metadata == CardMetadata(businessNumber: card.metadata.businessNumber), "shown without it")
    }

    @Test("where nothing is encrypted a value is stored as it is")
    func unencrypted() async throws {
        let store = try SandboxFolder(vault: .unencrypted).open()
        #expect(try await self.sealed(store) == Self.secret)
        #expect(try await self.open(Self.secret, store) == Self.secret)
    }
}
