import CardModel
import Foundation

/// The note beside a refused file, which says why it was refused.
///
/// It is named after the whole file name (`a.jpg.failed.json` for `a.jpg`), so that it differs from the sidecar `a.jpg.json`. Once
/// the fault is corrected, photo and sidecar can be put back under their names. The note has no personal data except the names of the photo's folders.
struct FailureNote: Hashable, Sendable, Encodable {
    /// The suffix after the refused file's name.
    static let suffix = ".failed.json"
    /// The suffix of the file with the reason as text, in the language of the process.
    static let textSuffix = ".failed.txt"

    private let code: ReasonCode
    private let message: String
    private let cardID: String?
    private let time: String

    init(_ error: CodedError, card: CardID?, in folders: [String], time: Timestamp) {
        self.code = error.code
        self.message = error.message.description(showing: folders)
        self.cardID = card?.description
        self.time = time.description
    }

    /// Writes the note into an open folder, replacing an older one.
    func write(as name: String, in folder: borrowing OpenFolder) throws(CodedError) {
        try Self.write(JSONText.data(self, isIndented: true) + [UInt8(ascii: "\n")], as: name, in: folder)
    }

    /// Writes the note, and the reason as text, beside a file in an open folder; existing files stay.
    func write(_ text: String, beside name: String, in folder: borrowing OpenFolder) throws {
        let textName = name + Self.textSuffix
        if try folder.status(of: textName) == nil { try Self.write(Data(text.utf8), as: textName, in: folder) }
        if try folder.status(of: name + Self.suffix) == nil { try self.write(as: name + Self.suffix, in: folder) }
    }

    private static func write(_ bytes: Data, as name: String, in folder: borrowing OpenFolder) throws(CodedError) {
        // Through the descriptor: the file stays in this folder even if the folder's path changes.
        try DurableFile.replace("/proc/self/fd/\(folder.descriptor)/\(name)", with: [UInt8](bytes), mode: 0o644)
    }
}
