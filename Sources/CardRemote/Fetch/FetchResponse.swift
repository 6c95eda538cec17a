import CardModel
import NIOHTTP1

/// A range of a version of an image, to be requested.
struct ImagePart: Sendable {
    var range: Range<Int>
    var version: FetchedVersion
}

/// The fields of a response head that matter for an image.
struct FetchResponse: Sendable {
    let status: Int
    /// The length of the body in bytes; `nil` if it is not announced.
    let contentLength: Int?
    /// The range of the bytes in the response, if it has a single one.
    let contentRange: ContentRange?
    /// The strong validator; `nil` if there is none.
    let validator: String?
    /// The entity tag, even a weak one.
    let entityTag: String?
    let retryAfter: Duration?
    let location: String?
    /// Whether the host announces support of ranges.
    let acceptsRanges: Bool
    /// Whether the body is compressed, and decompressed here: length, validator and ranges are then not those of the image.
    let isPacked: Bool
    /// Whether length or chunks mark the end of the body; otherwise only the end of the connection does.
    let isFramed: Bool

    init(_ status: Int, _ headers: HTTPHeaders, now: Timestamp) {
        let type = headers["Content-Type"].first?.split(separator: ";").first?.trimmed.lowercased()
        let contentLength = Self.only(headers["Content-Length"]).flatMap { Int($0) }
        self.status = status
        // The header is reliable, since ``HeadFilter`` has set it by the first bytes.
        self.isPacked = headers.contains(name: "Content-Encoding")
        self.isFramed = contentLength != nil || headers.contains(name: "Transfer-Encoding")
        self.contentLength = self.isPacked ? nil : contentLength
        let isOneRange = type != "multipart/byteranges"
        self.contentRange = isOneRange ? Self.only(headers["Content-Range"]).flatMap { ContentRange($0) } : nil
        self.entityTag = Self.only(headers["ETag"])
        self.validator = self.isPacked ? nil : Self.validator(headers)
        self.retryAfter = Self.only(headers["Retry-After"]).flatMap { RetryAfter.parse($0, now: now) }
        self.location = Self.only(headers["Location"])
        self.acceptsRanges = headers[canonicalForm: "Accept-Ranges"].contains { $0.lowercased() == "bytes" }
    }

    /// Whether the response has the whole image, by its status and range.
    var bringsAll: Bool {
        guard let contentRange else { return self.status == 200 }
        return contentRange.bytes != nil && contentRange.bytes == contentRange.total.map { 0..<$0 }
    }

    /// Returns the validator for `If-Range`: a strong entity tag; if there is no tag at all, the date, if it is older than the
    /// answer (RFC 9110 sections 8.8.2.2 and 13.1.5).
    private static func validator(_ headers: HTTPHeaders) -> String? {
        let tags = headers["ETag"]
        if let tag = self.only(tags) {
            let isStrong = tag.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return isStrong && self.isSendable(tag) ? tag : nil
        }
        guard tags.isEmpty, let date = self.only(headers["Last-Modified"]), self.isSendable(date) else { return nil }
        // Dates have whole seconds, so an image that changed in the second of the answer may change again with the same date.
        guard let answered = self.only(headers["Date"]), answered != date else { return nil }
        return date
    }

    /// Returns the bytes of the answer and the size of the image; `nil` for another part or version than requested. There may be
    /// fewer bytes than requested.
    func range(asked part: ImagePart) -> (bytes: Range<Int>, total: Int)? {
        guard let bytes = self.contentRange?.bytes, let total = self.contentRange?.total,
            bytes.lowerBound == part.range.lowerBound, bytes.upperBound <= part.range.upperBound,
            self.contentLength ?? bytes.count == bytes.count, part.version.byteCount ?? total == total,
            // Tiny ranges are refused, since each becomes a row of the sandbox.
            bytes.upperBound == min(part.range.upperBound, total) || bytes.count >= Limits.chunkBytes,
            // A host need not repeat the validator, but a different one means another version.
            self.entityTag ?? self.validator ?? part.version.validator == part.version.validator
        else { return nil }
        return (bytes, total)
    }

    /// Returns the value of a header that occurs once; `nil` for a repeated header, which is ambiguous.
    private static func only(_ values: [String]) -> String? { values.count == 1 ? values[0] : nil }

    /// Whether a value from a host may be sent back: visible ASCII and blanks, at most 256 bytes.
    private static func isSendable(_ value: String) -> Bool {
        value.utf8.count <= 256 && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

/// A `Content-Range` of bytes (RFC 9110 section 14.4).
struct ContentRange: Hashable, Sendable {
    /// The range of the bytes in the answer; `nil` if the requested range was not satisfiable (`bytes */1234`).
    let bytes: Range<Int>?
    /// The size of the whole image in bytes; `nil` if it is not announced.
    let total: Int?

    /// Reads the value of the header; `nil` if it is not well-formed or contradicts itself.
    init?(_ text: String) {
        let halves = text.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "bytes" else { return nil }
        let fields = halves[1].split(separator: "/", omittingEmptySubsequences: false)
        guard fields.count == 2 else { return nil }
        let total = Self.number(fields[1])
        guard fields[1] == "*" || total != nil else { return nil }
        self.total = total
        if fields[0] == "*" {
            guard total != nil else { return nil }
            self.bytes = nil
            return
        }
        let ends = fields[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < Int.max else {
            return nil
        }
        guard last < total ?? .max else { return nil }
        self.bytes = first..<last + 1
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
    }
}
