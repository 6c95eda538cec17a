/// Why a built-in endpoint could not start or do its work.
package struct EmbeddedError: Error, CustomStringConvertible {
    /// The class of an error, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable, Sendable {
            case tesseractMissing
            case tesseractFailed
            case tesseractTooSlow
            case imageUndecodable
            case imageTooLarge
            case formMalformed
            case formTooLarge
            case folderInUse
            case folderUnusable
            case ledgerDamaged
            case encryptionUnusable
        }

        private let value: Value

        /// The program tesseract, or one of the languages it needs, is not installed.
        package static let tesseractMissing = Code(value: .tesseractMissing)

        /// Tesseract ended with an error.
        package static let tesseractFailed = Code(value: .tesseractFailed)

        /// Tesseract ran into its time limit and was stopped.
        package static let tesseractTooSlow = Code(value: .tesseractTooSlow)

        /// The posted bytes are no JPEG that can be decoded.
        package static let imageUndecodable = Code(value: .imageUndecodable)

        /// The posted picture has too many or too few pixels.
        package static let imageTooLarge = Code(value: .imageTooLarge)

        /// The posted form breaks RFC 7578 or RFC 2046.
        package static let formMalformed = Code(value: .formMalformed)

        /// The posted form is over one of the limits on forms.
        package static let formTooLarge = Code(value: .formTooLarge)

        /// Another backend keeps its documents in the same folder.
        package static let folderInUse = Code(value: .folderInUse)

        /// The documents' folder cannot be read or written.
        package static let folderUnusable = Code(value: .folderUnusable)

        /// A line of the ledger cannot be read.
        package static let ledgerDamaged = Code(value: .ledgerDamaged)

        /// The encryption of replies has a key or start vector of a wrong length, or was not built in.
        package static let encryptionUnusable = Code(value: .encryptionUnusable)

        /// The code's name, fit for a metric label.
        package var description: String { self.value.rawValue }
    }

    /// What kind of failure this is.
    package let code: Code

    /// What happened and what to do, without personal data.
    package let message: String

    /// The error underneath, if there is one.
    package let cause: (any Error)?

    /// Creates an error.
    package init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    package var description: String { "\(self.code): \(self.message)" }
}
