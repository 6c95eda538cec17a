/// The answers of one reply, fitted to the form it answers.
struct BackendAnswers: Hashable, Sendable {
    /// The answers card by card.
    enum Items: Hashable, Sendable {
        /// There are none that count.
        case absent
        /// One for each card, in the order of the form.
        case byMember([BackendAnswer])
        /// There are some, but not one for each card; how many entries there are.
        case contradictory(count: Int)
    }

    /// The answer for all cards; `nil` without a code.
    private(set) var whole: BackendAnswer?
    /// The answers card by card.
    private(set) var items = Items.absent
    /// Whether any entry says that the backend holds a document, also where the entries do not fit.
    private(set) var hasHeldItem = false

    /// No answers.
    init() {}

    /// Takes the answers of a document.
    ///
    /// Entries count if there is one with a code for each card. In a batch everything else is a contradiction, an empty
    /// list beside a refusal excepted; a form of one business number may well be answered with entries that mean
    /// something else.
    init(_ document: ReplyDocument, shape: DeliveryShape, table: RetcodeTable, mask: MessageMask) {
        func answer(_ statement: ReplyDocument.Statement) -> BackendAnswer {
            BackendAnswer(statement, table: table, mask: mask)
        }
        self.whole = document.statement.map(answer)
        switch document.items {
        case .absent:
            break
        case .malformed:
            if shape.isBatch { self.items = .contradictory(count: 0) }
        case .listed(let entries):
            guard !entries.isEmpty else {
                // "All well", and nothing taken? Of a batch that is no answer.
                if shape.isBatch, self.whole?.isHeld ?? false { self.items = .contradictory(count: 0) }
                return
            }
            if entries.count == shape.members, !entries.contains(nil) {
                let answers = entries.compactMap { $0.map(answer) }
                self.items = .byMember(answers)
                self.hasHeldItem = answers.contains(where: \.isHeld)
            } else if shape.isBatch {
                self.items = .contradictory(count: entries.count)
                // Entries without end are not masked one by one: their codes alone are looked at.
                self.hasHeldItem = entries.contains { entry in
                    guard let entry else { return false }
                    let meaning = table.meaning(of: table.listedSpelling(of: entry.spellings))
                    return meaning == .success || meaning == .alreadyExists
                }
            }
        }
    }
}
