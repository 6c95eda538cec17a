import Testing

@testable import CardEmbedded

@Suite struct FieldTextTests {
    @Test(arguments: [
        ("2015.06.01-2035.06.01", "2015.06.01-2035.06.01" as String?),
        ("2015 .06.01 - 2035.06.01\n", "2015.06.01-2035.06.01"),
        ("2015.06.01-长期", "2015.06.01-长期"),
        ("2015.06.01-", nil),
        ("2015.06.01.1.2", nil),
        ("20150601-20350601", nil),
    ])
    func `A period is two dates, or one and 长期`(text: String, expected: String?) {
        #expect(FieldText.period(text) == expected)
    }

    @Test(arguments: [
        ("1990年3月7日", CardText.BirthDate(year: 1990, month: 3, day: 7) as CardText.BirthDate?),
        ("1990 年 12 月 31 日", CardText.BirthDate(year: 1990, month: 12, day: 31)),
        ("1990年13月7日", nil), ("1990年3月", nil), ("199年3月7日", nil),
    ])
    func `A birth date is three numbers that can be one`(text: String, expected: CardText.BirthDate?) {
        #expect(FieldText.birth(text) == expected)
    }

    @Test(arguments: [("男 民族 汉", "男", "汉"), ("女 民族“壮", "女", "壮"), ("男维吾尔", "男", "维吾尔"), ("女 民 族 土家\n", "女", "土家")])
    func `Gender and ethnicity come of one line, labelled or not`(text: String, gender: String, ethnicity: String) {
        #expect(FieldText.person(text) == Person(gender: gender, ethnicity: ethnicity))
    }

    @Test(arguments: ["男 民族 冯", "民族 汉", "男 民族"])
    func `A group that does not exist is no reading`(text: String) {
        #expect(FieldText.person(text) == nil)
    }

    @Test(arguments: [("邱 燕，\n", "邱燕"), ("艾力·买买提", "艾力·买买提"), ("艾力•买买提.", "艾力·买买提")])
    func `A name keeps Chinese characters and the middle dot inside`(text: String, expected: String) {
        #expect(FieldText.name(text) == expected)
    }

    @Test func `Nothing readable is no field`() {
        #expect(FieldText.name(" -- \n") == nil)
        #expect(FieldText.address("\n ， ") == nil)
    }
}
