import Foundation
import IDCardCore
import IDCardPipeline

/// An invented input, different for every number.
struct Sample: Sendable {
    let admission: Admission

    init(
        _ number: Int,
        businessNumber: String = "CASE-1",
        bytes: String? = nil,
        priority: Int = 0,
        side: CardSide? = nil,
        file: FileIdentity? = nil,
        content: Admission.Content? = nil
    ) throws {
        let image = PreparedImage.sample(number)
        self.admission = Admission(
            id: CardID(rawValue: "card-\(number)"),
            metadata: CardMetadata(
                businessNumber: try .sample(businessNumber),
                userNumber: Redacted("user-\(number)"),
                side: side,
                priority: priority
            ),
            sourceDigest: .sample(bytes ?? "source \(number)"),
            file: file,
            intakeOrder: Int64(number),
            content: content ?? .prepared(image)
        )
    }

    var id: CardID { self.admission.id }

    /// The key under which a reading of the sample's image is kept.
    var readingKey: ReadingKey {
        let number = Int(self.admission.intakeOrder)
        return ReadingKey(
            imageDigest: PreparedImage.sample(number).digest,
            provider: "faceid-v1",
            parameters: "legality=1"
        )
    }
}

extension PreparedImage {
    /// Bytes that no decoder sees; stores do not look into them.
    static func sample(_ number: Int, byteCount: Int = 20_000) -> PreparedImage {
        let jpeg = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
        return PreparedImage(jpeg: jpeg, width: 856, height: 540, digest: ContentDigest(of: jpeg))
    }
}

extension BusinessNumber {
    static func sample(_ text: String) throws -> BusinessNumber {
        try require(BusinessNumber(text), "business number \(text)")
    }
}

extension ContentDigest {
    static func sample(_ text: String) -> ContentDigest { ContentDigest(of: Data(text.utf8)) }
}

extension CardReading {
    /// A front with the example number of GB 11643-1999, or another.
    static func front(number: String = "11010519491231002X") -> CardReading {
        CardReading(
            side: .front,
            fields: CardFields(name: "样本甲", address: "样本路 1 号", number: number),
            legality: Legality(vendorScores: ["ID Photo": 0.93, "Photocopy": 0.07]),
            requestID: "request-1"
        )
    }

    /// An emblem side.
    static func back() -> CardReading {
        CardReading(side: .back, fields: CardFields(issuer: "样本市公安局", validity: "2020.01.01-2040.01.01"))
    }
}

extension AttemptRecord {
    static let accepted = AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: .second(0))

    static func ended(_ failureClass: FailureClass, code: String = "sample_code") -> AttemptRecord {
        AttemptRecord(failureClass: failureClass, code: code, httpStatus: nil, startedAt: .second(0))
    }
}

extension Delivery {
    static func sample(_ key: String, of cards: [Card]) -> Delivery {
        let images = cards.map {
            DeliveryPart.image(of: $0.id, name: "file", filename: "front.jpg", contentType: "image/jpeg")
        }
        return Delivery(
            id: DeliveryID(rawValue: key),
            boundary: "boundary-of-\(key)",
            parts: [.text("token-1", name: "TOKEN"), .text("样本", name: "note")] + images,
            members: cards.map(\.id),
            businessNumbers: cards.map(\.metadata.businessNumber).reduce(into: []) { numbers, number in
                if !numbers.contains(number) { numbers.append(number) }
            }
        )
    }
}

extension FileIdentity {
    static func sample(
        path: String = "/inbox/photo.jpg",
        inode: UInt64 = 7,
        size: Int64 = 1000,
        modified: Int64 = 1_700_000_000_123_456_789
    ) -> FileIdentity {
        FileIdentity(path: path, device: 1, inode: inode, size: size, modifiedNanoseconds: modified)
    }
}

extension Timestamp {
    /// So many seconds after an arbitrary moment.
    static func second(_ seconds: Int64) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: 1_760_000_000_000 + seconds * 1000)
    }
}
