import FoundationEssentials

extension MultipartForm {
    /// One field of a form: its name, for files a file name and a content type, and where its bytes come from.
    ///
    /// A part is checked when a form is made of it, so that parts can be listed in one expression.
    public struct Part: Sendable {
        /// The field's name as given.
        public let name: String
        /// The file's name as given; `nil` for text.
        public let filename: String?
        /// The content type as given; `nil` for text.
        public let contentType: String?
        /// Where the bytes come from.
        public let content: Content

        /// Describes a text field.
        ///
        /// A lone CR or LF of the value becomes CR LF, as the WHATWG form encoding asks. No content type is sent: it is
        /// UTF-8.
        ///
        /// - Parameters:
        ///   - value: The text.
        ///   - name: The field's name: not empty, without NUL.
        public static func text(_ value: String, name: String) -> Part {
            Part(name: name, filename: nil, contentType: nil, content: .bytes(Data(LineBreaks.normalized(value.utf8))))
        }

        /// Describes a file field.
        ///
        /// - Parameters:
        ///   - content: Where the bytes come from; they are sent unchanged.
        ///   - name: The field's name: not empty, without NUL.
        ///   - filename: The name the receiver sees. Directories before the last `/` are not sent. Receivers read `"`,
        ///     `%` and `\` differently: prefer a plain name such as `id-front.jpg`.
        ///   - contentType: For example `image/jpeg`; `nil` means ``MediaType/guess(content:filename:)``, which reads
        ///     the first bytes of a file here and now, and goes by its name if it cannot.
        public static func file(
            _ content: Content,
            name: String,
            filename: String,
            contentType: String? = nil
        ) -> Part {
            let type = contentType ?? MediaType.guess(content: content.prefix, filename: filename).description
            return Part(name: name, filename: filename, contentType: type, content: content)
        }
    }
}

extension MultipartForm.Part: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and the length: names and values may be secret or personal.
    public var description: String { "Part(\(self.filename == nil ? "text" : "file"), \(self.content.length) bytes)" }
    /// The same as ``description``.
    public var debugDescription: String { self.description }
    /// A mirror without names and bytes.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
