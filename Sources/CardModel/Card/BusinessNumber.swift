import Foundation

/// The number of the business case (loan application) that a card belongs to: 1 to 64 printable code points.
///
/// Two spellings of one NFC are one number, as Swift compares texts; it is sent and shown as the case was first given it.
package struct BusinessNumber: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The most Unicode code points of a number, which are at most 256 bytes of UTF-8.
    package static let maximumLength = 64

    package let rawValue: String

    /// Takes a number from a sender, trimmed of white space; `nil` if ``parse(_:)`` refuses it.
    package init?(_ text: String) {
        guard case .success(let number) = Self.parse(text) else { return nil }
        self = number
    }

    /// Takes a number that the sandbox holds.
    package init(stored text: String) { self.rawValue = text }

    /// By what a database that compares bytes tells numbers apart: the NFC.
    package var key: String {
        self.rawValue.utf8.allSatisfy { $0 < 0x80 }
            ? self.rawValue : self.rawValue.precomposedStringWithCanonicalMapping
    }

    package var description: String { self.rawValue }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(stored: try container.decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.rawValue)
    }
}

// MARK: Numbers from outside

extension BusinessNumber {
    /// Reads a number from a sender; white space around it does not count.
    ///
    /// Refused is also what stands for several cases (a number damaged by a spreadsheet) and what must not be stored in
    /// the clear (an identity number).
    ///
    /// - Returns: the number, or what is wrong and what to do, without the text itself.
    package static func parse(_ text: String) -> Result<BusinessNumber, Message> {
        let value = text.trimmed
        guard !value.isEmpty else { return .failure(.businessNumberEmpty) }
        guard value.unicodeScalars.count <= self.maximumLength else { return .failure(.businessNumberTooLong) }
        // What a private-use character shows depends on who shows it: U+F028 is a blank to some systems.
        let isShared = value.unicodeScalars.allSatisfy { $0.isASCII || $0.properties.generalCategory != .privateUse }
        guard value.isVisibleLine, isShared else { return .failure(.businessNumberInvisible) }
        guard !SpreadsheetText.isDamage(value) else { return .failure(.fieldSpreadsheet(.businessNumber)) }
        guard !IDNumber.isContained(in: value) else { return .failure(.businessNumberHoldsIdentityNumber) }
        return .success(BusinessNumber(stored: value))
    }
}
