import Crypto
import FoundationEssentials
import HTTPTypes
import MultipartForm

/// An upload whose content was read.
struct Upload: Sendable {
    let key: String
    /// SHA-256 of the content.
    let digest: String
    let parts: [ReceivedForm.Part]
}

/// A request's content as it came: a form, or a raw image with its fields in headers.
struct UploadContent: Sendable {
    /// The fields that a raw upload carries in headers `X-TOKEN` and so on, in the order of a form.
    private static let fields = ["TOKEN", "USERNO", "BUSINESSTYPE", "BUSINESSNO", "DOCTYPE"].map {
        (name: $0, header: HTTPField.Name.known("X-" + $0))
    }

    let body: Data
    let headers: HTTPFields

    /// Whether the body is an image and no form.
    private var isRaw: Bool {
        let type = self.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "application/octet-stream" || type == "image/jpeg"
    }

    /// SHA-256 of everything that counts for whether two requests are the same, in hexadecimal: of a form its body, of
    /// a raw upload the fields, too.
    var digest: String {
        var hash = SHA256()
        if self.isRaw {
            for field in Self.fields {
                for value in self.headers[values: field.header] {
                    hash.update(data: Array("\(field.name): \(value)\n".utf8))
                }
            }
            hash.update(data: Array("\(self.headers[.contentDisposition] ?? "")\n\n".utf8))
        }
        hash.update(data: self.body)
        return Hexadecimal.text(hash.finalize())
    }

    /// The parts: those of the form, or the fields and the image in the order of a form.
    ///
    /// - Throws: `MultipartFormError`, or ``BackendProblem`` for headers of a raw upload that cannot be read.
    func parts() throws -> [ReceivedForm.Part] {
        guard self.isRaw else {
            return try ReceivedForm(parsing: self.body, contentType: self.headers[.contentType]).parts
        }
        var parts: [ReceivedForm.Part] = []
        for (name, header) in Self.fields {
            let values = self.headers[values: header]
            guard let value = values.first else { continue }
            guard values.count == 1 else { throw Self.malformed("The header of \(name) comes twice; send one.") }
            parts.append(ReceivedForm.Part(name: name, body: try Self.decoded(value, of: name)))
        }
        let filename = try self.filename()
        return parts + [ReceivedForm.Part(name: "FILE", filename: filename, contentType: "image/jpeg", body: self.body)]
    }

    /// The file name, which a raw upload gives in `Content-Disposition: attachment; filename="…"`.
    private func filename() throws -> String? {
        guard let disposition = self.headers[.contentDisposition] else { return nil }
        guard let match = disposition.wholeMatch(of: /attachment(?:; *filename="?([^"\\]*)"?)?/.ignoresCase()) else {
            throw Self.malformed("The Content-Disposition is not 'attachment; filename=\"…\"'.")
        }
        return match.output.1.map(String.init)
    }

    /// Takes the percent-encoding off (RFC 3986 section 2.1); a plus is a plus.
    private static func decoded(_ text: String, of name: String) throws -> Data {
        var bytes = Data()
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                throw self.malformed("The header of \(name) has a percent sign without two hexadecimal digits.")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static func malformed(_ title: String) -> BackendProblem {
        BackendProblem(.badRequest, "form_malformed", title)
    }
}

enum Hexadecimal {
    /// Two lower-case digits for each byte.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }, as: UTF8.self)
    }
}
