import Foundation
import IDCardCore
import IDCardPipeline
import Testing

/// Every type that carries something of a person, with a canary in each place of it.
@Suite("Types that hide")
struct HidingTests {
    private static let canary = "sentinel-sample-person"
    /// Few enough bytes for `Data` to print each of them.
    private static let bytes = Data(canary.utf8)
    /// How `dump` prints the first bytes of such data.
    private static let dumped = bytes.prefix(4).map { "- \($0)" }

    private static let values: [@Sendable () throws -> Any] = [
        { Redacted(canary) },
        { fields },
        { CardReading(side: .front, fields: fields, others: [CardReading(side: .back, fields: fields)]) },
        { try metadata() },
        { try card() },
        {
            CardDetails(
                card: try card(),
                reading: CardReading(side: nil, fields: fields),
                imageByteCount: 1,
                events: []
            )
        },
        { image },
        { ContentDigest(of: bytes) },
        { ContentDigest(stored: bytes) },
        { ReadingKey(imageDigest: ContentDigest(stored: bytes), provider: "p", parameters: "q") },
        { Admission.Content.prepared(image) },
        {
            Admission(
                id: CardID(rawValue: "c"),
                metadata: try metadata(),
                sourceDigest: ContentDigest(stored: bytes),
                file: file,
                intakeOrder: 1,
                content: .prepared(image)
            )
        },
        { file },
        { IntakeItem(source: canary, path: "/" + canary, disposition: .take(try metadata())) },
        { DeliveryPart.text(canary, name: "TOKEN") },
        { try member() },
        { try delivery() },
        {
            OutboundDelivery(
                idempotencyKey: "key",
                boundary: "boundary",
                parts: [.text(canary, name: "TOKEN")],
                images: [CardID(rawValue: "c"): bytes],
                confidential: [Redacted(canary)]
            )
        },
        { ImagePreparation.Outcome.prepared(image) },
        { InputResult.admitted(try card()) },
        { PipelineEvent.cardChanged(try card()) },
        { VerificationOutcome.read(CardReading(side: nil, fields: fields)) },
        { Preparing(digest: ContentDigest(stored: bytes), slot: 0, crashes: 0) },
    ]

    private static let fields = CardFields(
        name: canary,
        gender: canary,
        ethnicity: canary,
        birthDate: canary,
        address: canary,
        number: canary,
        issuer: canary,
        validity: canary
    )

    private static let image = PreparedImage(jpeg: bytes, width: 1, height: 1, digest: ContentDigest(stored: bytes))
    private static let file = FileIdentity(path: "/" + canary, device: 1, inode: 2, size: 3, modifiedNanoseconds: 4)

    private static func number() throws -> BusinessNumber { try #require(BusinessNumber("B-1")) }

    private static func metadata() throws -> CardMetadata {
        CardMetadata(
            businessNumber: try number(),
            userNumber: Redacted(canary),
            expectedIDNumber: Redacted(canary),
            expectedName: Redacted(canary)
        )
    }

    private static func card() throws -> Card {
        let time = Timestamp(millisecondsSinceEpoch: 0)
        return Card(
            id: CardID(rawValue: "c"),
            state: .prepared,
            metadata: try metadata(),
            intakeOrder: 1,
            createdAt: time,
            changedAt: time
        )
    }

    private static func member() throws -> DeliveryMember {
        DeliveryMember(
            card: CardID(rawValue: "c"),
            side: .front,
            businessNumber: try number(),
            userNumber: Redacted(canary)
        )
    }

    private static func delivery() throws -> Delivery {
        Delivery(
            id: DeliveryID(rawValue: "d"),
            boundary: "boundary",
            parts: [.text(canary, name: "TOKEN")],
            members: [CardID(rawValue: "c")],
            businessNumbers: [try number()]
        )
    }

    @Test("Nothing of a person is in any way of printing them", arguments: values.indices)
    func hides(index: Int) throws {
        let value = try Self.values[index]()
        var dumped = ""
        dump(value, to: &dumped)
        dump([value], to: &dumped)
        let forms = [
            "\(value)", String(describing: value), String(reflecting: value), dumped, "\(Optional(value) as Any)",
            String(reflecting: Mirror(reflecting: value).children.map(\.value)),
        ]
        for form in forms {
            #expect(!form.contains(Self.canary), "\(type(of: value))")
            #expect(!Self.dumped.allSatisfy(form.contains), "\(type(of: value)) prints bytes")
        }
    }

    @Test("The same search finds what does not hide")
    func canFail() {
        var dumped = ""
        dump(Self.bytes, to: &dumped)
        #expect(Self.dumped.allSatisfy(dumped.contains))
    }
}
