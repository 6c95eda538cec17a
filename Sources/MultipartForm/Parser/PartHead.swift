/// The header lines of a received part, with the values parsed from them.
package struct PartHead: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        /// The name as sent; compare it without regard to case.
        package let name: String
        /// The value without blanks around it.
        package let value: String
    }

    /// The field's name: not empty.
    package let name: String
    /// The file's name as sent, directories included, with U+FFFD for bytes that are not UTF-8: never use it as a path.
    /// Empty if no file was chosen in the form; `nil` for text.
    package let filename: String?
    /// The `Content-Type` as sent.
    package let contentType: String?
    package let fields: [Field]

    init(fields: [Field], position: Int) throws(MultipartFormError) {
        func values(_ name: String) -> [String] { fields.filter { $0.name.lowercased() == name }.map(\.value) }
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
        let (names, filenames) = (disposition.values(of: "name"), disposition.values(of: "filename"))
        let isSingle = names.count <= 1 && filenames.count <= 1
        try require(isSingle, .invalidDisposition, "Part \(position) has two names or file names; send one.")
        guard let name = names.first, !name.isEmpty else {
            throw MultipartFormError(.missingName, "Part \(position) has no name; send one.")
        }
        // Two names that are not UTF-8 could become equal once their bytes are replaced.
        let isUTF8 = !name.unicodeScalars.contains("\u{FFFD}")
        try require(isUTF8, .malformedHeader, "The name of part \(position) is not UTF-8; send UTF-8.")
        let types = values("content-type")
        try require(types.count <= 1, .malformedHeader, "Part \(position) has several content types; send one.")
        let encodings = values("content-transfer-encoding")
        try require(
            encodings.allSatisfy { ["binary", "8bit", "7bit"].contains($0.lowercased()) },
            .unsupportedTransferEncoding,
            "Part \(position) has a transfer encoding (RFC 7578 section 4.7); send the bytes as they are."
        )
        (self.name, self.filename, self.contentType, self.fields) = (name, filenames.first, types.first, fields)
    }
}

extension PartHead: SelfRedacting {
    /// The kind: names may be secret or personal.
    package var description: String { "PartHead(\(self.filename == nil ? "text" : "file"))" }
}

extension PartHead.Field: SelfRedacting {
    /// The length: names may be personal, and a header is untrusted text.
    package var description: String { "Field(\(self.name.utf8.count + self.value.utf8.count) bytes)" }
}
