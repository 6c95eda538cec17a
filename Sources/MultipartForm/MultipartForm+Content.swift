public import FoundationEssentials

extension MultipartForm {
    /// Where the bytes of a part come from.
    public enum Content: Sendable {
        /// Bytes in memory; they are not copied into the form.
        case bytes(Data)
        /// A regular file of exactly `length` bytes. It is opened anew by every reader and read by position; fewer or
        /// more bytes than stated end the reading with `source_changed`.
        case file(path: String, length: UInt64)

        /// The length in bytes.
        public var length: UInt64 {
            switch self {
            case .bytes(let data): UInt64(data.count)
            case .file(_, let length): length
            }
        }

        /// The first bytes, for guessing the media type; none when a file cannot be read, which is an error when the
        /// form is.
        var prefix: Data {
            switch self {
            case .bytes(let data):
                return data.prefix(MediaType.prefixLength)
            case .file(let path, let length):
                guard length > 0, let file = try? SourceFile(path: path, length: length, partPosition: 0) else {
                    return Data()
                }
                var bytes = [UInt8](repeating: 0, count: MediaType.prefixLength)
                let count = bytes.withUnsafeMutableBytes { try? file.read(into: $0, at: 0) }
                return Data(bytes.prefix(count ?? 0))
            }
        }
    }
}

extension MultipartForm.Content: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and the length, never bytes or a path.
    public var description: String {
        switch self {
        case .bytes: "bytes(\(self.length))"
        case .file: "file(\(self.length) bytes)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }
    /// A mirror without the bytes and the path.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
