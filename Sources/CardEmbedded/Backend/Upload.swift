import Crypto
import FoundationEssentials
import HTTPTypes
import MultipartForm

/// A parsed upload: a form, or a raw image with its fields in headers.
struct Upload: Sendable {
    let key: String
    /// SHA-256, in hexadecimal, of the data that a repeated request must not change: the body, and the fields of a raw
    /// upload.
    let digest: String
    let parts: [ReceivedForm.Part]

    /// - Throws: `MultipartFormError`, or ``BackendProblem`` for headers of a raw upload that cannot be read.
    init(key: String, headers: HTTPFields, body: Data) throws {
        self.key = key
        let type = headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        var hash = SHA256()
        if type == "application/octet-stream" || type == "image/jpeg" {
            self.parts = try Self.parts(of: headers, with: body)
            for part in self.parts {
                hash.update(data: Data("\(part.name) \(part.filename ?? "") \(part.body.count)\n".utf8))
                hash.update(data: part.body)
            }
        } else {
            self.parts = try ReceivedForm(parsing: body, contentType: headers[.contentType]).parts
            hash.update(data: body)
        }
        self.digest = Hexadecimal.text(hash.finalize())
    }

    /// The parts of a raw upload in the order of a form: the percent-encoded headers (RFC 3986 section 2.1) `X-TOKEN`
    /// and so on, and the image, whose name is in `Content-Disposition: attachment; filename="…"`.
    private static func parts(of headers: HTTPFields, with image: Data) throws -> [ReceivedForm.Part] {
        func malformed(_ title: String) -> BackendProblem { BackendProblem(.badRequest, "form_malformed", title) }
        var parts: [ReceivedForm.Part] = []
        for name in ["TOKEN", "USERNO", "BUSINESSTYPE", "BUSINESSNO", "DOCTYPE"] {
            let values = headers[values: .known("X-" + name)]
            guard let value = values.first else { continue }
            guard values.count == 1 else { throw malformed("The header of \(name) comes twice; send one.") }
            let pieces = Array(value.utf8).split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
            var bytes = Data(pieces[0])
            for piece in pieces.dropFirst() {
                let digits = String(decoding: piece.prefix(2), as: UTF8.self)
                guard digits.count == 2, digits.allSatisfy(\.isHexDigit), let byte = UInt8(digits, radix: 16) else {
                    throw malformed("The header of \(name) has a percent sign without two hexadecimal digits.")
                }
                bytes += [byte] + piece.dropFirst(2)
            }
            parts.append(ReceivedForm.Part(name: name, body: bytes))
        }
        let disposition = (headers[.contentDisposition] ?? "attachment")
            .wholeMatch(of: /attachment(?:; *filename="?([^"\\]*)"?)?/.ignoresCase())
        guard let disposition else { throw malformed("The Content-Disposition is not 'attachment; filename=\"…\"'.") }
        let filename = disposition.output.1.map(String.init)
        return parts + [ReceivedForm.Part(name: "FILE", filename: filename, contentType: "image/jpeg", body: image)]
    }
}

enum Hexadecimal {
    /// Two lower-case digits for each byte.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }, as: UTF8.self)
    }
}
