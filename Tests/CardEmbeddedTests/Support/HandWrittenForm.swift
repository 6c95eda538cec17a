import CardEmbedded
import TestSupport
import Testing

extension HandWrittenForm: CustomTestStringConvertible {
    struct Document: Sendable {
        var number = "B-1"
        var isFront = true
        var image = HandWrittenForm.jpeg
    }

    /// The smallest thing that begins and ends like a JPEG.
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x0D, 0x0A, 0x2D, 0x2D, 0xFF, 0xD9]

    static func image(_ number: UInt8) -> [UInt8] { [0xFF, 0xD8, 0xFF, 0xE1, number, 0xFF, 0xD9] }

    static func single(
        token: String = "token-1",
        number: String = "B-1",
        isFront: Bool = true,
        image: [UInt8] = jpeg
    ) -> HandWrittenForm {
        .application([Document(number: number, isFront: isFront, image: image)], token: token)
    }

    static func application(_ documents: [Document], token: String = "token-1") -> HandWrittenForm {
        var form = HandWrittenForm(parts: [
            .text("TOKEN", token), .text("USERNO", "user-1"), .text("BUSINESSTYPE", "LOAN_APPLY"),
            .text("BUSINESSNO", documents.first?.number ?? ""),
        ])
        for document in documents { form.parts += Self.file(document) }
        return form
    }

    static func batch(_ documents: [Document], token: String = "token-1") -> HandWrittenForm {
        var form = HandWrittenForm(parts: [.text("TOKEN", token), .text("USERNO", "user-1")])
        for document in documents {
            form.parts += [.text("BUSINESSTYPE", "LOAN_APPLY"), .text("BUSINESSNO", document.number)]
            form.parts += Self.file(document)
        }
        return form
    }

    private static func file(_ document: Document) -> [Part] {
        let name = document.isFront ? "IDFrontImage.jpg" : "IDBackImage.jpg"
        return [
            .text("DOCTYPE", document.isFront ? "IDCARD_FRONT_APP" : "IDCARD_BACK_APP"),
            Part(name: "FILE", filename: name, type: "image/jpeg", body: document.image),
        ]
    }

    static func reading(
        key: String = "test-key",
        secret: String = "test-secret",
        image: [UInt8]? = jpeg,
        filename: String? = "card.bin",
        legality: String? = nil,
        in dialect: EmbeddedVerifier.Dialect = .faceIDv1
    ) -> HandWrittenForm {
        var form = HandWrittenForm(parts: [.text("api_key", key), .text("api_secret", secret)])
        if let legality { form.parts.append(.text("legality", legality)) }
        if let image {
            let name = dialect == .faceppv1 ? "image_file" : "image"
            form.parts.append(Part(name: name, filename: filename, type: "application/octet-stream", body: image))
        }
        return form
    }

    package var testDescription: String { self.parts.map(\.name).joined(separator: " ") }

    func with(_ name: String, _ value: String) -> HandWrittenForm {
        var copy = self
        copy.parts.insert(.text(name, value), at: 0)
        return copy
    }

    func without(_ name: String) -> HandWrittenForm {
        var copy = self
        copy.parts.removeAll { $0.name == name }
        return copy
    }
}
