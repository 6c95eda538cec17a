import CardModel

/// What a reply says, whatever it was written in.
struct ReplyDocument: Hashable, Sendable {
    /// A code with its text: the answer for all cards, or for one.
    struct Statement: Hashable, Sendable {
        /// The code in every way it may be listed: as it was written, and a number also as the whole number it is.
        var spellings: [String]
        /// The text; empty if there is none.
        var message = ""
    }

    /// The answers card by card.
    enum Items: Hashable, Sendable {
        case absent
        /// One per entry; `nil` where an entry has no code.
        case listed([Statement?])
        /// The field holds something else.
        case malformed
    }

    /// The answer for all; `nil` without a code, or with several.
    var statement: Statement?
    var items = Items.absent
    /// The names of its fields, where none of them is certainly the code.
    var fields: [String] = []
}

extension ReplyDocument {
    /// Reads a JSON object; `nil` if the bytes are none.
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

    /// Reads `<RESPONSE><RETCODE>…</RETCODE><RETMSG/><ITEMS><ITEM>…`, whatever the names of the root and of the
    /// entries; `nil` if the bytes are no XML.
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
    /// Takes code and text of an object; `nil` without a code that is certain.
    init?(_ object: JSONValue, names: ReplyNames) {
        switch object.field(names.code) {
        case .boolean(let value): self.spellings = [String(value)]
        case .string(let text):
            guard !text.trimmed.isEmpty else { return nil }
            self.spellings = [text.trimmed]
        case .number(let digits):
            self.spellings = [digits] + [Self.wholeNumber(digits)].compactMap { $0 }
        default:
            return nil
        }
        switch object.field(names.message) {
        case .string(let text), .number(let text): self.message = text
        default: self.message = ""
        }
    }

    /// The whole number that a number with fraction or exponent is: some serialisers turn 0 into 0.0.
    private static func wholeNumber(_ digits: String) -> String? {
        // An exponent is nobody's way of writing a code, and a very small number is not 0.
        guard digits.contains("."), !digits.contains(where: { "eE".contains($0) }), let value = Double(digits),
            value == value.rounded(), abs(value) < 1e15
        else { return nil }
        return String(Int64(value))
    }
}

extension JSONValue {
    /// The field of this very name; else, for a name with dots, the field at that path: `head.RETCODE`.
    ///
    /// A name that stands several times is certain nowhere, so it is followed no further.
    fileprivate func field(_ name: String) -> JSONValue? {
        if self.count(of: name) > 0 { return self[name] }
        guard name.contains(".") else { return nil }
        return name.split(separator: ".", omittingEmptySubsequences: false).reduce(Optional(self)) { $0?[String($1)] }
    }
}
