import CardModel

/// Rows of a list for spreadsheet programs (RFC 4180).
enum CSVText {
    /// Before the first row: without it Excel takes UTF-8 for the code page of the machine.
    static let byteOrderMark = "\u{FEFF}"

    /// One row, without its line end.
    static func row(_ cells: [String]) -> String { cells.map(Self.cell).joined(separator: ",") }

    /// What is wrong, and what to do: a message says the one first, and behind its first semicolon, English or Chinese, the other.
    static func parts(of message: Message?) -> [String] {
        let text = message?.text() ?? ""
        guard let end = text.firstRange(of: "; ") ?? text.firstRange(of: "；") else { return [text, ""] }
        return [String(text[..<end.lowerBound]), String(text[end.upperBound...])]
    }

    /// A spreadsheet program runs what begins like a formula, however it came into a file name or business number.
    private static func cell(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first.map("=+-@\t\r＝＋－＠".unicodeScalars.contains) ?? false
        let safe = isFormula ? "'" + text.plain : text.plain
        // Some programs take a semicolon or tab for the end of a cell.
        guard safe.contains(where: { ",;\t\"".contains($0) || $0.isNewline }) else { return safe }
        return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}
