import SystemPackage

/// The error of a built-in endpoint that cannot start or work.
package struct EmbeddedError: Error, CustomStringConvertible {
    /// The class of an error, for programs and metric labels.
    package enum Code: String, Sendable {
        /// The program tesseract, or one of the languages it needs, is not installed.
        case tesseractMissing
        /// Tesseract exited with an error.
        case tesseractFailed
        /// Tesseract exceeded its time limit and was killed.
        case tesseractTooSlow
        /// The posted bytes are not a decodable JPEG.
        case imageUndecodable
        /// The posted picture has too many or too few pixels.
        case imageTooLarge
        /// Another backend stores its documents in the same folder.
        case folderInUse
        /// The documents' folder cannot be read or written.
        case folderUnusable
        /// Listening on the port fails.
        case portUnavailable
    }

    package let code: Code
    /// The error and its remedy, without personal data.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(self.code.rawValue): \(self.message)" }
}

// Each message is on one line.
// swift-format-ignore
extension EmbeddedError {
    private static let packages = "install the Debian packages tesseract-ocr and tesseract-ocr-chi-sim"

    static func tesseractNotRun(_ program: String) -> Self { Self(.tesseractMissing, "the program \(program) could not be run; the embedded verifier needs it: \(packages)") }
    static func languagesMissing(_ names: [String]) -> Self { Self(.tesseractMissing, "tesseract lacks the language data \(names.joined(separator: ", ")); \(packages)") }
    static func edgesOutOfRange(_ width: UInt32, _ height: UInt32, _ edges: ClosedRange<Int>) -> Self { Self(.imageTooLarge, "the picture has \(width) x \(height) pixels; send one with edges of \(edges.lowerBound) to \(edges.upperBound)") }
    static let tooManyPixels = Self(.imageTooLarge, "the picture has more pixels than are read; send a smaller one")
    static func undecodable(_ status: UInt32) -> Self { Self(.imageUndecodable, "the posted bytes are no JPEG that can be decoded (status \(status)); send a whole JPEG") }
    /// Creates an error of a file in the backend's folder, without the path, which may hold a business number.
    init(folder error: any Error) { self = error as? Self ?? Self(.folderUnusable, "The backend's folder cannot be used: \(Self.reason(error)). Check its owner and the free space.") }
    /// Returns the reason why a file could not be used, without its path.
    static func reason(_ error: any Error) -> String { (error as? Errno)?.description ?? "\(type(of: error))" }
    static let folderInUse = Self(.folderInUse, "Another backend keeps its documents in this folder; stop it or name another folder.")
    static func folderForeign(_ name: String, without ledger: String) -> Self { Self(.folderUnusable, "The backend's folder holds '\(name)' and no \(ledger); name an empty folder.") }
    static func lineUnreadable(_ line: Int, of name: String) -> Self { Self(.folderUnusable, "Line \(line) of \(name) in the backend's folder cannot be read; restore the file, or name an empty folder.") }
}
