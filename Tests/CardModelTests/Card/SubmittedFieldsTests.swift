import CardModel
import Testing

/// The six fields as senders write them.
@Suite struct SubmittedFieldsTests {
    @Test func `Every field is read, white space around it does not count, and a blank one says nothing`() throws {
        let fields = try SubmittedFields([
            .businessNumber: " LOAN-1 ", .userNumber: "00123\n", .side: "Front", .priority: "-7",
            .expectedIDNumber: "11010519491231002X", .expectedName: "\u{3000}样本甲",
        ])
        #expect(fields.businessNumber?.rawValue == "LOAN-1")
        #expect(fields.userNumber?.reveal() == "00123")
        #expect(fields.side == .front && fields.priority == -7)
        #expect(fields.expectedIDNumber?.reveal() == "11010519491231002X")
        #expect(fields.expectedName?.reveal() == "样本甲")
        let long = String(repeating: "9", count: 256)
        #expect(try SubmittedFields([.userNumber: long]).userNumber?.reveal() == long)
        let other = "910124199001010211"
        #expect(
            try SubmittedFields([.expectedIDNumber: other]).expectedIDNumber?.reveal() == other,
            "a residence permit"
        )
        let blank = try SubmittedFields(Dictionary(uniqueKeysWithValues: SubmittedField.allCases.map { ($0, " ") }))
        #expect(blank == SubmittedFields())
    }

    private static let refused: [(SubmittedField, String, String)] = [
        (.businessNumber, "nan", "business_no_invalid"), (.businessNumber, "11010519491231002X", "business_no_invalid"),
        (.userNumber, "1.23457E+15", "field_invalid"), (.userNumber, "a\u{200B}b", "field_invalid"),
        (.userNumber, String(repeating: "9", count: 257), "field_invalid"), (.side, "正面", "field_invalid"),
        (.side, "反面", "field_invalid"),
        (.priority, "high", "field_invalid"), (.priority, "1000001", "field_invalid"),
        (.priority, "1.5", "field_invalid"),
        (.expectedIDNumber, "4.40524E+17", "field_invalid"), (.expectedIDNumber, "110101199003070000", "field_invalid"),
        (.expectedIDNumber, "110101********0013", "field_invalid"), (.expectedIDNumber, "\\N", "field_invalid"),
        (.expectedIDNumber, "110101199003070012", "field_invalid"), (.expectedIDNumber, "1101", "field_invalid"),
        (.expectedName, "王*明", "field_invalid"), (.userNumber, "138****1234", "field_invalid"),
        (.businessNumber, "{{business_no}}", "business_no_invalid"), (.userNumber, "${USER_NO}", "field_invalid"),
        (.expectedName, "#N/A", "field_invalid"),
        (.expectedName, "样\n本", "field_invalid"),
    ]

    @Test(arguments: refused)
    func `The refusal of a field has its name and a remedy`(field: SubmittedField, text: String, code: String) throws {
        let error = try #require(throws: CodedError.self) { try SubmittedFields([field: text]) }
        #expect(error.code.rawValue == code && error.kind == .input)
        let message = error.message.text()
        #expect(["\(field.rawValue) ", "the business number "].contains { message.hasPrefix($0) })
        #expect(message.contains("; ") && (["nan", "#N/A", "正面", "反面"].contains(text) || !message.contains(text)))
    }

    /// What a spreadsheet or a program writes where an identifier is missing or damaged (field case F2).
    private static let damage = [
        "1.23457E+15", "1,23457e+15", "-1E+20", "1.2345678E7", "+1.5E-10", "123.0", "88,00", "#N/A", "#DIV/0!",
        "#NAME?", "#####", "1E-10", "9.99999999999999E+100", "1.234567890123456e+15", "1.23457E15", "12.3E+15",
        "#value!",
        "=\"00123\"", "=A1", "'00123", "\"00123\"", "nan", "NaN", "-nan(ind)", "NULL", "(null)", "None", "nil",
        "undefined",
        "[object Object]", "NaT", "-Inf", "(blank)", "-", "--", "?", "无", "空", "\\N",
        "{{business_no}}", "${BUSINESS_NO}", "#{no}", "{0}", "LOAN-{id}", "<number>", "<NULL>", "%s", "%(no)s", "%NO%",
        "$BUSINESS_NO", "@business_no@", "business_no", "USER_NO", "业务编号", "姓名", "LOAN-**12", "1＊＊2",
    ]

    @Test(arguments: damage)
    func `What stands for a missing or damaged value is damage`(text: String) {
        #expect(SpreadsheetText.isDamage(text))
    }

    @Test(arguments: [
        "", "LOAN-1", "nancy", "Nullarbor", "0", "00123", "20260115103000123456", "1E5", "12E34", "1.5E", "1.5E+",
        "1..0", "1.", ".0", "1.5", "2026.11", "1.E+15", "1E+5", "LOAN-1E+15", "1E+15-2", "1.2E+1x", "空间-7", "E+15",
        "A1.0", "1.0.0", "10-0", "#12", "-5", "+86", "--1", "无名", "a=b", "5'", "é", "n/a-1", "[object object]s", "１２３",
        "{0f8fad5b-d9cb-469f-a165-70867728950e}", "$100", "L<1>", "100%", "a@b", "}{", "5*3",
    ])
    func `What only looks a little like it is not`(text: String) {
        #expect(!SpreadsheetText.isDamage(text))
    }
}
