import Foundation

/// The place in a list after which its next page begins; to a caller a text without meaning.
enum CardCursor {
    private static let mark = "i1:"

    /// The cursor after a place in the intake order.
    static func text(after intakeOrder: Int64) -> String {
        Data("\(self.mark)\(intakeOrder)".utf8).base64EncodedString().filter { $0 != "=" }
    }

    /// Reads a cursor; `nil` if it is none of ours.
    static func intakeOrder(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: padded), let plain = String(validating: bytes, as: UTF8.self),
            plain.hasPrefix(self.mark)
        else { return nil }
        return Int64(plain.dropFirst(self.mark.count)).flatMap { $0 >= 0 ? $0 : nil }
    }
}
