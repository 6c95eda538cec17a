package import FoundationEssentials

extension MultipartForm {
    /// Where the bytes of a part come from.
    package enum Content: Sendable {
        /// Bytes in memory; they are not copied into the form.
        case bytes(Data)
        /// A regular file of exactly `length` bytes. Every reader opens it again and reads it by position; fewer or
        /// more bytes than stated end the reading with `source_changed`.
        case file(path: String, length: UInt64)

        /// The length in bytes.
        package var length: UInt64 {
            switch self {
            case .bytes(let data): UInt64(data.count)
            case .file(_, let length): length
            }
        }
    }
}

extension MultipartForm.Content: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and the length, never bytes or a path.
    package var description: String {
        switch self {
        case .bytes: "bytes(\(self.length))"
        case .file: "file(\(self.length) bytes)"
        }
    }

    /// The same as ``description``.
    package var debugDescription: String { self.description }
    /// A mirror without the bytes and the path.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
