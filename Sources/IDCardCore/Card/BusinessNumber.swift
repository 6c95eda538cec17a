/// The number of the business case (loan application) that a card belongs to: 1 to 64 printable characters.
package struct BusinessNumber: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The longest accepted number, in characters.
    package static let maximumLength = 64

    /// What stands in the place of the number on a tombstone.
    package static let erased = BusinessNumber(erasedMark: "(erased)")

    /// The number as given.
    package let rawValue: String

    /// Takes a number, trimmed of white space.
    ///
    /// Returns `nil` if the text is empty, longer than 64 characters, or holds control characters.
    package init?(_ text: String) {
        // Nearly all of them, and one is made of every row that is read.
        if 1...Self.maximumLength ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            self.rawValue = text
            return
        }
        let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        let value = String(trimmed)
        guard !value.isEmpty, value.count <= Self.maximumLength else { return nil }
        guard value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else { return nil }
        self.rawValue = value
    }

    private init(erasedMark: String) {
        self.rawValue = erasedMark
    }

    package var description: String { self.rawValue }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = BusinessNumber(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "a business number has 1 to \(Self.maximumLength) printable characters"
            )
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.rawValue)
    }
}
