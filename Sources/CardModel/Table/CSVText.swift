/// Rows of a list for spreadsheet programs (RFC 4180).
package enum CSVText {
    /// Written before the first row: without it Excel reads UTF-8 as the code page of the machine.
    package static let byteOrderMark = "\u{FEFF}"

    /// One row, without its line end.
    package static func row(_ cells: [String]) -> String { cells.map(Self.cell).joined(separator: ",") }

    /// Returns the text of a cell that ``row(_:)`` wrote as a formula, `="…"`; other cells as they are.
    package static func text(ofCell cell: String) -> String {
        guard cell.utf8.count > 2, cell.hasPrefix("=\""), cell.hasSuffix("\"") else { return cell }
        let quoted = String(cell.dropFirst(2).dropLast()).replacing("\"\"", with: "\0")
        // A lone quote ends the text: this is a formula that joins several.
        return quoted.contains("\"") ? cell : quoted.replacing("\0", with: "\"")
    }

    /// Escapes a cell. A text that a spreadsheet program would change or run is written as the formula of that text.
    private static func cell(_ text: String) -> String {
        var safe = text.plain
        if self.isChanged(safe) {
            // Excel takes at most 255 characters as the text of a formula.
            safe = safe.utf16.count > 250 ? "'" + safe : "=\"" + safe.replacing("\"", with: "\"\"") + "\""
        }
        // Some programs end a cell at a semicolon or tab.
        guard safe.contains(where: { ",;\t\"".contains($0) || $0.isNewline }) else { return safe }
        return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }

    /// Whether a spreadsheet program would show another value: it runs what begins like a formula, also in a file name, and
    /// reads numbers, dates, times, fractions, amounts and truth values. A few more texts do no harm.
    private static func isChanged(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        if "=+-@\t\r＝＋－＠".unicodeScalars.contains(first) { return true }
        if text.utf8.areASCIIDigits { return text.utf8.count >= 12 || first == "0" && text.utf8.count > 1 }
        var (word, digits) = ("", 0)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "0"..."9", "０"..."９": digits += 1
            case "a"..."z", "A"..."Z": word.unicodeScalars.append(scalar)
            default: guard self.signs.contains(scalar) else { return false }
            }
            guard word.utf8.count <= 9 else { return false }
        }
        word = word.lowercased()
        if digits == 0 { return word == "true" || word == "false" }
        if word.isEmpty || word.utf8.count >= 3 && self.months.contains(where: { $0.hasPrefix(word) }) { return true }
        return !("A"..."z").contains(first) && ["a", "p", "am", "pm", "e", "t", "z", "tz"].contains(word)
    }

    private static let signs = Set(" \u{A0}\u{3000}.,:/-+%()'$¥￥€£．，：／％（）年月日号時时分秒上下午".unicodeScalars)

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
}
