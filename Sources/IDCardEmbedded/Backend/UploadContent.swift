import Crypto
import FoundationEssentials

/// A request's content as it came: a form, or a raw image with its fields in headers.
struct UploadContent: Sendable {
    /// The names of the fields that a raw upload carries in headers, in the order of a form.
    static let fieldNames = ["TOKEN", "USERNO", "BUSINESSTYPE", "BUSINESSNO", "DOCTYPE"]

    let body: [UInt8]
    let contentType: String?
    let contentLength: String?
    let disposition: String?
    /// The values of each header that is a field of a raw upload, by the field's name.
    let fields: [String: [String]]

    /// Whether the body is an image and no form.
    var isRaw: Bool {
        let type = self.contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "application/octet-stream" || type == "image/jpeg"
    }

    /// SHA-256 of everything that counts for whether two requests are the same, in hexadecimal: of a form its body, of
    /// a raw upload the fields, too.
    var digest: String {
        var hash = SHA256()
        if self.isRaw {
            for name in Self.fieldNames {
                for value in self.fields[name] ?? [] { hash.update(data: Array("\(name): \(value)\n".utf8)) }
            }
            hash.update(data: Array("\(self.disposition ?? "")\n\n".utf8))
        }
        hash.update(data: self.body)
        return Hexadecimal.text(hash.finalize())
    }

    /// The parts: those of the form, or the fields and the image in the order of a form.
    ///
    /// - Throws: ``EmbeddedError``: `formMalformed` or `formTooLarge`.
    func parts(limits: ReceivedForm.Limits) throws(EmbeddedError) -> [ReceivedForm.Part] {
        guard self.isRaw else {
            return try ReceivedForm(
                parsing: self.body,
                contentType: self.contentType,
                contentLength: self.contentLength,
                limits: limits
            ).parts
        }
        guard self.body.count <= limits.partBytes else {
            throw .tooLarge("The image has \(self.body.count) bytes, at most \(limits.partBytes) are read.")
        }
        var parts: [ReceivedForm.Part] = []
        for name in Self.fieldNames {
            guard let values = self.fields[name], let value = values.first else { continue }
            guard values.count == 1 else { throw .malformed("The header of \(name) comes twice.") }
            parts.append(
                ReceivedForm.Part(name: name, filename: nil, contentType: nil, body: try Self.decoded(value, of: name))
            )
        }
        parts.append(
            ReceivedForm.Part(name: "FILE", filename: try self.filename(), contentType: "image/jpeg", body: self.body)
        )
        return parts
    }

    private func filename() throws(EmbeddedError) -> String? {
        guard let disposition = self.disposition else { return nil }
        let value = try ParameterizedValue(parsing: Array(disposition.utf8), what: "The Content-Disposition")
        guard value.value == "attachment" else { throw .malformed("The Content-Disposition is not attachment.") }
        return value.parameters["filename"]
    }

    /// Takes the percent-encoding off (RFC 3986 section 2.1); a plus is a plus.
    private static func decoded(_ text: String, of name: String) throws(EmbeddedError) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                throw .malformed("The header of \(name) has a percent sign without two hexadecimal digits.")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
