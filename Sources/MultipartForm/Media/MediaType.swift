public import FoundationEssentials

/// The media type of a file, guessed from its first bytes or its name.
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
    /// How many bytes at the start of a file tell its type.
    public static let prefixLength = 256

    /// The type as in a `Content-Type` header, such as `image/jpeg`.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// What nothing more is known of: `application/octet-stream`.
    public static let octetStream = MediaType("application/octet-stream")

    /// Guesses by content first, by the name's extension second; ``octetStream`` last.
    ///
    /// A HEIC photo named `a.jpg` is thus `image/heic`. Formats that are text (JSON, XML, CSV, HTML) are told by the
    /// extension only: their first bytes prove nothing. Of a ZIP file the extension may tell which kind of document it
    /// is.
    ///
    /// - Parameters:
    ///   - content: The file's bytes, or its first ``prefixLength``.
    ///   - filename: The file's name, for its extension.
    public static func guess(content: some DataProtocol, filename: String? = nil) -> MediaType {
        let named = filename.flatMap(self.named)
        guard let found = self.sniffed(Array(content.prefix(self.prefixLength))) else { return named ?? .octetStream }
        if found == self.zip, let named, self.zipBased.contains(named) { return named }
        return found
    }
}
