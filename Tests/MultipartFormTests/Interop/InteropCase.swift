import Foundation
import MultipartForm
import Testing

/// A form described for both sides: ours and other people's programs.
struct InteropCase: CustomTestStringConvertible {
    struct Field {
        let name: String
        let filename: String?
        let type: String?
        let data: Data

        static func text(_ name: String, _ value: String) -> Field {
            Field(name: name, filename: nil, type: nil, data: Data(value.utf8))
        }

        static func file(_ name: String, _ filename: String, _ data: Data, type: String = "image/jpeg") -> Field {
            Field(name: name, filename: filename, type: type, data: data)
        }
    }

    let name: String
    let boundary: String
    let fields: [Field]

    var testDescription: String { self.name }

    init(_ name: String, boundary: String = "XbndX", _ fields: [Field]) {
        self.name = name
        self.boundary = boundary
        self.fields = fields
    }

    func form(boundary: String? = nil) throws -> MultipartForm {
        let parts = self.fields.map { field -> MultipartForm.Part in
            guard let filename = field.filename, let type = field.type else {
                return .text(String(decoding: field.data, as: UTF8.self), name: field.name)
            }
            return .file(field.data, name: field.name, filename: filename, contentType: type)
        }
        return try MultipartForm(parts: parts, boundary: Boundary(boundary ?? self.boundary))
    }

    /// Forms that every correct encoder writes alike and every correct parser reads alike.
    static let common: [InteropCase] = [
        InteropCase("plain", [.file("f", "plain.jpg", Data("DATA\u{0}\r\nend".utf8) + Data([0xFF]))]),
        InteropCase(
            "delivery",
            boundary: "form-8e03978e40d543e8bc936894a57f9324-0",
            [
                .text("TOKEN", "t-0123456789"), .text("USERNO", "U1"), .text("BUSINESSTYPE", "LOAN_APPLY"),
                .text("BUSINESSNO", "B-1"), .text("DOCTYPE", "IDCARD_FRONT_APP"),
                .file("FILE", "IDFrontImage.jpg", Data([0xFF, 0xD8]) + noise(40_000) + Data([0xFF, 0xD9])),
            ]
        ),
        InteropCase("utf8", [.text("姓名", "样本 é 😀"), .file("文件", "护照 é.jpg", Data("x".utf8))]),
        InteropCase(
            "punctuation",
            [.text("b' c, d;e", "name=\"e\""), .file("f;g", "it's; filename=x, y = (z) 护照.jpg", Data("x".utf8))]
        ),
        InteropCase(
            "repeated",
            [
                .text("a", "1"), .text("a", "2"), .text("a", ""), .file("f", "1.jpg", Data("1".utf8)),
                .file("f", "2.jpg", Data("2".utf8)),
            ]
        ),
        InteropCase("empty-file", [.text("a", "b"), .file("f", "empty.jpg", Data())]),
        InteropCase(
            "near-boundary",
            [
                .file("f", "1.bin", Data("--Xbnd\r\n--Xbn\r\n--\r\n-\r\nbndX\r\n-XbndY\r\n--xbndx\r\n\r\n".utf8)),
                .file("f", "2.bin", Data("\r\n\r\n\r\n".utf8)), .file("f", "3.bin", Data("DATA\r".utf8)),
                .file("f", "4.bin", Data("\n--Xbnd-X\r\n--".utf8), type: "application/octet-stream"),
            ]
        ),
        InteropCase("line-breaks-only", [.file("f", "1.bin", Data(String(repeating: "\r\n", count: 30_000).utf8))]),
        InteropCase("longest-boundary", boundary: String(repeating: "Z", count: 70), [.file("f", "a.jpg", Data([1]))]),
        InteropCase("many", (0..<60).map { .text("n\($0)", "v\($0)") } + [.file("f", "f.jpg", noise(9))]),
    ]

    /// Random forms with every character that needs care, except what our encoder refuses (NUL) or leaves out
    /// (directories).
    static func random(count: Int, seed: UInt64) -> [InteropCase] {
        var bytes = noise(count * 600, seed: seed).makeIterator()
        func next(_ bound: Int) -> Int {
            // Three bytes: enough for the small numbers wanted here.
            (0..<3).reduce(0) { value, _ in value << 8 | Int(bytes.next() ?? 0) } % bound
        }
        let alphabet =
            Array("ab \"\n\r\\%;='&\t*é文😀0-").map(String.init) + ["\r\n", "%22", "\u{7F}", "\u{1}", "filename*=", "+"]
        func text(_ least: Int) -> String {
            (0..<(least + next(9))).map { _ in alphabet[next(alphabet.count)] }.joined()
        }
        return (0..<count).map { index in
            let fields = (0..<next(5)).map { _ -> InteropCase.Field in
                if next(2) == 0 { return .text(text(1), text(0)) }
                return .file(text(1), text(1), Data(text(0).utf8), type: "image/png")
            }
            return InteropCase("random-\(index)", boundary: "b0undary\(index)", fields)
        }
    }
}
