import Testing

@testable import CardCommand

@Suite struct CSVTextTests {
    @Test(arguments: [
        (["a", "", "中文"], "a,,中文"), (["a,b", "say \"no\"", "two\nlines"], "\"a,b\",\"say \"\"no\"\"\",\"two\nlines\""),
        (["=1+1", "+86", "-1", "@SUM(A1)"], "'=1+1,'+86,'-1,'@SUM(A1)"),
        (["\t=1", "\r=1", "＝1"], "\"'\t=1\",'?=1,'＝1"), (["\u{1B}]0;a", "a\u{202E}b"], "\"?]0;a\",a?b"),
        (["=\u{FE0F}1", "a;=1"], "'=\u{FE0F}1,\"a;=1\""),
        (["=HYPERLINK(\"x\",1)"], "\"'=HYPERLINK(\"\"x\"\",1)\""),
        (["a=1", " =1"], "a=1, =1"),
    ])
    func `a row holds its cells, and none runs as a formula`(cells: [String], row: String) {
        #expect(CSVText.row(cells) == row)
    }
}
