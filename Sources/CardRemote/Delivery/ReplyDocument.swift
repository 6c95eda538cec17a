import CardModel

/// The content of a reply, in any format.
struct ReplyDocument: Hashable, Sendable {
    /// A code with its text: the answer for all cards, or for one.
    struct Statement: Hashable, Sendable {
        /// The spellings of the code that a list may have: as written, and a number also as a whole number.
        var spellings: [String]
        /// The text; empty if there is none.
        var message = ""
    }

    /// The answers card by card.
    enum Items: Hashable, Sendable {
        case absent
        /// One for each entry; `nil` for an entry without a code.
        case listed([Statement?])
        /// The field holds something else.
        case malformed
    }

    /// The answer for all; `nil` without a code, or with several.
    var statement: Statement?
    var items = Items.absent
    /// The names of its fields, if none of them is certainly the code.
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

    /// Reads XML such as `<RESPONSE><RETCODE>…</RETCODE><RETMSG/><ITEMS><ITEM>…`; `nil` if the bytes are not XML.
    ///
    /// The root and the entries may have any names.
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
    /// Reads code and text of an object; `nil` without a certain code.
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

    /// Returns a number with a zero fraction as a whole number: some serialisers turn 0 into 0.0.
    private static func wholeNumber(_ digits: String) -> String? {
        // No backend writes a code with an exponent, and a very small number is not 0.
        guard digits.contains("."), !digits.contains(where: { "eE".contains($0) }), let value = Double(digits),
            value == value.rounded(), abs(value) < 1e15
        else { return nil }
        return String(Int64(value))
    }
}

extension JSONValue {
    /// Returns the field of exactly this name; else, for a name with dots, the field at that path: `head.RETCODE`.
    ///
    /// A repeated name is ambiguous, so its path is not followed.
    fileprivate func field(_ name: String) -> JSONValue? {
        if self.count(of: name) > 0 { return self[name] }
        guard name.contains(".") else { return nil }
        return name.split(separator: ".", omittingEmptySubsequences: false).reduce(Optional(self)) { $0?[String($1)] }
    }
}
