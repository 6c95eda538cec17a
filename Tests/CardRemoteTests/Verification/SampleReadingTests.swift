import CardModel
import Testing

@testable import CardRemote

/// What all dialects say alike, in the documented samples and in replies that stray from them.
@Suite struct SampleReadingTests {
    private static let dialects = VerificationDialect.allCases

    @Test(arguments: dialects)
    func `The documented front is read field by field`(dialect: VerificationDialect) throws {
        let reading = try #require(outcome(dialect, 200, SampleReplies.front(dialect)).reading)
        let threshold = dialect == .faceIDv3 ? 0.8 : nil
        #expect(
            reading
                == CardReading(
                    side: .front,
                    fields: SampleReplies.frontFields,
                    legality: Legality(vendorScores: SampleReplies.scores, vendorThreshold: threshold),
                    requestID: SampleReplies.requestID
                )
        )
        #expect(reading.legality?.strongestOtherClass == "Screen")
    }

    @Test(arguments: [
        (VerificationDialect.faceIDv1, "2010.11.13-2020.11.13", nil),
        (.faceppv1, "2010.11.13-长期", nil),
        (.faceIDv3, "2010.11.13-2020.11.13", 0.97),
    ])
    func `The documented back is read; legality may be missing`(
        dialect: VerificationDialect,
        validity: String,
        genuine: Double?
    ) throws {
        let reading = try #require(outcome(dialect, 200, SampleReplies.back(dialect)).reading)
        #expect(reading.side == .back)
        #expect(reading.fields == CardFields(issuer: "北京市公安局东城分局", validity: validity))
        #expect(reading.legality?.genuineScore == genuine)
        #expect(!reading.isAbnormal)
    }

    @Test(arguments: dialects)
    func `Unknown keys are passed over`(dialect: VerificationDialect) throws {
        let plain = SampleReplies.front(dialect)
        let more = plain.replacing("\"time_used\"", with: #""new": {"deep": [1, null, {"x": true}]}, "time_used""#)
        #expect(more != plain)
        #expect(outcome(dialect, 200, more) == outcome(dialect, 200, plain))
    }

    @Test(arguments: [
        (VerificationDialect.faceIDv1, #"{"side":"front"}"#), (.faceppv1, #"{"cards":[{"side":"front"}]}"#),
        (.faceIDv3, #"{"side":0}"#),
    ])
    func `Everything but the mark of the dialect may be missing`(dialect: VerificationDialect, body: String) {
        #expect(outcome(dialect, 200, body) == .read(CardReading(side: .front)))
    }

    @Test(arguments: [
        (
            VerificationDialect.faceIDv1,
            #"{"side":"front","name":"","race":"  ","id_card_number":null,"address":7,"gender":[]}"#
        ),
        (
            .faceppv1,
            #"{"cards":[{"side":"front","name":"","race":"  ","id_card_number":null,"address":7,"gender":{}}]}"#
        ),
        (
            .faceIDv3,
            """
            {"side":0,"name":{"result":""},"nationality":{"result":"  "},"idcard_number":null,\
            "address":{"result":7},"gender":{}}
            """
        ),
    ])
    func `empty, null and absent fields are alike, and a number is a text`(dialect: VerificationDialect, body: String) {
        #expect(outcome(dialect, 200, body) == .read(CardReading(side: .front, fields: CardFields(address: "7"))))
    }

    @Test(arguments: [
        (VerificationDialect.faceIDv1, #"{"side":"front","id_card_number":110101199003070011}"#),
        (.faceppv1, #"{"cards":[{"side":"front","id_card_number":110101199003070011}]}"#),
        (.faceIDv3, #"{"side":0,"idcard_number":{"result":110101199003070011}}"#),
    ])
    func `A number of eighteen digits loses none when it comes as one`(dialect: VerificationDialect, body: String) {
        let expected = CardReading(side: .front, fields: CardFields(number: SampleReplies.number))
        #expect(outcome(dialect, 200, body) == .read(expected))
    }

    @Test(arguments: [
        (VerificationDialect.faceIDv1, #"{"request_id":"1,a","time_used":3}"#),
        (.faceIDv1, #"{"request_id":"1,a","side":""}"#), (.faceIDv1, #"{"request_id":"1,a","side":"inner"}"#),
        (.faceIDv1, #"{"request_id":"1,a","side":null}"#), (.faceIDv1, #"{"request_id":"1,a","side":"FRONT"}"#),
        (.faceppv1, #"{"request_id":"1,a","cards":[]}"#), (.faceppv1, #"{"request_id":"1,a","cards":null}"#),
        (.faceppv1, #"{"request_id":"1,a","cards":[{}]}"#),
        (.faceppv1, #"{"request_id":"1,a","cards":[{"side":"inner"}]}"#),
        (.faceppv1, #"{"request_id":"1,a","cards":["x",1,null]}"#),
        (.faceppv1, #"{"request_id":"1,a","cards":[{"type":2,"side":"front"}]}"#),
        (.faceIDv3, #"{"request_id":"1,a","result":1001}"#),
        (.faceIDv3, #"{"request_id":"1,a","result":1001,"side":2}"#),
        (.faceIDv3, #"{"request_id":"1,a","result":1001,"side":"x"}"#),
        (.faceIDv3, #"{"request_id":"1,a","result":1001,"side":0.5}"#),
    ])
    func `A side that is not known is no card`(dialect: VerificationDialect, body: String) {
        #expect(outcome(dialect, 200, body) == .read(CardReading(side: nil, requestID: "1,a")))
    }

    @Test(arguments: dialects)
    func `An object without a mark is no card in FaceID v1, and nothing in the others`(dialect: VerificationDialect) {
        let outcome = outcome(dialect, 200, #"{"request_id":"1,a","time_used":3}"#)
        #expect((outcome.reading != nil) == (dialect == .faceIDv1))
        #expect((outcome.failure?.code == "unusable_reply") == (dialect != .faceIDv1))
    }

    @Test(
        arguments: [
            (#""1457432550,b7-0_a.Z:9""#, "1457432550,b7-0_a.Z:9"), (#"" 1,a ""#, "1,a"), ("17", "17"), (#""""#, nil),
            ("null", nil), ("{}", nil), (#""张样本""#, nil), (#""a b""#, nil), (#""<b>""#, nil),
            ("\"\(String(repeating: "a", count: 101))\"", nil),
            ("\"\(String(repeating: "a", count: 100))\"", String(repeating: "a", count: 100)),
        ],
        dialects
    )
    func `What cannot be the service's name for a call is not kept`(
        row: (String, String?),
        dialect: VerificationDialect
    ) throws {
        let plain = SampleReplies.front(dialect)
        let body = plain.replacing("\"\(SampleReplies.requestID)\"", with: row.0)
        #expect(body != plain)
        let reading = try #require(outcome(dialect, 200, body).reading)
        #expect(reading.requestID == row.1)
    }
}
