import Foundation
import IDCardCore
import OutboundHTTP
import Testing

@testable import IDCardVerification

/// Makes a reply of a text.
func reply(_ status: Int, _ body: String, mediaType: String? = "application/json", retryAfter: Duration? = nil)
    -> HTTPReply
{
    HTTPReply(status: status, mediaType: mediaType, retryAfter: retryAfter, body: Data(body.utf8))
}

extension VerificationOutcome {
    /// The reading, if there is one.
    var reading: CardReading? { if case .read(let reading) = self { reading } else { nil } }
    /// The failure, if this is one.
    var failure: RemoteFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

/// What FaceID v1 replies say when they say something; the shapes are the documented ones, the persons invented.
struct FaceIDv1ReadingTests {
    static let front = #"""
        { "time_used": 320, "request_id": "1457432550,b70ab3a8-0000-4000-8000-000000000000", "side": "front",
          "name": "张样本", "gender": "男", "race": "汉", "address": "北京市东城区样本街1号",
          "id_card_number": "110101199003070011",
          "birthday": {"year": "1990", "month": "3", "day": "7"},
          "head_rect": {"lt": {"x":0.619915,"y":0.19362}, "rt": {"x":0.921812,"y":0.198438},
                        "rb": {"x":0.927187,"y":0.737717}, "lb": {"x":0.621641,"y":0.735261}},
          "legality": {"ID Photo":0.855, "Temporary ID Photo ":0, "Photocopy":0.049, "Screen":0.096, "Edited":0} }
        """#
    static let back = #"""
        { "time_used": 320, "request_id": "1457432550,b70ab3a8-0000-4000-8000-000000000000", "side": "back",
          "issued_by": "北京市公安局东城分局", "valid_date": "2010.11.13-2020.11.13" }
        """#

    private func reading(_ body: String) throws -> CardReading {
        try #require(FaceIDv1Reply.outcome(of: reply(200, body)).reading)
    }

    @Test("The documented front is read field by field")
    func front() throws {
        let reading = try self.reading(Self.front)
        #expect(reading.side == .front)
        #expect(reading.requestID == "1457432550,b70ab3a8-0000-4000-8000-000000000000")
        #expect(reading.fields.name?.reveal() == "张样本")
        #expect(reading.fields.gender?.reveal() == "男")
        #expect(reading.fields.ethnicity?.reveal() == "汉")
        #expect(reading.fields.address?.reveal() == "北京市东城区样本街1号")
        #expect(reading.fields.number?.reveal() == "110101199003070011")
        #expect(reading.fields.birthDate?.reveal() == "1990-03-07")
        #expect(reading.fields.issuer == nil)
        #expect(reading.legality?.genuineScore == 0.855)
        #expect(reading.legality?.scores["Temporary ID Photo"] == 0)
        #expect(reading.legality?.strongestOtherClass == "Screen")
    }

    @Test("The documented back is read, and has no legality")
    func back() throws {
        let reading = try self.reading(Self.back)
        #expect(reading.side == .back)
        #expect(reading.fields.issuer?.reveal() == "北京市公安局东城分局")
        #expect(reading.fields.validity?.reveal() == "2010.11.13-2020.11.13")
        #expect(reading.legality == nil)
        #expect(reading.fields.number == nil)
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
        ]
    )
    func birthday(json: String, expected: String) throws {
        let reading = try self.reading(#"{"side":"front","birthday":\#(json)}"#)
        #expect(reading.fields.birthDate?.reveal() == expected)
    }

    @Test(
        "A birthday that is not all there is none",
        arguments: [
            #"{"year":"1990","month":"3"}"#, #""1990-03""#, #""""#, "null", #"{"year":"x","month":"3","day":"7"}"#,
            "[1]",
        ]
    )
    func birthdayMissing(json: String) throws {
        #expect(try self.reading(#"{"side":"front","birthday":\#(json)}"#).fields.birthDate == nil)
    }

    @Test(
        "Legality is read from numbers and numeric strings",
        arguments: [
            #"{"ID Photo":0.9,"Screen":0.1}"#, #"{"ID Photo":"0.9","Screen":"0.1"}"#, #"{"ID_Photo":0.9,"Screen":0.1}"#,
            #"{" ID Photo ":0.9,"Screen":0.1,"New Class":"n/a"}"#,
        ]
    )
    func legality(json: String) throws {
        let legality = try self.reading(#"{"side":"front","legality":\#(json)}"#).legality
        #expect(legality?.scores == ["ID Photo": 0.9, "Screen": 0.1])
    }

    @Test(
        "Legality of zeros, of nothing, or of another type is unavailable",
        arguments: [
            #"{"ID Photo":0,"Temporary ID Photo":0,"Photocopy":0,"Screen":0,"Edited":0}"#, "{}", "null", #""none""#,
            "[0.9]",
        ]
    )
    func legalityUnavailable(json: String) throws {
        #expect(try self.reading(#"{"side":"front","legality":\#(json)}"#).legality == nil)
    }

    @Test("A vendor's own threshold is no score")
    func threshold() throws {
        let json = #"{"side":"front","legality":{"ID_Photo":0.97,"ID_Photo_Threshold":0.8}}"#
        let legality = try self.reading(json).legality
        #expect(legality?.vendorThreshold == 0.8)
        #expect(legality?.scores == ["ID Photo": 0.97])
    }

    @Test(
        "Without a side we know, the photo is read as no card",
        arguments: [
            #"{"request_id":"1,a","time_used":3}"#, #"{"request_id":"1,a","side":""}"#,
            #"{"request_id":"1,a","side":"inner"}"#,
            #"{"request_id":"1,a","side":null}"#, #"{"request_id":"1,a","side":1}"#,
        ]
    )
    func noSide(body: String) throws {
        #expect(try self.reading(body).side == nil)
    }

    @Test("Empty and missing fields are alike")
    func emptyFields() throws {
        let reading = try self.reading(#"{"side":"front","name":"","race":"  ","id_card_number":null,"address":7}"#)
        #expect(reading.fields == CardFields(address: "7"))
    }

    @Test("An empty error string is no error")
    func emptyError() throws {
        #expect(try self.reading(#"{"side":"front","error_message":""}"#).side == .front)
    }

    @Test(
        "A 200 that is no reading is tried again",
        arguments: ["", "{", #"{"side":"fro"#, "<html></html>", "[]", #""front""#, "{}", #"{"ok":true}"#]
    )
    func unusable(body: String) {
        let failure = FaceIDv1Reply.outcome(of: reply(200, body)).failure
        #expect(failure?.failureClass == .transient)
        #expect(failure?.code == "unusable_reply")
        #expect(failure?.httpStatus == 200)
    }

    @Test(
        "A reply of another dialect stops the stage",
        arguments: [#"{"request_id":"1,a","cards":[]}"#, #"{"request_id":"1,a","result":1001,"side":0}"#]
    )
    func otherDialect(body: String) {
        let failure = FaceIDv1Reply.outcome(of: reply(200, body)).failure
        #expect(failure?.failureClass == .stop)
        #expect(failure?.code == "wrong_dialect")
    }
}
