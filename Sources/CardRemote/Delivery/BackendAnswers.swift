import CardModel
import MultipartForm

/// One answer of the backend with its meaning, for a whole delivery or for one of its cards. A RETMSG is free text of a foreign
/// system: it may quote the form, or text read from the image.
struct BackendAnswer {
    let meaning: RetcodeTable.Meaning
    /// The spellings of the RETCODE that a list may have, as received.
    let spellings: Redacted<[String]>
    /// The RETCODE to store and show: `unknown_retcode` if the received text does not look like a code, or is personal.
    let code: String
    /// The RETMSG as received. Masking is left until it is shown, because most answers never are.
    private let message: Redacted<String>
    private let mask: MessageMask

    init(_ statement: ReplyDocument.Statement, table: RetcodeTable, mask: MessageMask) {
        let code = table.listedSpelling(of: statement.spellings)
        self.meaning = table.meaning(of: code)
        self.spellings = Redacted(statement.spellings)
        let isShowable =
            !code.isEmpty && code.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_.-".utf8.contains($0) }
            && code.utf8.count <= Limits.retcodeLength
            && code.utf8.count(where: \.isASCIIDigit) <= Limits.retcodeDigits
        // A listed code cannot be personal, since the operator wrote it.
        let isHarmless = self.meaning != .unlisted || !mask.holdsValue(code)
        self.code = isShowable && isHarmless ? code : "unknown_retcode"
        self.message = Redacted(statement.message)
        self.mask = mask
    }

    /// The code, followed by the masked and shortened RETMSG, if there is one.
    var quoted: Message {
        let text = self.mask.presentable(self.message.reveal())
        return text.isEmpty ? .textVerbatim(self.code) : .backendCodeAndText(self.code, text)
    }
}

/// The number of cards in a delivery, and whether each needs an answer of its own.
struct DeliveryShape: Hashable, Sendable {
    /// The number of cards in the form.
    var members = 1
    /// Whether the form has the layout `batch` and several cards, so that the reply must have an item for each.
    var isBatch = false
}

extension DeliveryShape {
    /// Takes the shape from the stored delivery, since the configuration may have changed after its forming.
    init(of delivery: OutboundDelivery) {
        self.members = delivery.images.count
        self.isBatch = delivery.layout == .batch && self.members > 1
    }
}

/// The answers of one reply, matched with the form.
struct BackendAnswers {
    /// The answers for single cards.
    enum Items {
        /// The reply has no usable answers for single cards.
        case absent
        /// One answer for each card, in the order of the form; `nil` for a card that is not named.
        case byMember([BackendAnswer?])
        /// There are answers, but it is unknown for which cards; `count` is the number of entries.
        case contradictory(count: Int)
    }

    let reply: HTTPReply
    let table: RetcodeTable
    /// The answer for the whole delivery; `nil` without a code.
    private(set) var whole: BackendAnswer?
    private(set) var items = Items.absent
    /// Whether any entry says that the backend stored a document, even if the entries do not match the form.
    private(set) var hasStoredItem = false
    /// What the body says about the whole delivery.
    private(set) var content: BackendMeaning.Content

    /// Matches the reading of a reply with a form.
    init(
        _ reading: ReplyCodec.Reading,
        of reply: HTTPReply,
        shape: DeliveryShape,
        table: RetcodeTable,
        mask: MessageMask
    ) {
        (self.reply, self.table) = (reply, table)
        self.content = reply.isPage(isDocument: reading.isDocument) ? .page : .noCode
        let status = "http_\(reply.status)"
        if case .document(let document) = reading {
            self.read(document, shape, mask)
        } else if reply.body.allSatisfy(Base64Spelling.isSpace), RetcodeTable.statusesOfSuccess.contains(status),
            table.success.contains(status)
        {
            // For an answer without a body, a list may have the status as the code.
            self.whole = BackendAnswer(ReplyDocument.Statement(spellings: [status]), table: table, mask: mask)
        }
        if let whole = self.whole { self.content = .code(whole.meaning) }
        if !reply.isComplete, self.content == .noCode || self.content == .page { self.content = .cutOff }
    }

    /// Reads the answers of a document. Entries for single cards are usable if there is one for each card. In a batch, anything
    /// else is a contradiction, except an empty list with a refusal. In a reply to another form, entries may mean something else,
    /// and are ignored.
    private mutating func read(_ document: ReplyDocument, _ shape: DeliveryShape, _ mask: MessageMask) {
        let answer = { [table] in BackendAnswer($0, table: table, mask: mask) }
        self.whole = document.statement.map(answer)
        switch document.items {
        case .absent: break
        case .malformed:
            if shape.isBatch { self.items = .contradictory(count: 0) }
        case .listed(let entries):
            let answers = entries.map { $0.map(answer) }
            self.hasStoredItem = answers.contains { $0?.meaning.isStored ?? false }
            let areNamed = shape.isBatch ? entries.contains { $0 != nil } : !entries.contains(nil)
            if entries.count == shape.members, areNamed {
                self.items = .byMember(answers)
            } else if shape.isBatch, !entries.isEmpty || self.whole?.meaning.isStored ?? false {
                // In a batch, an empty list contradicts a success, too.
                self.items = .contradictory(count: entries.count)
            } else {
                self.hasStoredItem = false
            }
        }
    }
}
