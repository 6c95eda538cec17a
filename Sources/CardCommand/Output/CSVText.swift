import CardModel

/// Rows of a list for spreadsheet programs (RFC 4180).
enum CSVText {
    /// Written before the first row: without it Excel reads UTF-8 as the code page of the machine.
    static let byteOrderMark = "\u{FEFF}"

    /// One row, without its line end.
    static func row(_ cells: [String]) -> String { cells.map(Self.cell).joined(separator: ",") }

    /// Splits a message at its first semicolon, English or Chinese, into the problem and the remedy.
    static func parts(of message: Message?) -> [String] {
        let text = message?.text() ?? ""
        guard let separator = text.firstRange(of: "; ") ?? text.firstRange(of: "；") else { return [text, ""] }
        return [String(text[..<separator.lowerBound]), String(text[separator.upperBound...])]
    }

    /// Escapes a cell: a spreadsheet program would run a formula, also from a file name or business number.
    private static func cell(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first.map("=+-@\t\r＝＋－＠".unicodeScalars.contains) ?? false
        let safe = isFormula ? "'" + text.plain : text.plain
        // Some programs end a cell at a semicolon or tab.
        guard safe.contains(where: { ",;\t\"".contains($0) || $0.isNewline }) else { return safe }
        return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}
