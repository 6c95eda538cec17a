import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// The sandbox of `fixtures/sandbox`, which an earlier build filled: this build opens it and knows what is in it.
@Suite struct FixtureSandboxTests {
    private struct Expected: Decodable {
        struct Photo: Decodable {
            let cardId: String, businessNo: String, state: String, imageBytes: Int?
            let fields: [String: String]?
            let submitted: [String: String?]
        }
        struct File: Decodable {
            let path: String, businessNo: String
            let device: UInt64, inode: UInt64
            let size: Int64, modified: Int64, changed: Int64
        }

        let cards: [Photo], files: [File]
        let erased: String, pair: String
    }

    private let copy: FixtureSandbox
    private let expected: Expected

    init() throws {
        self.copy = try FixtureSandbox()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self.expected = try decoder.decode(Expected.self, from: self.copy.expected)
    }

    private func with(_ body: (Sandbox) async throws -> Void) async throws {
        let key = try #require(VaultKey(text: self.copy.key))
        let store = try await Sandbox.open(
            path: copy.folder,
            kind: .real,
            ring: KeyRing(key),
            creating: false,
            now: Timestamp(Date())
        )
        defer { try? store.close() }
        try await body(store)
    }

    @Test func `each card is revealed as it was, and nothing is wrong with the sandbox`() async throws {
        try await self.with { store in
            #expect(self.expected.cards.count == 9)
            for card in self.expected.cards {
                let id = CardID(rawValue: card.cardId)
                let export = try await store.listings.reveal(
                    id,
                    to: AccessOrigin(actor: "test", purpose: "fixture"),
                    now: Timestamp(Date())
                )
                #expect(export.card.state.rawValue == card.state)
                #expect(export.card.metadata.businessNumber == BusinessNumber(stored: card.businessNo))
                #expect(export.fields == card.fields)
                #expect(export.submitted?.inputName == card.submitted["input_name"])
                #expect(export.submitted?.userNo == card.submitted["user_no"])
                #expect(export.submitted?.expectedName == card.submitted["expected_name"])
                #expect(export.imageBytes == card.imageBytes)
            }
            #expect(try await store.upkeep.check().isEmpty)
        }
    }

    @Test func `no known file is read again, and known bytes are the known card`() async throws {
        try await self.with { store in
            let items = self.expected.files.map { file in
                var identity = FileIdentity(path: file.path, stat())
                (identity.device, identity.inode, identity.size) = (file.device, file.inode, file.size)
                (identity.modifiedNanoseconds, identity.changedNanoseconds) = (file.modified, file.changed)
                let metadata = CardMetadata(businessNumber: BusinessNumber(stored: file.businessNo))
                return Photo(.file(identity), name: Redacted(file.path), metadata: metadata)
            }
            let known = try await store.intake.known(items, of: Caller.process.subject, now: Timestamp(Date())).cards
            let ids = Set(known.compactMap { $0?.card.rawValue })
            #expect(ids.count == items.count && ids.isSubset(of: self.expected.cards.map(\.cardId)))
        }
    }

    @Test func `the sides of a pair are compared by their stored readings`() async throws {
        try await self.with { store in
            var rules = VerdictRules()
            rules.severities[.spanForAge] = .hold
            let terms = DecidingTerms(policy: CasePolicy(), rules: rules)
            let now = Timestamp(Date())
            let look = try await store.deliveries.proposeDeliveries(limit: 10, excluding: [], terms: terms, now: now)
            let number = BusinessNumber(stored: self.expected.pair)
            _ = try await store.deliveries.decide(look.proposals.filter { $0.number == number }, now: now)
            let pair = self.expected.cards.filter { $0.businessNo == self.expected.pair }
            let states = try await store.listings.status(of: pair.map { CardID(rawValue: $0.cardId) })
            #expect(states.count == 2)
            #expect(states.allSatisfy { $0.state == .held && $0.reason == VerdictRule.spanForAge.reason })
        }
    }
}
