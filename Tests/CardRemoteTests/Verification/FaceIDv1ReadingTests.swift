import CardModel
import Testing

@testable import CardRemote

/// What is FaceID v1's alone, and Face++'s date.
@Suite struct FaceIDv1ReadingTests {
    private func reading(_ body: String) throws -> CardReading {
        try #require(outcome(.faceIDv1, 200, body).reading)
    }

    @Test func `A 长期 validity is carried as it is`() throws {
        let reading = try self.reading(#"{"side":"back","valid_date":"2010.11.13-长期"}"#)
        #expect(reading.fields.validity?.reveal() == "2010.11.13-长期")
    }

    @Test(
        arguments: [
            (#"{"year":"1990","month":"3","day":"7"}"#, "1990-03-07"),
            (#"{"year":1990,"month":12,"day":31}"#, "1990-12-31"),
            (#""1990-03-07""#, "1990-03-07"), (#""1990.3.7""#, "1990-03-07"), (#""19900307""#, "1990-03-07"),
            (#""1990年3月7日""#, "1990-03-07"), (#"{"year":"1990","month":"2","day":"30"}"#, "1990-02-30"),
            ("19900307", "1990-03-07"),
        ],
        [VerificationDialect.faceIDv1, .faceppv1]
    )
    func `A birthday is an object or a string, of strings or numbers`(
        row: (json: String, expected: String),
        dialect: VerificationDialect
    ) throws {
        let card = #"{"side":"front","birthday":\#(row.json)}"#
        let body = dialect == .faceppv1 ? #"{"cards":[\#(card)]}"# : card
        let reading = try #require(outcome(dialect, 200, body).reading)
        #expect(reading.fields.birthDate?.reveal() == row.expected)
    }

    @Test(arguments: [
        #""""#, #""  ""#, "null", "{}", "[]", "false", #"{"year":"","month":" ","day":null}"#, #"{"year":""}"#,
    ])
    func `A birthday with nothing in it is none`(json: String) throws {
        #expect(try self.reading(#"{"side":"front","birthday":\#(json)}"#).fields.birthDate == nil)
    }

    @Test(
        arguments: [
            (#""2月30日""#, "2月30日"), (#"" 2月30日 ""#, "2月30日"), (#""1990年2月30日""#, "1990-02-30"),
            (#""1990-03""#, "1990-03"), (#""1990-03-07-01""#, "1990-03-07-01"), (#""199003071""#, "199003071"),
            (#""模糊""#, "模糊"), ("1990", "1990"),
            (#"{"year":"1990","month":"3"}"#, "1990-3-?"), (#"{"year":"","month":"2","day":"30"}"#, "?-2-30"),
            (#"{"year":"x","month":"3","day":"7"}"#, "x-3-7"), (#"{"year":"90","month":"3","day":"7"}"#, "90-3-7"),
            (#"{"year":"1990","month":"0","day":"7"}"#, "1990-0-7"),
            (#"{"year":"1990","month":"3","day":"100"}"#, "1990-3-100"),
            (#"{"date":"1990-03-07"}"#, "?"), ("[1]", "?"), ("true", "?"),
        ],
        [VerificationDialect.faceIDv1, .faceppv1]
    )
    func `A birthday that cannot be read is kept as it came, and the verdict refuses the card for it`(
        row: (json: String, expected: String),
        dialect: VerificationDialect
    ) throws {
        let plain = dialect == .faceIDv1 ? #"{"year": "1990", "month": "3", "day": "7"}"# : #""1990-03-07""#
        let body = SampleReplies.front(dialect).replacing(#""birthday": \#(plain)"#, with: #""birthday": \#(row.json)"#)
        let reading = try #require(outcome(dialect, 200, body).reading)
        #expect(reading.fields.birthDate?.reveal() == row.expected)
        let today = try #require(CalendarDay(year: 2026, month: 11, day: 21))
        guard case .rejected(let reason, _) = VerdictRules().judge(reading, today: today).verdict else {
            Issue.record("a card with an unreadable birth date was not refused")
            return
        }
        #expect(reason.rawValue == "birth_date_mismatch")
    }

    @Test(arguments: [
        #"{"request_id":"1,a"}"#, #"{"time_used":3}"#, #"{"request_id":"1,a","time_used":3,"legality":{}}"#,
        #"{"request_id":"1,a","name":"","id_card_number":null}"#, #"{"request_id":"1,a","side":null,"error":""}"#,
        #"{"request_id":"1,a","name":"乙"}"#, #"{"race":"汉"}"#,
    ])
    func `Without a side, known keys alone mean that there is no card`(body: String) throws {
        #expect(try self.reading(body).side == nil)
    }

    @Test(arguments: [
        #"{"request_id":"1,a","status":"ok"}"#, #"{"time_used":3,"message":"queued"}"#,
        #"{"request_id":"1,a","name":"gateway","version":"2"}"#, #"{"request_id":"1,a","side":"","code":0}"#,
        #"{"request_id":"1,a","time_used":3,"legality":{},"data":null}"#, #"{"race":"汉","data":{}}"#,
    ])
    func `Without a side, a key that is none of the dialect's means that nobody knows what this is`(body: String) {
        let failure = outcome(.faceIDv1, 200, body).failure
        #expect(failure?.kind == "transient unusable_reply")
    }

    @Test func `With a side, unknown keys are passed over`() throws {
        #expect(try self.reading(#"{"side":"back","status":"ok"}"#) == CardReading(side: .back))
    }
}
