import CardModel
import Foundation

/// What is written beside a refused file, to say why it was refused.
///
/// Named after the whole file name, `a.jpg.failed.json` for `a.jpg`: its sidecar keeps the name `a.jpg.json`, so that
/// both can be put back once the reason is mended. It holds no personal data but the names of folders that it lies in.
struct FailureNote: Hashable, Sendable, Encodable {
    /// What is put after the refused file's name.
    static let suffix = ".failed.json"
    /// What is put after it for the reason as text in the language of the process.
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

    /// Writes the note into an open folder, in the place of an older one.
    func write(as name: String, in folder: borrowing OpenFolder) throws(CodedError) {
        try Self.write(JSONText.data(self, isIndented: true) + [UInt8(ascii: "\n")], as: name, in: folder)
    }

    /// Writes the note, and the reason as text, beside a file in an open folder; what is there already stays.
    func write(_ text: String, beside name: String, in folder: borrowing OpenFolder) throws {
        let textName = name + Self.textSuffix
        if try folder.status(of: textName) == nil { try Self.write(Data(text.utf8), as: textName, in: folder) }
        if try folder.status(of: name + Self.suffix) == nil { try self.write(as: name + Self.suffix, in: folder) }
    }

    private static func write(_ bytes: Data, as name: String, in folder: borrowing OpenFolder) throws(CodedError) {
        // By way of the descriptor: what is written there stays there, whatever becomes of the folder's path.
        try DurableFile.replace("/proc/self/fd/\(folder.descriptor)/\(name)", with: [UInt8](bytes), mode: 0o644)
    }
}
