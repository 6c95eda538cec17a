/// A JSON value as it was written: numbers keep their digits, and objects their members, doubles included.
///
/// `JSONDecoder` turns 0.0 into 0, rounds long numbers, and takes one of two equal names without saying so: where a
/// code decides about a delivery, that is not certain enough.
indirect enum LiteralJSON: Hashable, Sendable {
    /// An object's members, in order.
    case object([Member])
    /// An array.
    case array([LiteralJSON])
    /// A string.
    case string(String)
    /// A number, in its own digits.
    case number(String)
    /// `true` or `false`.
    case boolean(Bool)
    /// `null`.
    case null

    /// A name with its value.
    struct Member: Hashable, Sendable {
        let name: String
        let value: LiteralJSON
    }

    /// Reads a document (RFC 8259); `nil` if the bytes are not one value in UTF-8, or nested too deeply.
    init?(parsing bytes: [UInt8]) {
        var reader = LiteralJSONReader(bytes)
        guard let value = reader.readDocument() else { return nil }
        self = value
    }

    /// How often an object has a name; 0 for other values.
    func count(of name: String) -> Int {
        if case .object(let members) = self { members.count { $0.name == name } } else { 0 }
    }

    /// The value of a name that an object has once; `nil` for other values.
    subscript(name: String) -> LiteralJSON? {
        guard case .object(let members) = self, self.count(of: name) == 1 else { return nil }
        return members.first { $0.name == name }?.value
    }
}
