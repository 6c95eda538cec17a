/// The place in a list after which its next page begins; to a caller a text without meaning.
enum CardCursor {
    /// What a cursor looks like, for the document.
    static let pattern = "^i[0-9]{1,18}$"

    /// The cursor after a place in the intake order.
    static func text(after intakeOrder: Int64) -> String { "i\(intakeOrder)" }

    /// Reads a cursor; `nil` if it is none of ours.
    static func intakeOrder(_ text: String) -> Int64? {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "i"), 1...18 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return Int64(text.dropFirst())
    }
}
