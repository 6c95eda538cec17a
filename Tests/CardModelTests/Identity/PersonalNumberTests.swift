import CardModel
import Testing

@Suite struct PersonalNumberTests {
    @Test(arguments: [
        ("LOAN-7 白丽芳", "白丽芳", true), ("LOAN-7-白 丽芳", "白丽芳", true), ("白丽芳", "白丽芳", true),
        ("LOAN-7 阿卜杜拉•买买提", "阿卜杜拉·买买提", true), ("LOAN-7", "白丽芳", false), ("LOAN-7 白丽", "白丽芳", false),
        ("李-7", "李", false), ("2026-0017 补件", "白丽芳", false),
    ])
    func `a number contains a name however it is written`(number: String, name: String, isContained: Bool) {
        #expect(BusinessNumber(stored: number).contains(Redacted(name)) == isContained)
        #expect(!BusinessNumber(stored: number).contains(nil))
    }

    @Test(arguments: [
        // Another number of the list, and a name.
        (["LOAN-7", "LOAN-7 白丽芳"], ["LOAN-7 白丽芳"]), (["17", "李明_17"], ["李明_17"]),
        // The form of four fifths of at least five.
        (["A-01", "A-02", "A-03", "A-04", "A-05 白丽芳"], ["A-05 白丽芳"]),
        (["A-01", "A-02", "A-03", "A-05 白丽芳"], []), (["A-01", "A-02", "B7", "C-9", "A-05 白丽芳"], []),
        (["A-01", "A-02", "A-03", "A-04", "A-05 二〇二六年度补充"], []), (["白丽芳", "李明", "王伟", "赵六", "孙七"], []),
        ([], []),
    ])
    func `a folder named by a number of the list and a person is found`(folders: [String], named: [String]) {
        let numbers = Set(folders.map(BusinessNumber.init(stored:)))
        #expect(BusinessNumber.namingPersons(numbers) == Set(named.map(BusinessNumber.init(stored:))))
    }

    @Test func `no submitter gives the digest of an erased number`() {
        #expect(BusinessNumber("~0123456789abcdef") == nil)
        for text in ["~0123456789abcde", "~0123456789ABCDEF", "0123456789abcdef"] {
            #expect(BusinessNumber(text) != nil, "\(text)")
        }
    }
}
