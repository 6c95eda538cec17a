import Foundation

#if canImport(MultipartForm)
@testable import MultipartForm
#endif

/// What must hold for every input of the parser, sensible or not.
///
/// An input is two bytes and a body: the first chooses the limits and, with its highest bit, whether the body's first
/// line is the content type; the second is the seed of the cuts between the chunks.
enum FormOracle {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    static func check(_ input: Data) throws {
        guard input.count >= 2 else { return }
        let bytes = [UInt8](input)
        var body = Data(bytes[2...])
        var contentType = "multipart/form-data; boundary=XbndX"
        if bytes[0] & 0x80 != 0 {
            let line = body.prefix { $0 != UInt8(ascii: "\n") }
            contentType = String(decoding: line, as: UTF8.self)
            body = Data(body.dropFirst(line.count + 1))
        }
        let limits = bytes[0] & 1 == 0 ? MultipartParser.Limits() : self.smallLimits
        let whole = try Outcome(body, contentType: contentType, limits: limits, chunks: Chunks(seed: nil))
        try self.checkLimits(whole, limits)
        for seed in [bytes[1], bytes[1] &+ 1] {
            let cut = try Outcome(body, contentType: contentType, limits: limits, chunks: Chunks(seed: seed))
            try self.require(whole.parts == cut.parts, "the parts depend on the cuts")
            try self.require(whole.code == cut.code, "the error depends on the cuts")
        }
        guard whole.code == nil else { return }
        try self.checkEncodedAgain(whole.parts)
    }

    private static var smallLimits: MultipartParser.Limits {
        var limits = MultipartParser.Limits()
        limits.boundaryCharacters = 20
        limits.partHeaderBytes = 200
        limits.partHeaderCount = 3
        limits.partCount = 4
        limits.partBytes = 40
        limits.totalBytes = 600
        limits.preambleBytes = 10
        limits.epilogueBytes = 10
        limits.paddingBytes = 3
        return limits
    }

    /// The fewest bytes that read as a text: of what was no UTF-8 each may have become a character of three.
    private static func leastBytes(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1 == "\u{FFFD}" ? 1 : UTF8.width($1)) }
    }

    private static func checkLimits(_ outcome: Outcome, _ limits: MultipartParser.Limits) throws {
        try self.require(outcome.parts.count <= limits.partCount, "too many parts")
        var total = 0
        for part in outcome.parts {
            try self.require(part.content.count <= limits.partBytes, "too large a part")
            try self.require(part.head.fields.count <= limits.partHeaderCount, "too many header lines")
            let header = part.head.fields.reduce(0) { $0 + $1.name.utf8.count + self.leastBytes(of: $1.value) + 3 }
            try self.require(header <= limits.partHeaderBytes, "too large a header")
            try self.require(!part.head.name.isEmpty, "a part without a name")
            let texts = [part.head.name, part.head.filename ?? ""]
            try self.require(
                !texts.joined().utf8.contains { [0, 10, 13].contains($0) },
                "a line break or NUL in a name"
            )
            total += part.content.count + header
        }
        try self.require(total <= limits.totalBytes, "too large a body")
    }

    /// What was accepted and is encoded again by our encoder is parsed as the same.
    private static func checkEncodedAgain(_ parts: [Outcome.Part]) throws {
        let ours = parts.map { part in
            MultipartForm.Part(
                name: part.head.name,
                filename: part.head.filename,
                contentType: part.head.contentType,
                content: part.content
            )
        }
        do {
            let form = try MultipartForm(parts: ours, boundary: .derived(from: "fuzz", absentFrom: ours))
            let found = BoundaryProof.firstOccurrence(of: "--" + form.boundary.value, in: ours)
            try self.require(found == nil, "a part holds the boundary")
            var reader = form.makeReader()
            var body = Data()
            while let chunk = reader.read(upTo: 33) { body.append(chunk) }
            try self.require(body.count == form.contentLength, "the computed length is not that of the bytes")
            var limits = MultipartParser.Limits()
            limits.partHeaderBytes = .max
            let again = try Outcome(body, contentType: form.contentType, limits: limits, chunks: Chunks(seed: 3))
            try self.require(again.code == nil, "what our encoder wrote is refused")
            try self.require(again.parts.count == parts.count, "another number of parts")
            for (old, new) in zip(parts, again.parts) {
                try self.require(new.content == old.content, "another content")
                try self.require(new.head.contentType == old.head.contentType, "another content type")
                let expected = WrittenName.expected(name: old.head.name, filename: old.head.filename)
                try self.require(new.head.name == expected.name, "another name")
                try self.require(new.head.filename == expected.filename, "another file name")
            }
        } catch let error as MultipartFormError {
            // The encoder refuses what the parser may meet: an empty file name, an odd content type.
            let allowed: [MultipartFormError.Code] = [.invalidName, .invalidContentType]
            try self.require(allowed.contains(error.code), "our encoder fails")
        }
    }

    private static func require(_ condition: Bool, _ violation: String) throws {
        guard condition else { throw Violation(description: violation) }
    }
}
