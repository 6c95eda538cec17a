import CardModel

/// The content of a reply, in any format.
struct ReplyDocument: Hashable, Sendable {
    /// A code with its text: the answer for all cards, or for one card.
    struct Statement: Hashable, Sendable {
        /// The spellings of the code that a list may have: the code as received; for a number such as 0.0, also 0.
        var spellings: [String]
        var message = ""
    }

    /// The answers for single cards.
    enum Items: Hashable, Sendable {
        case absent
        /// One answer for each entry; `nil` for an entry without a code.
        case listed([Statement?])
        /// The field for the answers is not a list, or occurs more than once.
        case malformed
    }

    /// The answer for all cards; `nil` without a code, or with several.
    var statement: Statement?
    var items = Items.absent
    /// Without such an answer: the names of the fields, for a message.
    var fields: [String] = []
}

extension ReplyDocument {
    /// Reads a JSON object; `nil` if the bytes are not one.
    init?(json bytes: [UInt8], names: ReplyNames) {
        guard let value = JSONValue(parsing: bytes), value.isObject else { return nil }
        self.statement = Statement(value, names: names)
        if self.statement == nil { self.fields = value.members.map(\.name) }
        switch value.field(names.items) {
        case .array(let entries): self.items = .listed(entries.map { Statement($0, names: names) })
        case .null: self.items = .absent
        case nil: self.items = value.count(of: names.items) == 0 ? .absent : .malformed
        default: self.items = .malformed
        }
    }

    /// Reads XML such as `<RESPONSE><RETCODE>…</RETCODE><RETMSG/><ITEMS><ITEM>…`; `nil` if the bytes are not XML. The names of
    /// the root and of the entries do not matter.
    init?(xml bytes: [UInt8], names: ReplyNames) {
        guard let root = ReplyXML.root(bytes) else { return nil }
        self.statement = Statement(root, names: names)
        if self.statement == nil { self.fields = root.members.map(\.name) }
        switch root.field(names.items) {
        case .some(let list): self.items = .listed(list.members.map { Statement($0.value, names: names) })
        case nil: self.items = root.count(of: names.items) == 0 ? .absent : .malformed
        }
    }
}

extension ReplyDocument.Statement {
    /// Reads code and text of an object; `nil` if it has no code or several.
    init?(_ object: JSONValue, names: ReplyNames) {
        switch object.field(names.code) {
        case .boolean(let value): self.spellings = [String(value)]
        case .string(let text):
            guard !text.trimmed.isEmpty else { return nil }
            self.spellings = [text.trimmed]
        case .number(let digits): self.spellings = [digits] + [Self.wholeNumber(digits)].compactMap { $0 }
        default: return nil
        }
        switch object.field(names.message) {
        case .string(let text), .number(let text): self.message = text
        default: self.message = ""
        }
    }

    /// Returns a number with a zero fraction as a whole number, because some serialisers turn 0 into 0.0; `nil` for other numbers.
    private static func wholeNumber(_ digits: String) -> String? {
        // A number with an exponent is not a code; and one such as 1e-400 must not be read as 0.
        guard digits.contains("."), !digits.contains(where: { "eE".contains($0) }), let value = Double(digits),
            value == value.rounded(), abs(value) < 1e15
        else { return nil }
        return String(Int64(value))
    }
}

extension JSONValue {
    /// Returns the field with exactly this name; if there is none, and the name has dots, the field at that path: `head.RETCODE`.
    /// `nil` for a name that occurs more than once, since it is unclear which field counts.
    fileprivate func field(_ name: String) -> JSONValue? {
        if self.count(of: name) > 0 { return self[name] }
        guard name.contains(".") else { return nil }
        return name.split(separator: ".", omittingEmptySubsequences: false).reduce(Optional(self)) { $0?[String($1)] }
    }
}
