import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Names that sandboxes hold: what an earlier build sealed, encoded and fingerprinted means the same, whatever the code calls
/// it by now. The bytes are those of the last commit before the names were written out.
@Suite struct StoredNamesTests {
    private static let card = CardID(rawValue: "card-1")
    private let vault: Vault
    private let key: CardKey

    init() throws {
        let wrapping = try #require(VaultKey(Data(repeating: 7, count: 32)))
        let ring = KeyRing(wrapping)
        self.vault = try Vault(ring: ring, keyID: wrapping.id, sealedKeys: Self.bytes(StoredBytes.storeKeys))
        self.key = try self.vault.unwrap(Self.bytes(StoredBytes.cardKey), keyID: wrapping.id, of: Self.card)
    }

    private static func bytes(_ text: String) throws -> Data { try #require(Data(base64Encoded: text)) }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Whether a value opens, and is encoded under the names that it was stored with.
    private func check<Value: Codable>(_ type: Value.Type, _ column: SealedColumn, _ stored: StoredBytes.Sealed) throws
    {
        let value = try self.key.open(json: Self.bytes(stored.bytes), as: type, column: column)
        #expect(try Self.json(value) == stored.json)
    }

    @Test func `what is sealed of a card opens, and is sealed under the same names`() throws {
        try self.check(SealedMetadata.self, .cardMetadata, StoredBytes.metadata)
        try self.check(Message.self, .cardMessage, StoredBytes.message)
        try self.check(Redacted<String>.self, .decisionMessage, StoredBytes.decision)
        try self.check(SealedAddress.self, .address, StoredBytes.address)
        try self.check(KeptAnswer.self, .answer, StoredBytes.answer)
        try self.check([DeliveryPart].self, .parts, StoredBytes.parts)
        let reading = SealedColumn.reading(provider: "faceid-v1", parameters: "legality=1")
        try self.check(StoredReading.self, reading, StoredBytes.reading)
        #expect(try self.key.open(Self.bytes(StoredBytes.image), column: .image) == Data("image".utf8))
        #expect(try self.key.open(Self.bytes(StoredBytes.piece), column: .source(1_048_576)) == Data("piece".utf8))
    }

    @Test(arguments: [StoredBytes.report, StoredBytes.certificate])
    func `what is stored in the clear is read, and written under the same names`(text: String) throws {
        let isReport = text == StoredBytes.report
        let decoder = JSONDecoder()
        let again =
            isReport
            ? try Self.json(decoder.decode(SourceRun.Report.self, from: Data(text.utf8)))
            : try Self.json(decoder.decode(ErasureCertificate.self, from: Data(text.utf8)))
        #expect(again == text)
    }

    @Test(arguments: StoredBytes.fingerprints)
    func `what is known by its fingerprint is known again`(purpose: String, fingerprint: String) throws {
        let purpose = try #require(Vault.Purpose(rawValue: purpose))
        #expect(self.vault.fingerprint(Data("x".utf8), purpose).base64EncodedString() == fingerprint)
    }

    @Test func `the chain of the access log goes on`() {
        #expect(self.vault.chainCode(of: Data("x".utf8)).base64EncodedString() == StoredBytes.chain)
    }

    private static func words<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> String {
        type.allCases.map(\.rawValue).joined(separator: " ")
    }

    @Test func `words in rows stay`() {
        #expect(
            Self.words(of: CardState.self)
                == "fetching received prepared verified delivering delivered rejected failed held superseded erased"
        )
        #expect(Self.words(of: CardSide.self) == "front back")
        #expect(
            Self.words(of: CaseState.self) == "decide failed retake in_progress incomplete complete rejected erased"
        )
        #expect(Self.words(of: DeliveryState.self) == "open kept delivered refused dissolved closed")
        #expect(Self.words(of: BlobKind.self) == "image source address")
        #expect(Self.words(of: RunState.self) == "queued running ended")
        #expect(Self.words(of: Stage.self) == "fetch prepare verify deliver")
        #expect(Self.words(of: DeliveryLayoutKind.self) == "single application batch")
        #expect(Self.words(of: DeliveryBody.self) == "multipart octet-stream")
        #expect(Self.words(of: DecisionAction.self) == "accept delivered resend anew retake reject holder retry erase")
        #expect(
            Self.words(of: RetakeReason.self)
                == """
                retake_blurred retake_glare retake_incomplete retake_wrong_side retake_not_original \
                retake_wrong_document retake_expired retake_other_person retake_mismatch retake_other \
                retake_number
                """
        )
        #expect(
            Self.words(of: FailureClass.self)
                == "accepted rejected shrink throttled not_sent transient unknown stop"
        )
        #expect(
            Self.words(of: AccessAction.self)
                == """
                show reveal reveal_denied export list log verify deliver erase retry resolve decide run backup restore \
                rotate resume four_eyes
                """
        )
        #expect([Sandbox.Kind.embedded, .real].map(\.rawValue) == ["embedded", "real"])
        #expect([Receipt.Kind.idempotencyKey, .webhook].map(\.rawValue) == ["idempotencyKey", "webhook"])
    }
}
