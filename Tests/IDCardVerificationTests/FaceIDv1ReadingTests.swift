import IDCardCore
import Testing

@testable import IDCardVerification

/// What is FaceID v1's alone, and Face++'s date.
struct FaceIDv1ReadingTests {
    private func reading(_ body: String) throws -> CardReading {
        try #require(outcome(.faceIDv1, 200, body).reading)
    }

    @Test("A 长期 validity is carried as it is")
    func longTerm() throws {
        let reading = try self.reading(#"{"side":"back","valid_date":"2010.11.13-长期"}"#)
        #expect(reading.fields.validity?.reveal() == "2010.11.13-长期")
    }

    @Test(
        "A birthday is an object or a string, of strings or numbers",
        arguments: [
            (#"{"year":"1990","month":"3","day":"7"}"#, "1990-03-07"),
            (#"{"year":1990,"month":12,"day":31}"#, "1990-12-31"),
            (#""1990-03-07""#, "1990-03-07"), (#""1990.3.7""#, "1990-03-07"), (#""19900307""#, "1990-03-07"),
            (#""1990年3月7日""#, "1990-03-07"), (#"{"year":"1990","month":"2","day":"30"}"#, "1990-02-30"),
            ("19900307", "1990-03-07"),
        ],
        [VerificationDialect.faceIDv1, .faceppv1]
    )
    func birthday(row: (json: String, expected: String), dialect: VerificationDialect) throws {
        let card = #"{"side":"front","birthday":\#(row.json)}"#
        let body = dialect == .faceppv1 ? #"{"cards":[\#(card)]}"# : card
        let reading = try #require(outcome(dialect, 200, body).reading)
        #expect(reading.fields.birthDate?.reveal() == row.expected)
    }

    @Test(
        "A birthday that is not all there is none",
        arguments: [
            #"{"year":"1990","month":"3"}"#, #""1990-03""#, #""""#, "null", #"{"year":"x","month":"3","day":"7"}"#,
            "[1]", #""1990-03-07-01""#, #"{"year":"90","month":"3","day":"7"}"#,
            #"{"year":"1990","month":"0","day":"7"}"#, #"{"year":"1990","month":"3","day":"100"}"#,
        ]
    )
    func birthdayMissing(json: String) throws {
        #expect(try self.reading(#"{"side":"front","birthday":\#(json)}"#).fields.birthDate == nil)
    }
}
