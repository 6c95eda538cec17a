import CardEmbedded
import Foundation
import TestSupport
import Testing

/// What is wrong with a request, in each dialect's words and with its limits.
@Suite(.timeLimit(.minutes(3))) struct DialectRefusalTests {
    private typealias Refusal = (EmbeddedVerifier.Dialect, HandWrittenForm, Int, String)

    private static func grey(_ width: Int, _ height: Int) -> [UInt8] { GreyJPEG.bytes(width: width, height: height) }

    /// More than an image may have for the dialects of two million bytes.
    private static let large = [UInt8](repeating: 7, count: 2_000_001)

    private static let ten = [UInt8](repeating: 7, count: 10_000_000)
    private static let noImage = "MISSING_ARGUMENTS: image_url, image_file, image_base64"

    private static let refusals: [Refusal] = [
        (.faceIDv1, .reading(key: "other"), 401, "AUTHENTICATION_ERROR"),
        (.faceIDv1, .reading(secret: ""), 401, "AUTHENTICATION_ERROR"),
        (.faceIDv1, .reading().without("api_key"), 400, "MISSING_ARGUMENTS: api_key"),
        (.faceIDv1, .reading().without("api_secret"), 400, "MISSING_ARGUMENTS: api_secret"),
        (.faceIDv1, .reading(image: nil), 400, "MISSING_ARGUMENTS: image"),
        (.faceIDv1, .reading(filename: nil), 400, "MISSING_ARGUMENTS: image"),
        (.faceIDv1, .reading(legality: "2"), 400, "BAD_ARGUMENTS:legality"),
        // Not whole.
        (.faceIDv1, .reading(image: grey(600, 600).dropLast(40)), 400, "IMAGE_ERROR_UNSUPPORTED_FORMAT: image"),
        (.faceIDv1, .reading(image: large), 400, "IMAGE_FILE_TOO_LARGE: image"),
        (.faceIDv1, .reading(image: grey(40, 40)), 400, "INVALID_IMAGE_SIZE: image"),
        (.faceppv1, .reading(key: "other", in: .faceppv1), 401, "AUTHENTICATION_ERROR"),
        // The part of the other dialects is none here.
        (.faceppv1, .reading(in: .faceIDv1), 400, noImage),
        (.faceppv1, .reading(legality: "yes", in: .faceppv1), 400, "BAD_ARGUMENTS:legality"),
        (.faceppv1, .reading(in: .faceppv1), 400, "IMAGE_ERROR_UNSUPPORTED_FORMAT:image_file"),
        (.faceppv1, .reading(image: large, in: .faceppv1), 400, "IMAGE_FILE_TOO_LARGE"),
        (.faceppv1, .reading(image: grey(47, 600), in: .faceppv1), 400, "INVALID_IMAGE_SIZE:image_file"),
        (.faceppv1, .reading(image: grey(4097, 600), in: .faceppv1), 400, "INVALID_IMAGE_SIZE:image_file"),
        (.faceIDv3, .reading(secret: "other", in: .faceIDv3), 401, "AUTHENTICATION_ERROR"),
        (.faceIDv3, .reading(in: .faceppv1), 400, "MISSING_ARGUMENTS: image"),
        (.faceIDv3, .reading(in: .faceIDv3), 400, "IMAGE_ERROR_UNSUPPORTED_FORMAT:image"),
        (.faceIDv3, .reading().with("return_portrait", "2"), 400, "BAD_ARGUMENTS:return_portrait"),
        (.faceIDv3, .reading().with("return_portrait", "1"), 403, "INSUFFICIENT_PERMISSION:return_portrait"),
        (.faceIDv3, .reading(image: ten, in: .faceIDv3), 400, "IMAGE_FILE_TOO_LARGE:image"),
        (.faceIDv3, .reading(image: grey(199, 600), in: .faceIDv3), 400, "INVALID_IMAGE_SIZE:image"),
        (.faceIDv3, .reading(image: grey(600, 8001), in: .faceIDv3), 400, "INVALID_IMAGE_SIZE:image"),
    ]

    @Test(arguments: refusals)
    func `What is wrong is said in the dialect's words`(
        dialect: EmbeddedVerifier.Dialect,
        form: HandWrittenForm,
        status: Int,
        error: String
    ) async throws {
        let answer = try await verifierAnswer(to: form, in: dialect)
        #expect(answer.status == status)
        #expect(answer.error(dialect) == error)
        try expectMark(answer.json)
        #expect(answer.json.count == 3)
    }

    @Test(arguments: [
        (EmbeddedVerifier.Dialect.faceppv1, 48, 48), (.faceppv1, 4096, 60), (.faceIDv1, 4096, 60),
        (.faceIDv3, 200, 200), (.faceIDv3, 8000, 200), (.faceIDv3, 4097, 3000),
    ])
    func `edges within the dialect's limits are read`(dialect: EmbeddedVerifier.Dialect, width: Int, height: Int)
        async throws
    {
        let answer = try await verifierAnswer(to: .reading(image: Self.grey(width, height), in: dialect), in: dialect)
        #expect(answer.status == 200)
        #expect(answer.json["request_id"] is String)
    }

    @Test func `FaceID v3 takes a body that is too large for the others, and reads the card in it`() async throws {
        let card = try FixtureCard.first(below: "cards/LOAN-2026-0001")
        // Bytes after the end of a JPEG are no part of the picture.
        let image = try card.jpeg() + [UInt8](repeating: 0, count: 3_000_000)
        let answers = try await withVerifier { client async throws in
            var answers: [RawResponse] = []
            for dialect in EmbeddedVerifier.Dialect.allCases {
                answers.append(try await client.post(.reading(image: image, in: dialect), to: dialect))
            }
            return answers
        }
        #expect(answers.map(\.status) == [413, 413, 200])
        #expect(answers[2].json["side"] as? Int == 0)
        #expect(answers[0]["content-type"] == "text/plain")
        #expect(answers[0].text == "Request Entity Too Large")
        #expect(answers[1]["content-type"] == "text/html")
        #expect(answers[1].text.contains("<h1>413 Request Entity Too Large</h1>"))
    }

    @Test(arguments: EmbeddedVerifier.Dialect.allCases)
    func `Calls beyond the limit are refused in every dialect`(dialect: EmbeddedVerifier.Dialect) async throws {
        let answer = try await withVerifier {
            $0.concurrency = 0
        } body: { client async throws in
            try await client.post(.reading(in: dialect), to: dialect)
        }
        #expect(answer.status == 403)
        #expect(answer.error(dialect) == "CONCURRENCY_LIMIT_EXCEEDED")
    }
}
