/// Why a built-in endpoint could not start or do its work.
package struct EmbeddedError: Error, CustomStringConvertible {
    /// The class of an error, for programs and metric labels.
    package enum Code: String, Sendable {
        /// The program tesseract, or one of the languages it needs, is not installed.
        case tesseractMissing
        /// Tesseract ended with an error.
        case tesseractFailed
        /// Tesseract ran into its time limit and was stopped.
        case tesseractTooSlow
        /// The posted bytes are no JPEG that can be decoded.
        case imageUndecodable
        /// The posted picture has too many or too few pixels.
        case imageTooLarge
        /// Another backend keeps its documents in the same folder.
        case folderInUse
        /// The documents' folder cannot be read or written.
        case folderUnusable
        /// The encryption of replies has a key or start vector of a wrong length, or was not built in.
        case encryptionUnusable
        /// The port cannot be listened on.
        case portUnavailable
    }

    /// What kind of failure this is.
    package let code: Code
    /// What happened and what to do, without personal data.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    package var description: String { "\(self.code.rawValue): \(self.message)" }
}
