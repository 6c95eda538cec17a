import CardModel
import Foundation
import TestSupport
import Testing

/// What a value shows in every way in which code prints values without asking for their content.
struct PrintedForms {
    private let texts: [String]

    init(_ value: some Any) {
        var dumped = ""
        dump(value, to: &dumped)
        self.texts = ["\(value)", String(describing: value), String(reflecting: value), dumped]
    }

    /// Whether none of the texts shows a secret.
    func hide(_ secrets: [String]) -> Bool {
        self.texts.allSatisfy { text in !secrets.contains(where: text.contains) }
    }
}

/// Personal data and secrets do not print themselves.
@Suite struct RedactionTests {
    private static let secret = "canary-7f3a"

    private static var reading: CardReading {
        var reading = CardReading(
            side: .front,
            fields: CardFields(
                name: secret,
                gender: secret,
                ethnicity: secret,
                birthDate: secret,
                address: secret,
                number: secret,
                issuer: secret,
                validity: secret
            )
        )
        reading.others = [reading]
        return reading
    }

    private static func metadata() -> CardMetadata {
        CardMetadata(
            businessNumber: BusinessNumber(stored: "B-1"),
            userNumber: Redacted(secret),
            expectedIDNumber: Redacted(secret),
            expectedName: Redacted(secret)
        )
    }

    private static func values() throws -> [any Sendable] {
        let bytes = Data(secret.utf8)
        let text = DeliveryPart.text(secret, name: "TOKEN")
        let delivery = OutboundDelivery(
            idempotencyKey: "k",
            boundary: "b",
            parts: [text],
            images: [CardID(rawValue: "c"): bytes],
            confidential: [Redacted(secret)]
        )
        let image = PreparedImage(jpeg: bytes, width: 1, height: 1, digest: ContentDigest(of: bytes))
        let item = Photo(.address(Redacted(secret)), name: Redacted(secret), metadata: metadata())
        let error = CodedError(.sourceUnreadable, .input, Message("test.gone", "\(Redacted(secret)) is gone"))
        let failure = RemoteFailure(.rejected, code: "X", message: error.message)
        var fields = try SubmittedFields([.userNumber: secret, .expectedName: secret])
        fields.expectedIDNumber = Redacted(secret)
        return [
            Redacted(secret), [Redacted(secret)], Optional(Redacted(secret)) as any Sendable, reading, metadata(), text,
            delivery, image, item, RefusedInput(name: Redacted(secret), error: error), error, failure,
            VerificationOutcome.read(reading), DeliveryOutcome.failed(failure), FileIdentity(path: secret, stat()),
            fields,
        ]
    }

    @Test func `No type that can hold a person's data or a secret prints it`() throws {
        for value in try Self.values() {
            #expect(PrintedForms(value).hide([Self.secret, "99, 97, 110"]), "\(type(of: value))")
        }
    }

    @Test func `An identity number and a digest do not print themselves`() throws {
        #expect(PrintedForms(try IDNumber.parse("11010519491231002X").get()).hide(["1101", "1949, ", "002X"]))
        let digest = ContentDigest(of: Data("abc".utf8))
        #expect(PrintedForms(digest).hide(["ba78", "186, 120", "BA78"]))
    }

    @Test func `A redacted value is reached by name, compared and stored as what it is`() throws {
        let fields = CardFields(name: "样本甲", number: "1101")
        let stored = try JSONEncoder().encode(fields)
        #expect(try JSONDecoder().decode(CardFields.self, from: stored) == fields)
        #expect(String(decoding: stored, as: UTF8.self).contains(#""name":"样本甲""#))
        #expect(fields.all.map { $0.reveal() } == ["样本甲", "1101"])
        #expect(Redacted("a") != Redacted("b") && Redacted("a").hashValue == Redacted("a").hashValue)
    }

    @Test func `A card's document shows what lists may show, every key always`() throws {
        var card = Card.sample(.rejected, .refusedByRemote, side: nil)
        card.remoteCode = "E7"
        card.message = Message("test.secret", "\(Redacted(Self.secret))")
        card.metadata = Self.metadata()
        #expect(PrintedForms(card).hide([Self.secret]))
        func json(_ card: Card) -> String { JSONText.line(card) }
        #expect(
            json(card) == """
                {"business_no":"B-1","card_id":"c-1","changed_at":"1970-01-01T00:00:00.001Z",\
                "created_at":"1970-01-01T00:00:00.000Z","reason":"E7","side":null,"state":"rejected"}
                """
        )
        #expect(card.text() == "c-1  rejected    -      B-1  E7")
        card.reason = nil
        card.metadata.side = .back
        #expect(json(card).contains(#""reason":null,"side":"back""#))
    }
}
