/// A statement of the backend with its meaning: the answer for a delivery, or for one card of it.
struct BackendAnswer: Hashable, Sendable {
    /// What the code means.
    let meaning: RetcodeTable.Meaning
    /// What the backend says, fit for messages.
    let words: BackendWords

    /// Takes a statement.
    ///
    /// - Parameters:
    ///   - statement: what the reply says.
    ///   - table: what the codes mean.
    ///   - mask: takes out what must not appear.
    init(_ statement: ReplyDocument.Statement, table: RetcodeTable, mask: MessageMask) {
        let code = table.listedSpelling(of: statement.spellings)
        self.meaning = table.meaning(of: code)
        self.words = BackendWords(code: code, text: statement.message, mask: mask)
    }

    /// Whether the backend holds the document.
    var isHeld: Bool { self.meaning == .success || self.meaning == .alreadyExists }
}
