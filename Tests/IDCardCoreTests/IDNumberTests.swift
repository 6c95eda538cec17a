import IDCardCore
import Testing

@Suite("Resident identity numbers (GB 11643-1999)")
struct IDNumberTests {
    @Test(
        "A valid number yields birth date and gender",
        arguments: [
            ("11010519491231002X", 1949, 12, 31, Gender.female),
            ("440524188001010014", 1880, 1, 1, .male),
            ("110101199003070011", 1990, 3, 7, .male),
            ("31010120000229012X", 2000, 2, 29, .female),
            ("65010220101130123X", 2010, 11, 30, .male),
        ]
    )
    func validNumber(text: String, year: Int, month: Int, day: Int, gender: Gender) throws {
        let number = try IDNumber.parse(text).get()
        #expect(number.reveal() == text)
        #expect(number.birthDate == CalendarDay(year: year, month: month, day: day))
        #expect(number.gender == gender)
    }

    @Test(
        "A number that breaks a rule names the rule",
        arguments: [
            ("310101190002290123", IDNumber.Violation.birthDate),
            ("110105194912310021", .checksum),
            ("000000199001010018", .region),
            ("810000199001010019", .unsupportedDocument),
            ("910124199001010211", .unsupportedDocument),
            ("ABC123456789012", .unsupportedDocument),
            ("110105491231002", .firstGeneration),
            ("", .malformed),
            ("1101011990030700111", .malformed),
            ("11010119900307001Y", .malformed),
            ("X10101199003070011", .malformed),
        ]
    )
    func brokenNumber(text: String, violation: IDNumber.Violation) {
        #expect(IDNumber.parse(text) == .failure(violation))
    }

    @Test("A lower-case x, full-width digits and spaces are folded")
    func foldsVariants() throws {
        #expect(try IDNumber.parse("11010519491231002x").get().reveal() == "11010519491231002X")
        #expect(try IDNumber.parse("１１０１０５１９４９１２３１００２Ｘ").get().reveal() == "11010519491231002X")
        #expect(try IDNumber.parse(" 110105 19491231 002X ").get().reveal() == "11010519491231002X")
    }

    @Test("A 15-digit number is upgraded with century and check character")
    func upgradesFirstGeneration() throws {
        #expect(try IDNumber.upgrade(firstGeneration: "110105491231002").get().reveal() == "11010519491231002X")
        #expect(IDNumber.upgrade(firstGeneration: "11010549123100") == .failure(.malformed))
    }

    @Test("Every single wrong digit and every swap of neighbours is noticed")
    func noticesSingleErrors() {
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

    @Test("A number does not print itself")
    func hidesItself() throws {
        let number = try IDNumber.parse("11010519491231002X").get()
        var dumped = ""
        dump(number, to: &dumped)
        for text in ["\(number)", String(describing: number), String(reflecting: number), dumped] {
            #expect(!text.contains("1949"), "shows personal data: \(text)")
        }
    }
}
