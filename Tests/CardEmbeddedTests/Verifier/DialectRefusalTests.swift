import CardEmbedded
import Foundation
import Testing

/// What is wrong with a request, in each dialect's words and with its limits.
@Suite(.timeLimit(.minutes(3))) struct DialectRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let dialect: EmbeddedVerifier.Dialect
        let form: HandWrittenForm
        let status: Int
        let error: String

        init(_ dialect: EmbeddedVerifier.Dialect, _ form: HandWrittenForm, _ status: Int, _ error: String) {
            self.dialect = dialect
            self.form = form
            self.status = status
            self.error = error
        }

        var testDescription: String { "\(self.dialect.rawValue) \(self.error)" }
    }

    private static let faceIDv1: [Refusal] = [
        Refusal(.faceIDv1, .reading(key: "other"), 401, "AUTHENTICATION_ERROR"),
        Refusal(.faceIDv1, .reading(secret: "other"), 401, "AUTHENTICATION_ERROR"),
        Refusal(.faceIDv1, .reading(secret: ""), 401, "AUTHENTICATION_ERROR"),
        Refusal(.faceIDv1, .reading().without("api_key"), 400, "MISSING_ARGUMENTS: api_key"),
        Refusal(.faceIDv1, .reading().without("api_secret"), 400, "MISSING_ARGUMENTS: api_secret"),
        Refusal(.faceIDv1, .reading(image: nil), 400, "MISSING_ARGUMENTS: image"),
        Refusal(.faceIDv1, .reading(filename: nil), 400, "MISSING_ARGUMENTS: image"),
        Refusal(.faceIDv1, .reading(legality: "2"), 400, "BAD_ARGUMENTS:legality"),
        Refusal(.faceIDv1, .reading(), 400, "IMAGE_ERROR_UNSUPPORTED_FORMAT: image"),
        Refusal(.faceIDv1, .reading(image: large), 400, "IMAGE_FILE_TOO_LARGE: image"),
        Refusal(.faceIDv1, .reading(image: GreyJPEG.bytes(width: 40, height: 40)), 400, "INVALID_IMAGE_SIZE: image"),
    ]

    /// More than an image may have for the dialects of two million bytes.
    private static let large = [UInt8](repeating: 7, count: 2_000_001)

    private static let facepp: [Refusal] = [
        Refusal(.faceppv1, .reading(key: "other", in: .faceppv1), 401, "AUTHENTICATION_ERROR"),
        Refusal(.faceppv1, .reading(in: .faceppv1).without("api_key"), 400, "MISSING_ARGUMENTS: api_key"),
        // The part of the other dialects is none here.
        Refusal(.faceppv1, .reading(in: .faceIDv1), 400, "MISSING_ARGUMENTS: image_url, image_file, image_base64"),
        Refusal(
            .faceppv1,
            .reading(filename: nil, in: .faceppv1),
            400,
            "MISSING_ARGUMENTS: image_url, image_file, image_base64"
        ),
        Refusal(.faceppv1, .reading(legality: "yes", in: .faceppv1), 400, "BAD_ARGUMENTS:legality"),
        Refusal(.faceppv1, .reading(in: .faceppv1), 400, "IMAGE_ERROR_UNSUPPORTED_FORMAT:image_file"),
        Refusal(.faceppv1, .reading(image: large, in: .faceppv1), 400, "IMAGE_FILE_TOO_LARGE"),
        Refusal(
            .faceppv1,
            .reading(image: GreyJPEG.bytes(width: 47, height: 600), in: .faceppv1),
            400,
            "INVALID_IMAGE_SIZE:image_file"
        ),
        Refusal(
            .faceppv1,
            .reading(image: GreyJPEG.bytes(width: 4097, height: 600), in: .faceppv1),
            400,
            "INVALID_IMAGE_SIZE:image_file"
        ),
    ]

    private static let faceIDv3: [Refusal] = [
        Refusal(.faceIDv3, .reading(secret: "other", in: .faceIDv3), 401, "AUTHENTICATION_ERROR"),
        Refusal(.faceIDv3, .reading(in: .faceppv1), 400, "MISSING_ARGUMENTS: image"),
        Refusal(.faceIDv3, .reading(in: .faceIDv3), 400, "IMAGE_ERROR_UNSUPPORTED_FORMAT:image"),
        Refusal(.faceIDv3, .reading().with("return_portrait", "2"), 400, "BAD_ARGUMENTS:return_portrait"),
        Refusal(.faceIDv3, .reading().with("return_portrait", "1"), 403, "INSUFFICIENT_PERMISSION:return_portrait"),
        Refusal(
            .faceIDv3,
            .reading(image: [UInt8](repeating: 7, count: 10_000_000), in: .faceIDv3),
            400,
            "IMAGE_FILE_TOO_LARGE:image"
        ),
        Refusal(
            .faceIDv3,
            .reading(image: GreyJPEG.bytes(width: 199, height: 600), in: .faceIDv3),
            400,
            "INVALID_IMAGE_SIZE:image"
        ),
        Refusal(
            .faceIDv3,
            .reading(image: GreyJPEG.bytes(width: 600, height: 8001), in: .faceIDv3),
            400,
            "INVALID_IMAGE_SIZE:image"
        ),
    ]

    @Test(arguments: faceIDv1 + facepp + faceIDv3)
    func `What is wrong is said in the dialect's words`(refusal: Refusal) async throws {
        let answer = try await withVerifier { client async throws in
            try await client.post(refusal.form, to: refusal.dialect)
        }
        #expect(answer.status == refusal.status)
        #expect(answer.error(refusal.dialect) == refusal.error)
        try expectMark(answer.json)
        #expect(answer.json.count == 3)
    }

    @Test(arguments: [
        (EmbeddedVerifier.Dialect.faceppv1, 48, 48), (.faceppv1, 4096, 60), (.faceIDv1, 4096, 60),
        (.faceIDv3, 200, 200), (.faceIDv3, 8000, 200), (.faceIDv3, 4097, 3000),
    ])
    func `Edges within the dialect's limits are read`(dialect: EmbeddedVerifier.Dialect, width: Int, height: Int)
        async throws
    {
        let form = HandWrittenForm.reading(image: GreyJPEG.bytes(width: width, height: height), in: dialect)
        let answer = try await withVerifier { client async throws in try await client.post(form, to: dialect) }
        #expect(answer.status == 200)
        #expect(answer.json["request_id"] is String)
    }

    @Test
    func `FaceID v3 takes a body that is too large for the others, and reads the card in it`() async throws {
        let card = try FixtureCard.first(below: "cards/LOAN-2026-0001")
        // Bytes after the end of a JPEG are no part of the picture.
        let image = try card.jpeg() + [UInt8](repeating: 0, count: 3_000_000)
        let answers = try await withVerifier { client async throws in
            var answers: [Answer] = []
            for dialect in EmbeddedVerifier.Dialect.allCases {
                answers.append(try await client.post(.reading(image: image, in: dialect), to: dialect))
            }
            return answers
        }
        #expect(answers.map(\.status) == [413, 413, 200])
        #expect(answers[2].json["side"] as? Int == 0)
        #expect(answers[0].headers["content-type"] == "text/plain")
        #expect(answers[0].text == "Request Entity Too Large")
        #expect(answers[1].headers["content-type"] == "text/html")
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
