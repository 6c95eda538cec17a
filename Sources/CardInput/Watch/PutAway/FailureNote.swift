import CardModel

/// What is written beside a refused file, to say why it was refused.
///
/// Named after the whole file name, `a.jpg.failed.json` for `a.jpg`: its sidecar keeps the name `a.jpg.json`, so that
/// both can be put back once the reason is mended. It holds no personal data but the names of folders that it lies in.
struct FailureNote: Hashable, Sendable, Encodable {
    /// What is put after the refused file's name.
    static let suffix = ".failed.json"

    private let code: ReasonCode
    private let message: String
    private let cardID: String?
    private let time: String

    /// - Parameter folders: the names of the folders that the file lies in.
    init(_ error: CodedError, card: CardID?, in folders: [String], time: Timestamp) {
        self.code = error.code
        self.message = error.message.description(showing: folders)
        self.cardID = card?.description
        self.time = time.description
    }

    /// Writes the note into an open folder, in the place of an older one.
    func write(as name: String, in folder: borrowing OpenFolder) throws(CodedError) {
        let json = JSONText.data(self, isIndented: true)
        // By way of the descriptor: what is written there stays there, whatever becomes of the folder's path.
        let path = "/proc/self/fd/\(folder.descriptor)/\(name)"
        try DurableFile.replace(path, with: [UInt8](json) + [UInt8(ascii: "\n")], mode: 0o644)
    }
}
