import IDCardCore
import IDCardPipeline
import NIOHTTP1
import OutboundHTTP

/// What the head of an answer says of an image.
struct ResponseFacts {
    /// The status code.
    let status: Int
    /// The length of the body in bytes; `nil` if it is not announced.
    let contentLength: Int?
    /// Which bytes come; `nil` without a usable header.
    let contentRange: ContentRange?
    /// The strong validator; `nil` if there is none.
    let validator: String?
    /// The entity tag, weak ones too.
    let entityTag: String?
    /// How long the server asks to wait.
    let retryAfter: Duration?
    /// Where the server sends to.
    let location: String?
    /// The media type in lower case without parameters.
    let mediaType: String?
    /// Whether the bytes are the image's own, neither compressed nor otherwise encoded.
    let isIdentity: Bool

    /// Reads a head.
    init(_ head: HTTPResponseHead, now: Timestamp) {
        let headers = head.headers
        self.status = Int(head.status.code)
        self.contentLength = Self.only(headers["Content-Length"]).flatMap { Int($0) }
        self.contentRange = Self.only(headers["Content-Range"]).flatMap { ContentRange($0) }
        self.entityTag = Self.only(headers["ETag"])
        self.validator = Self.validator(headers)
        self.retryAfter = Self.only(headers["Retry-After"]).flatMap { RetryAfter.parse($0, now: now) }
        self.location = Self.only(headers["Location"])
        self.mediaType = headers["Content-Type"].first?.split(separator: ";").first?.lowercased()
            .replacing(" ", with: "")
        let content = headers[canonicalForm: "Content-Encoding"].map { $0.lowercased() }
        let transfer = headers[canonicalForm: "Transfer-Encoding"].map { $0.lowercased() }
        self.isIdentity = content.allSatisfy { $0 == "identity" } && transfer.allSatisfy { $0 == "chunked" }
    }

    /// Refuses what says of itself that it is no image as it is.
    ///
    /// - Throws: ``FetchRefusal``: `fetch_encoding_refused` or `fetch_type_refused`.
    func checkContent(label: String) throws(FetchRefusal) {
        guard self.isIdentity else {
            throw FetchRefusal(
                .fetchEncodingRefused,
                "\(label) sends the image compressed although asked not to: turn that off for images there"
            )
        }
        guard let type = self.mediaType, !type.hasPrefix("image/"), !Self.opaqueTypes.contains(type) else { return }
        throw FetchRefusal(
            .fetchTypeRefused,
            "\(label) says that what it sends is no image: check the URL, and the Content-Type it is stored with"
        )
    }

    /// Types that say nothing of the content; the second is the one that objects in S3 have by themselves.
    private static let opaqueTypes: Set<String> = ["application/octet-stream", "binary/octet-stream"]

    /// The validator for `If-Range`: a strong entity tag; without any tag the date, if it is older than the answer
    /// (RFC 9110 sections 8.8.2.2 and 13.1.5).
    private static func validator(_ headers: HTTPHeaders) -> String? {
        let tags = headers["ETag"]
        if let tag = self.only(tags) {
            let isStrong = tag.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return isStrong && self.isSendable(tag) ? tag : nil
        }
        guard tags.isEmpty, let date = self.only(headers["Last-Modified"]), self.isSendable(date) else { return nil }
        // Dates are whole seconds: what changed in the second of the answer may change again within it.
        guard let answered = self.only(headers["Date"]), answered != date else { return nil }
        return date
    }

    /// A value that comes once; twice the same name is no statement.
    private static func only(_ values: [String]) -> String? { values.count == 1 ? values[0] : nil }

    /// Whether a value that came from a server may be sent back: visible ASCII and blanks, not endless.
    private static func isSendable(_ value: String) -> Bool {
        value.utf8.count <= 256 && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
