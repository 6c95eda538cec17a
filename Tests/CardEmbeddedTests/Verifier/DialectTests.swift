import Foundation
import TestSupport
import Testing

@testable import CardEmbedded

/// What each dialect answers, with its limits and in its shapes.
@Suite(.timeLimit(.minutes(3))) struct DialectTests {
    /// A request, or what was read of one.
    enum Asked: Sendable {
        case form(HandWrittenForm)
        case text(CardText?)
    }

    private typealias Row = (EmbeddedVerifier.Dialect, Asked, Int, String)

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

    private static func field(_ text: String) -> String {
        #"{"logic":0,"quality":\#(text.isEmpty ? 0 : 1),"result":"\#(text)"}"#
    }

    private static let scores =
        #""legality":{"Edited":0,"ID_Photo":0.9,"ID_Photo_Threshold":0.8,"Photocopy":0.07,"Screen":0.03,"#
        + #""Temporary_ID_Photo":0}"#

    /// A back, what was not read, and no card; fronts are read in `VerifierTests`.
    private static let replies: [Row] = [
        (
            .faceIDv1, .text(back), 200,
            #"{"issued_by":"北京市公安局",END,"side":"back",TIME,"valid_date":"2015.06.01-长期"}"#
        ), (.faceIDv1, .text(unread), 200, #"{END,"side":"front",TIME}"#), (.faceIDv1, .text(nil), 200, "{END,TIME}"),
        (
            .faceppv1, .text(back), 200,
            #"{"cards":[{"issued_by":"北京市公安局","side":"back","type":1,"valid_date":"2015.06.01-长期"}],END,TIME}"#
        ),
        (
            .faceppv1, .text(unread), 200,
            #"{"cards":[{"address":"","birthday":"","gender":"","id_card_number":"","name":"","race":"","#
                + #""side":"front","type":1}],END,TIME}"#
        ),
        (
            .faceIDv3, .text(front), 200,
            #"{"address":\#(field("北京市东城区1号")),"birth_day":\#(field("7")),"birth_month":\#(field("3")),"#
                + #""birth_year":\#(field("1990")),"gender":\#(field("男")),"#
                + #""idcard_number":\#(field("110101199003070011")),\#(scores),"name":\#(field("邱燕")),"#
                + #""nationality":\#(field("汉")),END,"result":1001,"side":0,TIME}"#
        ),
        (
            .faceIDv3, .text(back), 200,
            #"{"issued_by":\#(field("北京市公安局")),\#(scores),END,"result":1001,"side":1,TIME,"#
                + #""valid_date_end":\#(field("长期")),"valid_date_start":\#(field("20150601"))}"#
        ),
    ]

    private static func grey(_ width: Int, _ height: Int) -> [UInt8] { GreyJPEG.bytes(width: width, height: height) }

    /// A request with a picture of these edges that shows no card, or with an image of so many bytes.
    private static func edges(_ dialect: EmbeddedVerifier.Dialect, _ width: Int, _ height: Int, error: String? = nil)
        -> Row
    {
        let unread: [EmbeddedVerifier.Dialect: String] = [
            .faceppv1: #""cards":[],END"#, .faceIDv3: #"END,"result":1002"#,
        ]
        let form = HandWrittenForm.reading(image: Self.grey(width, height), in: dialect)
        return error.map { Self.refusal(dialect, form, $0) }
            ?? (dialect, .form(form), 200, "{\(unread[dialect] ?? "END"),TIME}")
    }

    private static func refusal(
        _ dialect: EmbeddedVerifier.Dialect,
        _ form: HandWrittenForm,
        _ error: String,
        _ status: Int = 400
    ) -> Row {
        (
            dialect, .form(form), status,
            #"{"\#(dialect == .faceIDv3 ? "error" : "error_message")":"\#(error)",END,TIME}"#
        )
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static let refusals: [Row] = [
        refusal(.faceIDv1, .reading(key: "other"), "AUTHENTICATION_ERROR", 401),
        refusal(.faceIDv1, .reading(secret: ""), "AUTHENTICATION_ERROR", 401),
        refusal(.faceIDv3, .reading(secret: "other", in: .faceIDv3), "AUTHENTICATION_ERROR", 401),
        refusal(.faceIDv1, .reading().without("api_key"), "MISSING_ARGUMENTS: api_key"),
        refusal(.faceIDv1, .reading().without("api_secret"), "MISSING_ARGUMENTS: api_secret"),
        refusal(.faceIDv1, .reading(image: nil), "MISSING_ARGUMENTS: image"),
        refusal(.faceIDv1, .reading(filename: nil), "MISSING_ARGUMENTS: image"),
        // The part of the other dialects is none here.
        refusal(.faceppv1, .reading(in: .faceIDv1), "MISSING_ARGUMENTS: image_url, image_file, image_base64"),
        refusal(.faceIDv3, .reading(in: .faceppv1), "MISSING_ARGUMENTS: image"),
        refusal(.faceIDv1, .reading(legality: "2"), "BAD_ARGUMENTS:legality"),
        refusal(.faceIDv3, .reading().with("return_portrait", "2"), "BAD_ARGUMENTS:return_portrait"),
        refusal(.faceIDv3, .reading().with("return_portrait", "1"), "INSUFFICIENT_PERMISSION:return_portrait", 403),
        // Not whole.
        refusal(.faceIDv1, .reading(image: grey(600, 600).dropLast(40)), "IMAGE_ERROR_UNSUPPORTED_FORMAT: image"),
        refusal(.faceppv1, .reading(in: .faceppv1), "IMAGE_ERROR_UNSUPPORTED_FORMAT:image_file"),
        refusal(.faceIDv3, .reading(in: .faceIDv3), "IMAGE_ERROR_UNSUPPORTED_FORMAT:image"),
        refusal(.faceIDv1, .reading(image: zeros(2_000_001)), "IMAGE_FILE_TOO_LARGE: image"),
        refusal(.faceppv1, .reading(image: zeros(2_000_001), in: .faceppv1), "IMAGE_FILE_TOO_LARGE"),
        refusal(.faceIDv3, .reading(image: zeros(10_000_000), in: .faceIDv3), "IMAGE_FILE_TOO_LARGE:image"),
    ]

    private static let sizes: [Row] = [
        edges(.faceIDv1, 40, 40, error: "INVALID_IMAGE_SIZE: image"), edges(.faceIDv1, 4096, 60),
        edges(.faceppv1, 47, 600, error: "INVALID_IMAGE_SIZE:image_file"), edges(.faceppv1, 48, 48),
        edges(.faceppv1, 4097, 600, error: "INVALID_IMAGE_SIZE:image_file"), edges(.faceppv1, 4096, 60),
        edges(.faceIDv3, 199, 600, error: "INVALID_IMAGE_SIZE:image"), edges(.faceIDv3, 200, 200),
        edges(.faceIDv3, 600, 8001, error: "INVALID_IMAGE_SIZE:image"), edges(.faceIDv3, 8000, 200),
        edges(.faceIDv3, 4097, 3000),
    ]

    /// A body that is too large for all but FaceID v3. Bytes after the end of a JPEG are no part of the picture.
    private static let bodies: [Row] = zip(
        EmbeddedVerifier.Dialect.allCases,
        [(413, "Request Entity Too Large"), (413, page), (200, #"{END,"result":1002,TIME}"#)]
    ).map { dialect, answer in
        let form = HandWrittenForm.reading(image: grey(600, 600) + zeros(3_000_000), in: dialect)
        return (dialect, .form(form), answer.0, answer.1)
    }

    private static let page =
        "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n"
        + "<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

    @Test(arguments: replies + refusals + sizes + bodies)
    func `Each dialect answers in its own shape, byte for byte`(
        dialect: EmbeddedVerifier.Dialect,
        asked: Asked,
        status: Int,
        expected: String
    ) async throws {
        switch asked {
        case .text(let text): #expect(try Self.body(text, in: dialect) == expected)
        case .form(let form):
            let answer = try await verifierAnswer(to: form, in: dialect)
            #expect(answer.status == status)
            #expect(Self.unmarked(answer.text) == expected)
        }
    }

    @Test func `FaceID v3 calls a contradiction, and a photocopy, abnormal`() throws {
        var wrong = Self.front
        wrong.side = .front(CardText.Front(gender: "女", number: "110101199003070011"))
        let contradicted = try Self.body(wrong, in: .faceIDv3)
        #expect(contradicted.contains(#""result":1002,"side":0"#))
        #expect(contradicted.contains(#""gender":{"logic":1,"quality":1,"result":"女"}"#))
        #expect(contradicted.contains(#""idcard_number":{"logic":0,"#))
        var copy = Self.front
        copy.legality = Legality(photocopy: 0.7, screen: 0)
        #expect(try Self.body(copy, in: .faceIDv3).contains(#""result":1002,"side":0"#))
    }

    @Test func `Shares are rounded to thousandths and make up 1`() {
        let legality = Legality(photocopy: 0.33333, screen: 0.33334)
        #expect(legality.shares == [0.333, 0, 0.333, 0.334, 0])
    }

    private static func body(_ text: CardText?, in dialect: EmbeddedVerifier.Dialect) throws -> String {
        let mark = RequestMark(now: Date(timeIntervalSince1970: 1_457_432_550))
        let answer = ReadingAnswer(text: text, withLegality: dialect == .faceIDv3).json(in: dialect, mark: mark)
        return Self.unmarked(String(decoding: try answer.jsonBytes(), as: UTF8.self))
    }

    /// An answer whose request id, of the time at which the clock stands, and time have become `END` and `TIME`.
    private static func unmarked(_ text: String) -> String {
        text.replacing(/"request_id":"1457432550,[-0-9A-Fa-f]{36}"/, with: "END")
            .replacing(/"time_used":\d+/, with: "TIME")
    }
}
