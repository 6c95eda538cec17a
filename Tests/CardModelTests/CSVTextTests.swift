import Testing

@testable import CardModel

@Suite struct CSVTextTests {
    @Test(arguments: [
        (["a", "", "中文"], "a,,中文"), (["a,b", "say \"no\"", "two\nlines"], "\"a,b\",\"say \"\"no\"\"\",\"two\nlines\""),
        (["\u{1B}]0;a", "a\u{202E}b"], "\"?]0;a\",a?b"), (["a;=1", "a=1", " =1"], "\"a;=1\",a=1, =1"),
    ])
    func `a row holds its cells`(cells: [String], row: String) { #expect(CSVText.row(cells) == row) }

    @Test(arguments: [
        "=1+1", "+86-7", "-1", "@SUM(A1)", "\t=1", "＝1", "=\u{FE0F}1", "=HYPERLINK(\"x\",1)", "=1+2.jpg",
        "0012345", "007", "100000000000", "20261128000012345678", "1E5", "1e+05", "12.50", "1,234", "5%", "１２３", "¥5",
        "(1)", "2026-11", "2026-11-28", "1/2", "11-28", "12:30", "3 p", "28 Nov", "MAR1", "Sept 3", "2026年11月28日",
        "2026-11-28T22:59:00Z",
        "true", "FALSE",
    ])
    func `what a spreadsheet program would change or run is the formula of its text`(text: String) {
        let row = CSVText.row([text])
        #expect(row == "\"=\"\"" + text.replacing("\"", with: "\"\"\"\"") + "\"\"\"")
        // As a reader of CSV takes it.
        let cell = String(row.dropFirst().dropLast()).replacing("\"\"", with: "\"")
        #expect(CSVText.text(ofCell: cell) == text)
    }

    @Test(arguments: [
        "0", "7", "12345678901", "L-1", "P-1", "2026-11-L7", "贷款-7", "back of 2026", "front", "a.jpg", "7.jpg", "truth",
        "E5", "12-MARBLE-STREET",
    ])
    func `what stays the same is written plain`(text: String) { #expect(CSVText.row([text]) == text) }

    @Test func `a formula holds no long text, so an apostrophe stands before it`() {
        let long = "=" + String(repeating: "a", count: 250)
        #expect(CSVText.row([long]) == "'" + long)
        #expect(CSVText.row([String(long.dropLast())]).hasPrefix("\"=\"\"=a"))
    }

    @Test(arguments: ["=00123", "=\"\"", "=\"a\"&\"b\"", "=\"a", "\"a\"", "=A1"])
    func `no other formula is a text`(cell: String) {
        #expect(CSVText.text(ofCell: cell) == (cell == "=\"\"" ? "" : cell))
    }
}
