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
        if self.placeholders.contains(text.lowercased()) { return true }
        // Some countries write the decimal point as a comma. A column of numbers with a gap in it becomes 123.0.
        if text.wholeMatch(of: /[+-]?\d+([.,]\d+)?[eE][+-]?\d{2,}/) != nil { return true }
        if text.wholeMatch(of: /\d+[.,]0+/) != nil { return true }
        // A column too narrow prints as nothing but #; any error begins with one and ends with ! or ?.
        if text.wholeMatch(of: /#+|#[A-Za-z0-9\/_]+[!?]/) != nil { return true }
        // A formula, or a text quoted for a spreadsheet.
        return text.hasPrefix("=") || text.hasPrefix("'") || text.wholeMatch(of: /".*"/) != nil
    }

    private static let placeholders: Set<String> = [
        "#n/a", "#getting_data", "n/a", "na", "<na>", "nan", "-nan", "nan(ind)", "-nan(ind)", "nat", "inf", "-inf",
        "infinity", "null", "(null)", "<null>", "nil", "<nil>", "none", "undefined", "[object object]", "(blank)",
        "(empty)",
        "-", "--", "?", "无", "空",
    ]
}
