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
    /// Why a text from a sender is not taken as a business number.
    package enum Violation: Error, Hashable, Sendable, CaseIterable {
        /// Nothing is left without white space.
        case empty
        /// It has too many code points.
        case tooLong
        /// It holds control, format or private-use characters, or breaks its line.
        case invisible
        case spreadsheet
        /// It holds the number of an identity card.
        case identityNumber

        /// What is wrong and what to do, without the text itself.
        package var message: Message {
            switch self {
            case .empty: .businessNumberEmpty
            case .tooLong: .businessNumberTooLong
            case .invisible: .businessNumberInvisible
            case .spreadsheet: .fieldSpreadsheet(.businessNumber)
            case .identityNumber: .businessNumberHoldsIdentityNumber
            }
        }
    }

    /// Reads a number from a sender; white space around it does not count.
    ///
    /// Refused is also what stands for several cases (a number damaged by a spreadsheet) and what must not be stored in
    /// the clear (an identity number).
    package static func parse(_ text: String) -> Result<BusinessNumber, Violation> {
        let value = text.trimmed
        guard !value.isEmpty else { return .failure(.empty) }
        guard value.unicodeScalars.count <= self.maximumLength else { return .failure(.tooLong) }
        // What a private-use character shows depends on who shows it: U+F028 is a blank to some systems.
        let isShared = value.unicodeScalars.allSatisfy { $0.isASCII || $0.properties.generalCategory != .privateUse }
        guard value.isVisibleLine, isShared else { return .failure(.invisible) }
        guard !SpreadsheetText.isDamage(value) else { return .failure(.spreadsheet) }
        guard !IDNumber.isContained(in: value) else { return .failure(.identityNumber) }
        return .success(BusinessNumber(stored: value))
    }
}
