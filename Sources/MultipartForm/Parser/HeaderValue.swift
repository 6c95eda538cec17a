/// A header's value with its parameters, as in `form-data; name="a"; filename="b.jpg"` (RFC 9110 section 5.6.6).
///
/// Parameter names are compared without regard to case, values are quoted strings or tokens, and a `;` or `=` in quotes
/// is part of the value. Unquoted values may also hold `( ) / : = ?`, which some clients leave bare in boundaries, and
/// bytes past ASCII.
struct HeaderValue {
    /// The value before the first semicolon, in lower case.
    let essence: String

    private var parameters: [(name: String, value: String)] = []

    /// Parses a value with escapes, and without them if that fails.
    ///
    /// In quotes, `\"` and `\\` stand for `"` and `\`, any other backslash for itself. Browsers, node and this module do not
    /// escape backslashes, so a name that ends in one arrives as `name="a\"`. With escapes its closing quote is content, and
    /// the parse fails; the value is then parsed without escapes. So no value is misread.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let parsed = HeaderValue(bytes, hasEscapes: true) ?? HeaderValue(bytes, hasEscapes: false) else {
            return nil
        }
        self = parsed
    }

    private init?(_ bytes: [UInt8], hasEscapes: Bool) {
        var remaining = bytes[...]
        let essence = Self.readPrefix(of: &remaining) { $0.isTokenByte || $0 == UInt8(ascii: "/") }
        guard !essence.isEmpty else { return nil }
        self.essence = essence.lowercased()
        Self.skipBlanks(of: &remaining)
        while let separator = remaining.popFirst() {
            guard separator == UInt8(ascii: ";") else { return nil }
            Self.skipBlanks(of: &remaining)
            // Empty parameters are allowed: a semicolon at the end, or two in a row (RFC 9110 section 5.6.6).
            if remaining.isEmpty || remaining.first == UInt8(ascii: ";") { continue }
            let name = Self.readPrefix(of: &remaining, while: \.isTokenByte)
            guard !name.isEmpty, remaining.popFirst() == UInt8(ascii: "="),
                let value = Self.value(from: &remaining, hasEscapes: hasEscapes)
            else { return nil }
            self.parameters.append((name.lowercased(), value))
            Self.skipBlanks(of: &remaining)
        }
    }

    func values(of name: String) -> [String] { self.parameters.filter { $0.name == name }.map(\.value) }

    private static func readPrefix(of bytes: inout ArraySlice<UInt8>, while isIncluded: (UInt8) -> Bool) -> String {
        let prefix = bytes.prefix(while: isIncluded)
        bytes = bytes.dropFirst(prefix.count)
        return String(decoding: prefix, as: UTF8.self)
    }

    private static func skipBlanks(of bytes: inout ArraySlice<UInt8>) {
        bytes = bytes.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Returns a quoted string or a token; `nil` for an empty token.
    private static func value(from bytes: inout ArraySlice<UInt8>, hasEscapes: Bool) -> String? {
        guard bytes.first == UInt8(ascii: "\"") else {
            let token = self.readPrefix(of: &bytes) { byte in
                byte.isTokenByte || byte >= 0x80 || "()/:=?".utf8.contains(byte)
            }
            return token.isEmpty ? nil : token
        }
        bytes.removeFirst()
        var value: [UInt8] = []
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            let isEscape =
                hasEscapes && byte == UInt8(ascii: "\\")
                && (bytes.first == UInt8(ascii: "\"") || bytes.first == UInt8(ascii: "\\"))
            value.append(isEscape ? bytes.removeFirst() : byte)
        }
        return nil
    }
}

/// The `Content-Type` of a received form: `multipart/form-data; boundary=…`.
enum FormDataType {
    /// Returns the boundary. Other parameters are ignored, `charset` too: names are always UTF-8.
    static func boundary(
        of contentType: String,
        limits: MultipartParser.Limits
    ) throws(MultipartFormError) -> [UInt8] {
        guard let value = HeaderValue(contentType), value.essence == "multipart/form-data" else {
            throw MultipartFormError(
                .notFormData,
                "The content type is not 'multipart/form-data; boundary=…'; send the form so."
            )
        }
        let boundaries = value.values(of: "boundary")
        try require(
            boundaries.count == 1,
            .invalidBoundary,
            "The content type has \(boundaries.count) boundaries; send one."
        )
        let boundary = Array(boundaries[0].utf8)
        try require(
            (1...max(1, limits.boundaryCharacters)).contains(boundary.count),
            .invalidBoundary,
            "A boundary has 1 to \(limits.boundaryCharacters) characters, this one has \(boundary.count)."
        )
        let isAllowed = boundary.allSatisfy { $0.isASCIIAlphanumeric || "'()+_,-./:=? ".utf8.contains($0) }
        try require(
            isAllowed && boundary.last != UInt8(ascii: " "),
            .invalidBoundary,
            "The boundary holds a character that RFC 2046 section 5.1.1 does not allow; choose another."
        )
        return boundary
    }
}
