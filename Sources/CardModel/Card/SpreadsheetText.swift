import Foundation

/// Texts that a spreadsheet, a template or a program writes for a missing, damaged or masked identifier. The same text replaces
/// many identifiers, so unrelated cases would share it. Field case F2.
package enum SpreadsheetText {
    /// Whether the whole text replaces an identifier: an error value, a placeholder, a mask or a number that a
    /// spreadsheet rewrote.
    package static func isDamage(_ text: String) -> Bool {
        // Asterisks replace digits or letters.
        if self.isUnfilled(text) || text.contains("**") || text.contains("＊＊") { return true }
        // No Regex here: it needs 0.2 ms a value, and a manifest has 100,000 rows.
        return switch text.utf8.first ?? 0 {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self.isNumber(text)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): self.isPlaceholder(text) || self.isNumber(text)
        case UInt8(ascii: "="), UInt8(ascii: "'"): true
        case UInt8(ascii: "\""): text.utf8.count > 1 && text.utf8.last == UInt8(ascii: "\"")
        // A number too wide for its column prints as nothing but #; each error value begins with # and ends with ! or ?.
        case UInt8(ascii: "#"):
            self.isPlaceholder(text) || "!?".utf8.contains(text.utf8.last ?? 0)
                || text.utf8.allSatisfy { $0 == UInt8(ascii: "#") }
        default: self.isPlaceholder(text)
        }
    }

    /// Whether a spreadsheet treated an identity number as a number, of which it stores only 15 digits.
    package static func hasLostDigits(_ text: String) -> Bool {
        text.hasSuffix("000") && IDNumber.parse(text) == .failure(.checksum)
    }

    /// Whether a text is the placeholder of a template that was not filled in, as {{number}}, ${NUMBER}, <number>, %s,
    /// $NUMBER or @number@, or the name of a column. A UUID in braces is none: some programs write it so.
    private static func isUnfilled(_ text: String) -> Bool {
        if SubmittedField(column: text.lowercased()) != nil { return true }
        guard let first = text.utf8.first, let last = text.utf8.last, text.utf8.count > 1 else { return false }
        switch (first, last) {
        case (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: "@"), UInt8(ascii: "@")), (UInt8(ascii: "%"), _):
            return true
        case (UInt8(ascii: "$"), _): return !last.isASCIIDigit
        default: break
        }
        guard let start = text.firstIndex(of: "{"), let end = text.lastIndex(of: "}"), start < end else { return false }
        return UUID(uuidString: String(text[text.index(after: start)..<end])) == nil
    }

    private static func isPlaceholder(_ text: String) -> Bool {
        text.utf8.count <= 15 && self.placeholders.contains(text.lowercased())
    }

    /// Whether a text is a number in scientific notation, or one with only zeros behind its decimal point. Spreadsheets write
    /// 1.23E+15 or 1E+15, Java writes 1.23E15; some countries write the point as a comma. Programs that read a column with gaps
    /// write 123 as 123.0. No program writes a number as 12E34, so this is an identifier.
    private static func isNumber(_ text: String) -> Bool {
        let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: "eE".utf8.contains)
        let mantissa = parts[0].drop(while: "+-".utf8.contains)
            .split(maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: ".,".utf8.contains)
        guard mantissa.allSatisfy(\.areASCIIDigits) else { return false }
        guard parts.count == 2 else { return mantissa.count == 2 && mantissa[1].allSatisfy { $0 == UInt8(ascii: "0") } }
        let exponent = parts[1].drop(while: "+-".utf8.contains)
        let isSigned = exponent.count < parts[1].count
        return exponent.areASCIIDigits && (mantissa.count == 2 || isSigned && exponent.count >= 2)
    }

    /// None is longer than 15 bytes.
    private static let placeholders: Set<String> = [
        "#n/a", "#getting_data", "n/a", "na", "nan", "-nan", "nan(ind)", "-nan(ind)", "nat", "inf", "-inf",
        "infinity", "null", "(null)", "\\n", "nil", "none", "undefined", "[object object]", "(blank)", "(empty)",
        "-", "--", "?", "无", "空",
    ]
}
