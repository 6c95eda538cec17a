import Foundation

/// The number of the business case (loan application) that a card belongs to: 1 to 64 printable code points. Two spellings with
/// the same NFC are the same number, as Swift compares texts. A case keeps, sends and shows the spelling that came first.
package struct BusinessNumber: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The maximum Unicode code points of a number, which are at most 256 bytes of UTF-8.
    package static let maximumLength = 64

    package let rawValue: String

    /// Reads a number from a submitter, trimmed of white space; `nil` if ``parse(_:)`` refuses it.
    package init?(_ text: String) {
        guard case .success(let number) = Self.parse(text) else { return nil }
        self = number
    }

    /// Creates a number from the sandbox.
    package init(stored text: String) { self.rawValue = text }

    /// The NFC: the key for a database that compares bytes.
    package var key: String {
        self.rawValue.utf8.allSatisfy { $0 < 0x80 }
            ? self.rawValue : self.rawValue.precomposedStringWithCanonicalMapping
    }

    package var description: String { self.rawValue }

    package init(from decoder: any Decoder) throws { self.init(stored: try String(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try self.rawValue.encode(to: encoder) }
}

// MARK: Numbers from outside

extension BusinessNumber {
    /// Reads a number from a submitter; ignores white space around it.
    ///
    /// Also refuses a number damaged by a spreadsheet, which can stand for several cases, and an identity number, which
    /// must not be stored in the clear.
    ///
    /// - Returns: the number, or an error with its remedy, which does not quote the text.
    package static func parse(_ text: String) -> Result<BusinessNumber, Message> {
        let value = text.trimmed
        guard !value.isEmpty else { return .failure(.businessNumberEmpty) }
        guard value.unicodeScalars.count <= self.maximumLength else { return .failure(.businessNumberTooLong) }
        // The appearance of a private-use character depends on the system: U+F028 is a blank on some.
        let isShared = value.unicodeScalars.allSatisfy { $0.isASCII || $0.properties.generalCategory != .privateUse }
        guard value.isVisibleLine, isShared else { return .failure(.businessNumberInvisible) }
        guard !SpreadsheetText.isDamage(value) else { return .failure(.fieldSpreadsheet(.businessNumber)) }
        guard !self.isDigest(value) else { return .failure(.businessNumberDigest) }
        guard !IDNumber.isContained(in: value) else { return .failure(.businessNumberHoldsIdentityNumber) }
        return .success(BusinessNumber(stored: value))
    }
}
