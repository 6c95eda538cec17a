/// The header lines of a received part, and what they say.
public struct PartHead: Sendable, Hashable {
    /// A header line.
    public struct Field: Sendable, Hashable {
        /// The name as sent; compare it without regard to case.
        public let name: String
        /// The value without blanks around it.
        public let value: String
    }

    /// The field's name: not empty.
    public let name: String
    /// The file's name as sent, directories included: never use it as a path. Empty when a form's file field was left
    /// empty; `nil` for text.
    public let filename: String?
    /// The `Content-Type` as sent.
    public let contentType: String?
    /// All header lines in order.
    public let fields: [Field]

    /// The file's name without directories of either kind, for showing.
    ///
    /// `C:\dir\a.jpg` and `../a.jpg` both give `a.jpg`; `nil` when nothing that names a file is left.
    public var lastFilenameComponent: String? {
        guard let filename = self.filename else { return nil }
        let last = filename.utf8.reversed().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }.reversed()
        let component = String(decoding: Array(last), as: UTF8.self)
        return ["", ".", ".."].contains(component) ? nil : component
    }

    /// Reads a part's header lines.
    ///
    /// - Parameters:
    ///   - fields: The lines.
    ///   - position: The part's position in the form, from 1, for messages.
    /// - Throws: ``MultipartFormError``: `invalid_disposition`, `missing_name`, `malformed_header` or
    ///   `unsupported_transfer_encoding`.
    init(fields: [Field], position: Int) throws(MultipartFormError) {
        func values(_ name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name }.map(\.value)
        }
        let dispositions = values("content-disposition")
        guard dispositions.count == 1, let disposition = HeaderValue(dispositions[0]),
            disposition.essence == "form-data"
        else {
            throw MultipartFormError(
                .invalidDisposition,
                "Part \(position) has no single well-formed 'Content-Disposition: form-data'; send one."
            )
        }
        // `filename*` is ignored: RFC 7578 section 4.2 forbids it, and receivers disagree which of the two wins.
        let names = disposition.values(of: "name")
        let filenames = disposition.values(of: "filename")
        guard names.count <= 1, filenames.count <= 1 else {
            throw MultipartFormError(.invalidDisposition, "Part \(position) has two names or file names; send one.")
        }
        guard let name = names.first, !name.isEmpty else {
            throw MultipartFormError(.missingName, "Part \(position) has no name; send one.")
        }
        let types = values("content-type")
        guard types.count <= 1 else {
            throw MultipartFormError(.malformedHeader, "Part \(position) has several content types; send one.")
        }
        let encodings = values("content-transfer-encoding")
        guard encodings.allSatisfy({ ["binary", "8bit", "7bit"].contains($0.lowercased()) }) else {
            throw MultipartFormError(
                .unsupportedTransferEncoding,
                "Part \(position) has a transfer encoding (RFC 7578 section 4.7); send the bytes as they are."
            )
        }
        self.name = name
        self.filename = filenames.first
        self.contentType = types.first
        self.fields = fields
    }
}

extension PartHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind: names may be secret or personal.
    public var description: String { "PartHead(\(self.filename == nil ? "text" : "file"))" }
    /// The same as ``description``.
    public var debugDescription: String { self.description }
    /// A mirror without names.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PartHead.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length: names may be personal, and a header is a stranger's text.
    public var description: String { "Field(\(self.name.utf8.count + self.value.utf8.count) bytes)" }
    /// The same as ``description``.
    public var debugDescription: String { self.description }
    /// A mirror without name and value.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
