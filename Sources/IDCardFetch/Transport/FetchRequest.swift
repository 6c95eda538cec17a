import NIOHTTP1

/// One `GET`: never with credentials, cookies or a referrer, so that a redirect has nothing to carry away.
struct FetchRequest: Sendable {
    /// Where to.
    var endpoint: CheckedEndpoint
    /// The bytes asked for; an upper bound of `Int.max` is the end of the image; `nil` asks for everything at once.
    var range: Range<Int>?
    /// The validator under which the range is wanted (RFC 9110 section 13.1.5); with another one everything comes.
    var ifRange: String?

    /// The head as it is sent.
    func head(userAgent: String) -> HTTPRequestHead {
        var headers = HTTPHeaders([
            ("Host", self.endpoint.target.hostField),
            ("User-Agent", userAgent),
            ("Accept", "image/jpeg, image/png, image/*;q=0.8, */*;q=0.5"),
            // Ranges and lengths are those of the image itself, not of a compressed form of it.
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
        ])
        if let range = self.range {
            let last = range.upperBound == .max ? "" : String(range.upperBound - 1)
            headers.add(name: "Range", value: "bytes=\(range.lowerBound)-\(last)")
            if let ifRange = self.ifRange { headers.add(name: "If-Range", value: ifRange) }
        }
        return HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: self.endpoint.target.requestTarget,
            headers: headers
        )
    }
}
