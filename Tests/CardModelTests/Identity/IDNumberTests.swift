import CardModel
import Testing

@Suite struct IDNumberTests {
    @Test(arguments: [
        ("11010519491231002X", 1949, 12, 31, Gender.female),
        ("440524188001010014", 1880, 1, 1, .male),
        ("110101199003070011", 1990, 3, 7, .male),
        ("31010120000229012X", 2000, 2, 29, .female),
        ("65010220101130123X", 2010, 11, 30, .male),
    ])
    func `A number yields birth and gender`(text: String, year: Int, month: Int, day: Int, gender: Gender) throws {
        let number = try IDNumber.parse(text).get()
        #expect(number.reveal() == text)
        #expect(number.birthDate == CalendarDay(year: year, month: month, day: day))
        #expect(number.gender == gender)
    }

    @Test(arguments: [
        ("310101190002290123", IDNumber.Violation.birthDate, VerdictRule.numberBirthDate),
        ("110101187912310010", .birthDate, .numberBirthDate),
        ("110105194912310021", .checksum, .numberChecksum),
        ("000000199001010018", .region, .numberRegion),
        ("810000199001010019", .unsupportedDocument, .unsupportedDocument),
        ("820000199001010010", .unsupportedDocument, .unsupportedDocument),
        ("830000199001010012", .unsupportedDocument, .unsupportedDocument),
        ("910124199001010211", .unsupportedDocument, .unsupportedDocument),
        ("ABC123456789012", .unsupportedDocument, .unsupportedDocument),
        ("abc123456789012", .unsupportedDocument, .unsupportedDocument),
        ("110105491231002", .firstGeneration, .unsupportedDocument),
        ("110105491331002", .malformed, .numberMalformed),
        ("110105194912310", .malformed, .numberMalformed),
        ("000000491231002", .malformed, .numberMalformed),
        ("", .malformed, .numberMalformed),
        ("1101011990030700111", .malformed, .numberMalformed),
        ("11010119900307001", .malformed, .numberMalformed),
        ("11010119900307001Y", .malformed, .numberMalformed),
        ("X10101199003070011", .malformed, .numberMalformed),
        ("11010119900307OO11", .malformed, .numberMalformed),
        ("11010119900307001\u{663}", .malformed, .numberMalformed),
        ("张三", .malformed, .numberMalformed),
    ])
    func `A number that breaks a rule names that rule`(text: String, violation: IDNumber.Violation, rule: VerdictRule) {
        #expect(IDNumber.parse(text) == .failure(violation))
        #expect(violation.consequence.rule == rule)
        #expect(violation.consequence.message.text().contains(";"))
    }

    @Test func `A lower-case x, full-width digits and spaces are folded`() throws {
        #expect(try IDNumber.parse("11010519491231002x").get().reveal() == "11010519491231002X")
        #expect(try IDNumber.parse("１１０１０５１９４９１２３１００２Ｘ").get().reveal() == "11010519491231002X")
        #expect(try IDNumber.parse(" 110105 19491231 002X ").get().reveal() == "11010519491231002X")
    }

    @Test(arguments: [
        ("110105491231002", Result<String, IDNumber.Violation>.success("11010519491231002X")),
        (" 110105 491231 002 ", .success("11010519491231002X")),
        (" １１０１０５491231002", .success("11010519491231002X")),
        ("11010519491231002x", .success("11010519491231002X")),
        ("1101", .failure(.malformed)), ("11010549123100", .failure(.malformed)),
        ("11010549123100X", .failure(.malformed)), ("110105490229002", .failure(.malformed)),
        ("110105194912310021", .failure(.checksum)), ("910124199001010211", .failure(.unsupportedDocument)),
    ])
    func `A number somebody registered with is read as a card's, or upgraded from 15 digits`(
        text: String,
        number: Result<String, IDNumber.Violation>
    ) {
        #expect(IDNumber.parse(registered: text).map { $0.reveal() } == number)
    }

    @Test(arguments: [
        "11010519491231002X", "asked by 11010519491231002x.", "110105 19491231 002X", "110105-19491231-002X",
        "110105.19491231_002/X", "1-1-0-1-0-5-1-9-4-9-1-2-3-1-0-0-2-X", "١١٠١٠٥١٩٤٩١٢٣١٠٠٢X", "１１０１０５１９４９１２３１００２Ｘ",
    ])
    func `An identity number is found whatever separates its digits, and in the digits of any script`(text: String) {
        #expect(IDNumber.isContained(in: text))
    }

    @Test(arguments: [
        "LOAN-2026-0001", "20261127-123456-78901", "110105194912310021", "CASE 1101051949123100", "", "北京分行-十月",
        "⑩㊿½ 亿兆",
    ])
    func `Other numbers are none`(text: String) {
        #expect(!IDNumber.isContained(in: text))
    }

    @Test func `Every single wrong digit and every swap of neighbours is noticed`() {
        let digits = Array("11010519491231002X")
        for position in 0..<17 {
            for digit in "0123456789" where digit != digits[position] {
                var wrong = digits
                wrong[position] = digit
                #expect(IDNumber.parse(String(wrong)) == .failure(.checksum))
            }
            guard position < 16, digits[position] != digits[position + 1] else { continue }
            var swapped = digits
            swapped.swapAt(position, position + 1)
            #expect(IDNumber.parse(String(swapped)) == .failure(.checksum))
        }
    }
}
