import CardModel
import Testing

@testable import CardRemote

/// What is Face++'s alone: the array of cards.
@Suite struct Faceppv1ReadingTests {
    @Test func `The first of several cards is the reading, the others come with it`() throws {
        let body = #"""
            {"request_id":"1,a","cards":[
              {"side":"back","issued_by":"甲"},
              {"side":"front","name":"乙","legality":{"ID Photo":0.9}},
              {"side":"front","name":"丙"}]}
            """#
        let reading = try #require(outcome(.faceppv1, 200, body).reading)
        #expect(reading.side == .back)
        #expect(reading.fields == CardFields(issuer: "甲"))
        #expect(
            reading.others == [
                CardReading(
                    side: .front,
                    fields: CardFields(name: "乙"),
                    legality: Legality(vendorScores: ["ID Photo": 0.9]),
                    requestID: "1,a"
                ), CardReading(side: .front, fields: CardFields(name: "丙"), requestID: "1,a"),
            ]
        )
    }

    @Test(arguments: ["2", #""2""#, "0", "1.5"])
    func `What is no identity card does not count`(type: String) throws {
        let body = #"{"cards":[{"type":\#(type),"side":"back"},{"type":"1","side":"front"}]}"#
        #expect(outcome(.faceppv1, 200, body) == .read(CardReading(side: .front)))
    }

    @Test(arguments: ["{}", "1", #""none""#, "true"])
    func `Cards that are no array are no reading`(json: String) {
        let failure = outcome(.faceppv1, 200, #"{"request_id":"1,a","cards":\#(json)}"#).failure
        #expect(failure?.kind == "transient unusable_reply")
    }
}
