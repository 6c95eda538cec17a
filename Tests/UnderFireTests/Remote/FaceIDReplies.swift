import Foundation
import IDCardCore
import IDCardTesting

/// A verification service that speaks FaceID v1 and reads photos that are lines of text.
enum FaceIDReplies {
    /// Answers a request by the first line of its image; 400 if it is no whole form with key and image.
    static func answer(_ request: ReceivedRequest) -> FaultReply {
        guard let form = try? RemoteForm(request), form.text("api_key") == "key", let image = form.image else {
            return .json(#"{"error_message":"BAD_ARGUMENTS"}"#, status: "400 Bad Request")
        }
        return self.reading(of: image)
    }

    /// The reading of an image.
    static func reading(of image: Data) -> FaultReply {
        let reading = PhotoText(PhotoLine.text(of: image)).reading
        let fields = reading.fields
        var members: [String: Any] = ["request_id": "specimen", "time_used": 7]
        members["side"] = reading.side?.rawValue
        members["name"] = fields.name?.reveal()
        members["gender"] = fields.gender?.reveal()
        members["race"] = fields.ethnicity?.reveal()
        members["address"] = fields.address?.reveal()
        members["id_card_number"] = fields.number?.reveal()
        members["issued_by"] = fields.issuer?.reveal()
        members["valid_date"] = fields.validity?.reveal()
        members["birthday"] = fields.birthDate.map { hidden in
            let date = hidden.reveal()
            return ["year": date.prefix(4), "month": date.dropFirst(4).prefix(2), "day": date.suffix(2)]
                .mapValues(String.init)
        }
        members["legality"] = reading.legality?.scores
        let body = try? JSONSerialization.data(withJSONObject: members)
        return .json(body.map { String(decoding: $0, as: UTF8.self) } ?? "{}")
    }
}

/// A photo for these tests: a line of text that says what is on it, and as many bytes after it as are wanted.
enum PhotoLine {
    /// Makes a photo.
    static func image(_ text: String, bytes: Int) -> Data {
        var image = Data((text + "\n").utf8)
        image.append(Data(repeating: 0x2E, count: max(0, bytes - image.count)))
        return image
    }

    /// The line.
    static func text(of image: Data) -> Data {
        image.prefix { $0 != UInt8(ascii: "\n") }
    }

    /// The same photo with half the bytes; `nil` if only its line is left.
    static func halved(_ image: Data) -> Data? {
        let line = self.text(of: image)
        guard image.count > line.count + 1 else { return nil }
        return Data(image.prefix(max(line.count + 1, image.count / 2)))
    }
}
