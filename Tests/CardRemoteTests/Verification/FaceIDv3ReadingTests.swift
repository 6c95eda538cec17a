import CardModel
import Testing

@testable import CardRemote

/// What is FaceID v3's alone: results, sides in numbers, fields in dictionaries, dates in halves.
@Suite struct FaceIDv3ReadingTests {
    private func reading(_ body: String) throws -> CardReading {
        try #require(outcome(.faceIDv3, 200, body).reading)
    }

    @Test(arguments: [
        ("1001", false), (#""1001""#, false), ("1001.0", false), ("1002", true), (#""1002""#, true),
        ("1002.0", true), ("1003", false), ("1000", false), ("0", false), ("-1", false), ("null", false),
        (#""ok""#, false), ("[1002]", false),
    ])
    func `The result 1002 alone is abnormal, as number or text; the reserved ones are tolerated`(
        json: String,
        isAbnormal: Bool
    ) throws {
        #expect(try self.reading(#"{"result":\#(json),"side":0}"#).isAbnormal == isAbnormal)
    }

    @Test
    func `An abnormal reading keeps its fields and its legality, so that the verdict can name the reason`() throws {
        let body = SampleReplies.faceIDv3Front
            .replacing("1001", with: "1002")
            .replacing(#""ID_Photo":0.855"#, with: #""ID_Photo":0.355"#)
        let reading = try self.reading(body)
        #expect(reading.isAbnormal)
        #expect(reading.side == .front)
        #expect(reading.fields == SampleReplies.frontFields)
        #expect(reading.legality?.genuineScore == 0.355)
        #expect(reading.legality?.vendorThreshold == 0.8)
    }

    @Test(arguments: [
        ("0", CardSide.front), ("1", .back), (#""0""#, .front), (#""1""#, .back), ("0.0", .front),
        (#""front""#, .front), (#""back""#, .back),
    ])
    func `A side is a number, as number or text`(json: String, expected: CardSide) throws {
        #expect(try self.reading(#"{"result":1001,"side":\#(json)}"#).side == expected)
    }

    @Test(arguments: [
        #"{"result":"张样本","quality":0.98,"logic":0,"rect":{}}"#, #"{"result":"张样本","quality":0.01,"logic":1}"#,
        #"{"result":"张样本","logic":"1"}"#, #"{"result":" 张样本 "}"#, #""张样本""#,
    ])
    func `A field keeps its text whatever its quality and its logic`(json: String) throws {
        #expect(try self.reading(#"{"result":1002,"side":0,"name":\#(json)}"#).fields == CardFields(name: "张样本"))
    }

    @Test(arguments: [
        (#""20101113""#, #""20201113""#, "2010.11.13-2020.11.13"),
        ("20101113", "20201113", "2010.11.13-2020.11.13"),
        (#""19970101""#, #""19970202""#, "1997.01.01-1997.02.02"),
        (#""20101113""#, #""长期""#, "20101113-长期"), (#""20101113""#, #""长期有效""#, "20101113-长期有效"),
        (#""20101113""#, #""99991231""#, "2010.11.13-9999.12.31"),
        (#""2010.11.13""#, #""2020.11.13""#, "2010.11.13-2020.11.13"),
        (#""20101113""#, #""2020111""#, "20101113-2020111"),
        (#""２０１０１１１３""#, #""20201113""#, "２０１０１１１３-20201113"),
        (#""20101113""#, #""""#, "20101113"), (#""""#, #""20201113""#, "-20201113"), (#""""#, #""""#, nil),
    ])
    func `Two dates of eight digits are joined as printed, anything else as it is`(
        start: String,
        end: String,
        expected: String?
    ) throws {
        let body = #"{"side":1,"valid_date_start":{"result":\#(start)},"valid_date_end":{"result":\#(end)}}"#
        let validity = try self.reading(body).fields.validity?.reveal()
        #expect(validity == expected)
    }

    @Test
    func `The documented legality of a front is an original's, against the threshold that comes with it`() throws {
        let body = SampleReplies.faceIDv3Front
            .replacing(#""ID_Photo":0.855"#, with: #""ID_Photo":0.97"#)
            .replacing(#""Photocopy":0.049,"Screen":0.096"#, with: #""Photocopy":0.01,"Screen":0.02"#)
        let reading = try self.reading(body)
        let legality = try #require(reading.legality)
        #expect(
            legality.scores
                == ["ID Photo": 0.97, "Temporary ID Photo": 0, "Photocopy": 0.01, "Screen": 0.02, "Edited": 0]
        )
        #expect(legality.vendorThreshold == 0.8)
        #expect(legality.strongestOtherClass == "Screen")
        let today = try #require(CalendarDay(year: 2026, month: 11, day: 21))
        // The vendor's threshold counts, not the configured one.
        #expect(VerdictRules(legalityThreshold: 0.99).judge(reading, today: today) == Judgement(.accepted))
    }

    @Test(arguments: [
        (#""birth_year":{"result":"1990"},"birth_month":{"result":"03"},"birth_day":{"result":"07"}"#, "1990-03-07"),
        (#""birth_year":{"result":1990},"birth_month":{"result":12},"birth_day":{"result":1}"#, "1990-12-01"),
        (#""birth_year":{"result":"1990"},"birth_month":{"result":"3"}"#, "1990-3-?"),
        (#""birth_year":{"result":"1990"},"birth_month":{"result":""},"birth_day":{"result":"7"}"#, "1990-?-7"),
        (#""birth_month":{"result":"2月"},"birth_day":{"result":"30日"}"#, "?-2月-30日"),
        (#""birth_year":{"result":""},"birth_month":{"result":" "},"birth_day":{}"#, nil),
        (#""birth_year":null"#, nil),
    ])
    func `A birth date of three fields is one; of fewer, what there is of it`(json: String, expected: String?) throws {
        #expect(try self.reading(#"{"side":0,\#(json)}"#).fields.birthDate?.reveal() == expected)
    }
}
