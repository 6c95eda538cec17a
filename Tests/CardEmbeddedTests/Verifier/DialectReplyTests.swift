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
    private func body(_ text: CardText?, in dialect: EmbeddedVerifier.Dialect) throws -> String {
        #expect(self.mark.id.hasPrefix("1457432550,"))
        let answer = ReadingAnswer(text: text, withLegality: dialect == .faceIDv3).json(in: dialect, mark: self.mark)
        return String(decoding: try answer.jsonBytes(), as: UTF8.self)
            .replacing(self.mark.id, with: "ID")
            .replacing(/"time_used":\d+/, with: "\"time_used\":0")
    }

    private static func field(_ text: String) -> String {
        #"{"logic":0,"quality":\#(text.isEmpty ? 0 : 1),"result":"\#(text)"}"#
    }

    private static let scores =
        #""legality":{"Edited":0,"ID_Photo":0.9,"ID_Photo_Threshold":0.8,"Photocopy":0.07,"Screen":0.03,"#
        + #""Temporary_ID_Photo":0}"#

    /// A back, what was not read, and no card; fronts are read in `VerifierTests`.
    private static let rows: [(EmbeddedVerifier.Dialect, CardText?, String)] = [
        (.faceIDv1, back, #"{"issued_by":"北京市公安局",END,"side":"back",TIME,"valid_date":"2015.06.01-长期"}"#),
        (.faceIDv1, unread, #"{END,"side":"front",TIME}"#), (.faceIDv1, nil, "{END,TIME}"),
        (
            .faceppv1, back,
            #"{"cards":[{"issued_by":"北京市公安局","side":"back","type":1,"valid_date":"2015.06.01-长期"}],END,TIME}"#
        ),
        (
            .faceppv1, unread,
            #"{"cards":[{"address":"","birthday":"","gender":"","id_card_number":"","name":"","race":"","#
                + #""side":"front","type":1}],END,TIME}"#
        ), (.faceppv1, nil, #"{"cards":[],END,TIME}"#),
        (
            .faceIDv3, front,
            #"{"address":\#(field("北京市东城区1号")),"birth_day":\#(field("7")),"birth_month":\#(field("3")),"#
                + #""birth_year":\#(field("1990")),"gender":\#(field("男")),"#
                + #""idcard_number":\#(field("110101199003070011")),\#(scores),"name":\#(field("邱燕")),"#
                + #""nationality":\#(field("汉")),END,"result":1001,"side":0,TIME}"#
        ),
        (
            .faceIDv3, back,
            #"{"issued_by":\#(field("北京市公安局")),\#(scores),END,"result":1001,"side":1,TIME,"#
                + #""valid_date_end":\#(field("长期")),"valid_date_start":\#(field("20150601"))}"#
        ), (.faceIDv3, nil, #"{END,"result":1002,TIME}"#),
    ]

    @Test(arguments: rows) func `Each dialect says in its own shape what was read, and what was not`(
        dialect: EmbeddedVerifier.Dialect,
        text: CardText?,
        expected: String
    ) throws {
        let whole = expected.replacing("END", with: #""request_id":"ID""#).replacing("TIME", with: #""time_used":0"#)
        #expect(try self.body(text, in: dialect) == whole)
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
