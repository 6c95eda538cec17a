import CardModel
import Testing

@Suite struct ValidityTests {
    @Test(arguments: [
        "2010.11.13-2020.11.13", "20101113-20201113", "2010111320201113", "2010.11.132020.11.13",
        "2010/11/13-2020/11/13", "2010-11-13-2020-11-13", "2010年11月13日-2020年11月13日", "2010年11月13日至2020年11月13日",
        "2010.11.13–2020.11.13", "2010.11.13—2020.11.13", "2010.11.13--2020.11.13", "2010.11.13~2020.11.13",
        "2010.11.13～2020.11.13", "2010.11.13至2020.11.13", "2010.11.13一2020.11.13", "2010.11.13－2020.11.13",
        " 2010.11.13 - 2020.11.13\n", "2010 .11. 13-2020.11.13", "２０１０．１１．１３－２０２０．１１．１３", "2010.11.13-20201113",
        "2010。11。13-2020·11·13", "\u{FEFF}2010.11.13-2020.11.13",
    ])
    func `Two dates are read in every spelling`(text: String) throws {
        let validity = try #require(Validity(text))
        #expect(validity.start == .day(2010, 11, 13))
        #expect(validity.end == .day(.day(2020, 11, 13)))
    }

    @Test func `A period of a month, in seventeen characters, is read and has no whole years`() throws {
        let validity = try #require(Validity("19970101-19970202"))
        #expect(validity.start == .day(1997, 1, 1))
        #expect(validity.end == .day(.day(1997, 2, 2)))
        #expect(validity.wholeYears == nil)
    }

    @Test(arguments: [
        "2010.11.13-长期", "2010.11.13-长期有效", "2010.11.13-長期", "20101113-长期", "20101113-长期有效", "20101113长期",
        "2010.11.13—长 期", "2010年11月13日至长期有效", "2010.11.13-永久", "2010.11.13-永久有效",
    ])
    func `长期 is an end, in every spelling`(text: String) throws {
        let validity = try #require(Validity(text))
        #expect(validity.start == .day(2010, 11, 13))
        #expect(validity.end == .longTerm)
        #expect(validity.wholeYears == nil)
    }

    @Test(arguments: [
        ("2010.11.13", CalendarDay.day(2010, 11, 13) as CalendarDay?, Validity.End.missing as Validity.End),
        ("2010.11.13-", .day(2010, 11, 13), .missing),
        ("20101113-", .day(2010, 11, 13), .missing),
        ("20101113", .day(2010, 11, 13), .missing),
        ("-2020.11.13", nil, .day(.day(2020, 11, 13))),
        ("长期", nil, .longTerm),
        ("-长期有效", nil, .longTerm), ("永久", nil, .longTerm),
    ])
    func `What was not read is missing, on either end`(text: String, start: CalendarDay?, end: Validity.End) throws {
        let validity = try #require(Validity(text))
        #expect(validity.start == start)
        #expect(validity.end == end)
    }

    @Test(arguments: [
        "", "-", "至", "长", "期", "2010", "2010.11-2020.11", "2010.02.30-2020.02.28", "2010.11.13-2020.13.01",
        "2009.02.29-2019.02.28", "2020.11.13-2010.11.13", "2010.11.13-2020.11.13-2030.11.13", "2010.11.13-长期长期",
        "2010.11.13-2020.11.13长期", "2010.11.13-2020.11.1x", "2010.11.13-2O20.11.13", "有效期2010.11.13-2020.11.13",
        "2010.11.13-2020.11.13.", "10.11.13-20.11.13", "2010,11.13-2020/11.13", "201011132020111", "2010.1.12020.1.1",
        "长期-2020.11.13", "2010.11.13-永", "2019.02.28-2039.02.29", "0000.00.00-长期",
    ])
    func `What is no period is not read`(text: String) {
        #expect(Validity(text) == nil)
    }

    @Test(arguments: [
        ("2010.11.13-2020.11.13", 10 as Int?),
        ("2010.11.13-2020.11.12", nil),
        ("2010.11.13-2020.12.13", nil),
        ("2012.02.29-2032.02.29", 20),
        ("2012.02.29-2022.02.28", 10),
        ("2012.02.29-2022.03.01", 10),
        ("2012.02.29-2022.03.02", nil),
        ("2012.02.28-2022.03.01", nil),
        ("2010.11.13-2010.11.13", 0),
        ("2010.11.13-2011.02.13", nil),
        ("2010.11.13", nil),
        ("-2020.11.13", nil),
    ])
    func `Whole years go from a day to its namesake, or beside 29 February`(text: String, expected: Int?) throws {
        #expect(try #require(Validity(text)).wholeYears == expected)
    }

    @Test func `No cut or damaged period crashes or gains a date`() {
        let text = Array("2010.11.13-2020.11.13")
        for length in 0..<text.count {
            let cut = Validity(String(text.prefix(length)))
            #expect(cut.map { $0.end != .longTerm } ?? true)
            if case .day(let end) = cut?.end { #expect(end < .day(2020, 11, 13)) }
        }
        for position in text.indices {
            for wrong in ["", "x", "-", ".", "年", "长期", "９", "٣", "\u{301}"] {
                let damaged = String(text[..<position]) + wrong + String(text[(position + 1)...])
                guard let validity = Validity(damaged) else { continue }
                #expect(validity.end != .longTerm)
                #expect(validity.start != nil)
            }
        }
    }
}
