import Foundation
import Testing

@testable import CardEmbedded

/// The replies of each dialect byte for byte, in the order of their keys.
@Suite struct DialectReplyTests {
    private static let genuine = Legality(photocopy: 0.0704, screen: 0.0296)

    private static let front = CardText(
        side: .front(
            CardText.Front(
                name: "邱燕",
                gender: "男",
                ethnicity: "汉",
                birth: CardText.BirthDate(year: 1990, month: 3, day: 7),
                address: "北京市东城区1号",
                number: "110101199003070011"
            )
        ),
        legality: genuine
    )
    private static let back = CardText(
        side: .back(CardText.Back(issuer: "北京市公安局", validity: "2015.06.01-长期")),
        legality: genuine
    )
    private static let unread = CardText(side: .front(CardText.Front()), legality: genuine)

    private let mark = RequestMark(now: Date(timeIntervalSince1970: 1_457_432_550))

    /// What is sent, with the request's id and time taken out.
    private func body(
        _ text: CardText?,
        in dialect: EmbeddedVerifier.Dialect,
        withLegality: Bool = true
    ) throws -> String {
        #expect(self.mark.id.hasPrefix("1457432550,"))
        let answer = ReadingAnswer(text: text, withLegality: withLegality).json(in: dialect, mark: self.mark)
        return String(decoding: try answer.bytes(), as: UTF8.self)
            .replacing(self.mark.id, with: "ID")
            .replacing(/"time_used":\d+/, with: "\"time_used\":0")
    }

    @Test(
        arguments: [
            (
                Self.front, true,
                #"{"address":"北京市东城区1号","birthday":{"day":"7","month":"3","year":"1990"},"gender":"男","#
                    + #""id_card_number":"110101199003070011","legality":{"Edited":0,"#
                    + #""ID Photo":0.9,"Photocopy":0.07,"Screen":0.03,"Temporary ID Photo ":0},"name":"邱燕","race":"汉","#
                    + #""request_id":"ID","side":"front","time_used":0}"#
            ),
            (
                Self.back, false,
                #"{"issued_by":"北京市公安局","request_id":"ID","side":"back","time_used":0,"valid_date":"2015.06.01-长期"}"#
            ),
            (Self.unread, false, #"{"request_id":"ID","side":"front","time_used":0}"#),
            (nil, true, #"{"request_id":"ID","time_used":0}"#),
        ] as [(CardText?, Bool, String)]
    )
    func `FaceID v1 leaves out what was not read`(text: CardText?, withLegality: Bool, expected: String) throws {
        #expect(try self.body(text, in: .faceIDv1, withLegality: withLegality) == expected)
    }

    @Test(
        arguments: [
            (
                Self.front, true,
                #"{"cards":[{"address":"北京市东城区1号","birthday":"1990-03-07","gender":"男","#
                    + #""id_card_number":"110101199003070011","legality":{"Edited":0,"ID Photo":0.9,"Photocopy":0.07,"#
                    + #""Screen":0.03,"Temporary ID Photo":0},"name":"邱燕","race":"汉","side":"front","type":1}],"#
                    + #""request_id":"ID","time_used":0}"#
            ),
            (
                Self.back, false,
                #"{"cards":[{"issued_by":"北京市公安局","side":"back","type":1,"valid_date":"2015.06.01-长期"}],"#
                    + #""request_id":"ID","time_used":0}"#
            ),
            (
                Self.unread, false,
                #"{"cards":[{"address":"","birthday":"","gender":"","id_card_number":"","name":"","race":"","#
                    + #""side":"front","type":1}],"request_id":"ID","time_used":0}"#
            ),
            (nil, true, #"{"cards":[],"request_id":"ID","time_used":0}"#),
        ] as [(CardText?, Bool, String)]
    )
    func `Face++ gives an array, and empty texts for what was not read`(
        text: CardText?,
        withLegality: Bool,
        expected: String
    ) throws {
        #expect(try self.body(text, in: .faceppv1, withLegality: withLegality) == expected)
    }

    private static let scores =
        #""legality":{"Edited":0,"ID_Photo":0.9,"ID_Photo_Threshold":0.8,"Photocopy":0.07,"Screen":0.03,"#
        + #""Temporary_ID_Photo":0}"#

    private static func field(_ text: String, quality: Int = 1) -> String {
        #"{"logic":0,"quality":\#(quality),"result":"\#(text)"}"#
    }

    @Test(
        arguments: [
            (
                Self.front,
                #"{"address":\#(field("北京市东城区1号")),"birth_day":\#(field("7")),"birth_month":\#(field("3")),"#
                    + #""birth_year":\#(field("1990")),"gender":\#(field("男")),"#
                    + #""idcard_number":\#(field("110101199003070011")),\#(scores),"name":\#(field("邱燕")),"#
                    + #""nationality":\#(field("汉")),"request_id":"ID","result":1001,"side":0,"time_used":0}"#
            ),
            (
                Self.back,
                #"{"issued_by":\#(field("北京市公安局")),\#(scores),"request_id":"ID","result":1001,"side":1,"time_used":0,"#
                    + #""valid_date_end":\#(field("长期")),"valid_date_start":\#(field("20150601"))}"#
            ),
            (
                Self.unread,
                #"{"address":\#(field("", quality: 0)),"birth_day":\#(field("", quality: 0)),"#
                    + #""birth_month":\#(field("", quality: 0)),"birth_year":\#(field("", quality: 0)),"#
                    + #""gender":\#(field("", quality: 0)),"idcard_number":\#(field("", quality: 0)),\#(scores),"#
                    + #""name":\#(field("", quality: 0)),"nationality":\#(field("", quality: 0)),"#
                    + #""request_id":"ID","result":1002,"side":0,"time_used":0}"#
            ),
            (nil, #"{"request_id":"ID","result":1002,"time_used":0}"#),
        ] as [(CardText?, String)]
    )
    func `FaceID v3 gives a dictionary for each field`(text: CardText?, expected: String) throws {
        #expect(try self.body(text, in: .faceIDv3) == expected)
    }

    @Test func `FaceID v3 calls a contradiction, and a photocopy, abnormal`() throws {
        var wrong = Self.front
        wrong.side = .front(CardText.Front(gender: "女", number: "110101199003070011"))
        let contradicted = try self.body(wrong, in: .faceIDv3)
        #expect(contradicted.contains(#""result":1002,"side":0"#))
        #expect(contradicted.contains(#""gender":{"logic":1,"quality":1,"result":"女"}"#))
        #expect(contradicted.contains(#""idcard_number":{"logic":0,"#))
        var copy = Self.front
        copy.legality = Legality(photocopy: 0.7, screen: 0)
        #expect(try self.body(copy, in: .faceIDv3).contains(#""result":1002,"side":0"#))
    }

    @Test func `Shares are rounded to thousandths and make up 1`() {
        let legality = Legality(photocopy: 0.33333, screen: 0.33334)
        #expect(legality.shares == [0.333, 0, 0.333, 0.334, 0])
    }
}
