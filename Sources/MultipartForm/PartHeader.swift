/// The header lines of one part, checked and escaped (RFC 7578 section 4, WHATWG "multipart/form-data encoding
/// algorithm").
///
/// Names are raw UTF-8 in quotes. LF, CR and `"` become `%0A`, `%0D` and `%22`, nothing else is escaped: not `\`, not
/// `%`. There is no `filename*` (RFC 7578 section 4.2 forbids it), no transfer encoding and no other header.
enum PartHeader {
    /// Returns the lines, each with its CR LF, without the empty line after them.
    static func bytes(of part: MultipartForm.Part, position: Int) throws(MultipartFormError) -> [UInt8] {
        try Self.check(part.name.utf8, what: "name", position: position)
        var bytes = Array("Content-Disposition: form-data; name=\"".utf8)
        bytes += Self.escaped(LineBreaks.normalized(part.name.utf8))
        if let filename = part.filename {
            let lastComponent = Self.lastComponent(filename)
            try Self.check(lastComponent, what: "file name", position: position)
            bytes += Array("\"; filename=\"".utf8)
            bytes += Self.escaped(lastComponent)
        }
        bytes += Array("\"\r\n".utf8)
        if let contentType = part.contentType {
            try Self.checkContentType(contentType, position: position)
            bytes += Array("Content-Type: \(contentType)\r\n".utf8)
        }
        return bytes
    }

    private static func escaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\n"): Array("%0A".utf8)
            case UInt8(ascii: "\r"): Array("%0D".utf8)
            case UInt8(ascii: "\""): Array("%22".utf8)
            default: [byte]
            }
        }
    }

    /// Returns the text after the last `/`: a receiver has no use for our directories, and some would follow them.
    private static func lastComponent(_ filename: String) -> [UInt8] {
        Array(filename.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? [])
    }

    private static func check(
        _ bytes: some Collection<UInt8>,
        what: String,
        position: Int
    ) throws(MultipartFormError) {
        // Some receivers silently drop a part whose name is empty.
        try require(!bytes.isEmpty, .invalidName, "The \(what) of part \(position) is empty; give it one.")
        try require(
            !bytes.contains(0),
            .invalidName,
            "The \(what) of part \(position) holds a NUL character; remove it."
        )
    }

    private static func checkContentType(_ contentType: String, position: Int) throws(MultipartFormError) {
        let bytes = Array(contentType.utf8)
        let essence = bytes.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        let names = essence.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let parameters = bytes[essence.endIndex...].drop { $0 == UInt8(ascii: " ") }
        let isValid =
            names.count == 2 && names.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isTokenByte) }
            && bytes.allSatisfy { (0x20...0x7E).contains($0) }
            && (essence.endIndex == bytes.endIndex || parameters.first == UInt8(ascii: ";"))
        try require(
            isValid,
            .invalidContentType,
            "The content type of part \(position) is not 'type/subtype' in printable ASCII: try image/jpeg."
        )
    }
}

/// The line breaks of names and text values.
enum LineBreaks {
    /// Replaces every lone CR and every lone LF by CR LF (WHATWG HTML, "constructing the entry list").
    static func normalized(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var isAfterReturn = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\r"):
                result += [byte, UInt8(ascii: "\n")]
            case UInt8(ascii: "\n"):
                if !isAfterReturn { result += [UInt8(ascii: "\r"), byte] }
            default:
                result.append(byte)
            }
            isAfterReturn = byte == UInt8(ascii: "\r")
        }
        return result
    }
}
