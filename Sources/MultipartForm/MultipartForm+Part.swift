package import FoundationEssentials

extension MultipartForm {
    /// One field of a form: its name, for files a file name and a content type, and its bytes.
    ///
    /// A part is checked only when a form is made of it, so that an array literal of parts needs no `try`.
    package struct Part: Sendable {
        package let name: String
        /// The file's name as given; `nil` for text.
        package let filename: String?
        /// The content type as given; `nil` for text.
        package let contentType: String?
        /// The bytes; they are not copied into the form.
        package let content: Data

        /// Describes a text field.
        ///
        /// A lone CR or LF of the value becomes CR LF, as the WHATWG form encoding requires. No content type is sent:
        /// the text is UTF-8.
        ///
        /// - Parameter name: The field's name: not empty, without NUL.
        package static func text(_ value: String, name: String) -> Part {
            Part(name: name, filename: nil, contentType: nil, content: Data(LineBreaks.normalized(value.utf8)))
        }

        /// Describes a file field.
        ///
        /// - Parameters:
        ///   - content: The bytes; they are sent unchanged.
        ///   - name: The field's name: not empty, without NUL.
        ///   - filename: The name the receiver sees. Directories before the last `/` are not sent. Receivers read `"`,
        ///     `%` and `\` differently: prefer a plain name such as `id-front.jpg`.
        ///   - contentType: For example `image/jpeg`.
        package static func file(
            _ content: Data,
            name: String,
            filename: String,
            contentType: String
        ) -> Part {
            Part(name: name, filename: filename, contentType: contentType, content: content)
        }
    }
}

extension MultipartForm.Part: SelfRedacting {
    /// The kind and the length: names and values may be secret or personal.
    package var description: String { "Part(\(self.filename == nil ? "text" : "file"), \(self.content.count) bytes)" }
}
