/// What a spreadsheet or a program writes where an identifier is missing or damaged.
///
/// One such text stands for many identifiers, so two strangers would share it. Field case F2.
package enum SpreadsheetText {
    /// What to do about it; reads on after the name of the value.
    package static var message: Message {
        """
        is what a spreadsheet or a program writes where a value is missing or damaged (1.23E+15, 123.0, #N/A, nan, ="00123"); \
        format the column as text before the values are entered or loaded, and export it again
        """
    }

    /// Whether a text as a whole is such a thing.
    package static func isDamage(_ text: String) -> Bool {
        // Nearly every identifier begins with a letter or is a whole number, and a manifest has 100,000 of them.
        switch text.utf8.first ?? 0 {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
            return self.isPlaceholder(text)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return text.utf8.contains(where: ".,eE".utf8.contains) && self.isNumber(text)
        default:
            return self.isPlaceholder(text) || self.isNumber(text) || self.isFormula(text)
        }
    }

    private static func isPlaceholder(_ text: String) -> Bool {
        text.utf8.count <= 15 && self.placeholders.contains(text.lowercased())
    }

    private static func isNumber(_ text: String) -> Bool {
        // Spreadsheets write 1.23E+15 or 1E+15, Java 1.23E15; some countries write the point as a comma. A column of numbers with a gap
        // in it becomes 123.0. Nobody writes 12E34 for a number, so that is an identifier.
        text.wholeMatch(of: /[+-]?\d+([.,]\d+[eE][+-]?\d+|[eE][+-]\d{2,})|\d+[.,]0+/) != nil
    }

    private static func isFormula(_ text: String) -> Bool {
        // A column too narrow prints as nothing but #; any error begins with one and ends with ! or ?.
        if text.wholeMatch(of: /#+|#[A-Za-z0-9\/_]+[!?]/) != nil { return true }
        // A formula, or a text quoted for a spreadsheet.
        return text.hasPrefix("=") || text.hasPrefix("'") || text.wholeMatch(of: /".*"/) != nil
    }

    /// None is longer than 15 bytes.
    private static let placeholders: Set<String> = [
        "#n/a", "#getting_data", "n/a", "na", "<na>", "nan", "-nan", "nan(ind)", "-nan(ind)", "nat", "inf", "-inf",
        "infinity", "null", "(null)", "<null>", "nil", "<nil>", "none", "undefined", "[object object]", "(blank)",
        "(empty)",
        "-", "--", "?", "无", "空",
    ]
}
