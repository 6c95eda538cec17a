import CardEmbedded
import Foundation
import TestSupport
import Testing

/// What `RequestSignature` makes is held against the vendor's vector.
@Suite(.timeLimit(.minutes(5))) struct AccountTests {
    /// What was signed; the verifier's clock stands at 1457432550.
    static let good = [
        "a=test-key&b=1457432650&c=1457432550&d=1234567890",
        // Its last second.
        "a=test-key&b=1457432550&c=1457432450&d=7",
        // Made by a clock that is ahead.
        "a=test-key&b=1457432850&c=1457432610&d=0",
    ]

    static let bad =
        [
            // Expired.
            "a=test-key&b=1457432549&c=1457432450&d=1",
            // The expiry is not after the time.
            "a=test-key&b=1457432650&c=1457432650&d=1", "a=test-key&b=1457432650&c=1457432750&d=1",
            // For one use, which is not built in, and of another account.
            "a=test-key&b=0&c=1457432550&d=1", "a=other&b=1457432650&c=1457432550&d=1",
            // A right code of something that has another shape.
            "a=test-key&b=1457432650&c=1457432550", "a=test-key&b=1457432650&c=1457432550&d=12345678901",
            "a=test-key&b=-5&c=1457432550&d=1", "a=test-key&b=1457432650&c=1457432550&d=1&e=2",
            "b=1457432650&a=test-key&c=1457432550&d=1", "",
        ].map { RequestSignature.value(of: $0, secret: "test-secret") } + [
            // With another secret, not its code, and none.
            RequestSignature.value(of: good[0], secret: "other"),
            RequestSignature.value(of: good[0], secret: "test-secret").replacing("A", with: "B"),
            "XC7Vxg==", "YQ==", "", "no base64!",
        ]

    private static let signed = RequestSignature.value(of: good[0], secret: "test-secret")

    private static func form(
        sign: String?,
        version: String? = "hmac_sha1",
        in dialect: EmbeddedVerifier.Dialect = .faceIDv1
    ) -> HandWrittenForm {
        var form = HandWrittenForm.reading(in: dialect).without("api_key").without("api_secret")
        if let sign { form = form.with("sign", sign) }
        if let version { form = form.with("sign_version", version) }
        return form
    }

    /// The error of a form whose account is admitted: its image is none.
    private static func admitted(_ dialect: EmbeddedVerifier.Dialect) -> String {
        let colon = dialect == .faceIDv1 ? ": " : ":"
        return "IMAGE_ERROR_UNSUPPORTED_FORMAT\(colon)\(dialect == .faceppv1 ? "image_file" : "image")"
    }

    @Test(arguments: good, EmbeddedVerifier.Dialect.allCases)
    func `A good signature is taken in every dialect, again and again`(
        signed: String,
        dialect: EmbeddedVerifier.Dialect
    ) async throws {
        let sign = RequestSignature.value(of: signed, secret: "test-secret")
        try await withVerifier { client async throws in
            for _ in 0..<2 {
                let answer = try await client.post(Self.form(sign: sign, in: dialect), to: dialect)
                #expect(answer.error(dialect) == Self.admitted(dialect))
            }
        }
    }

    @Test(arguments: bad) func `Any other is refused, always in the same words`(sign: String) async throws {
        let log = LogLines()
        let answer = try await verifierAnswer(to: Self.form(sign: sign), logger: log.logger)
        #expect(answer.status == 401)
        #expect(answer.error == "AUTHENTICATION_ERROR")
        #expect(!log.text.contains("test-key") && (sign.count <= 4 || !log.text.contains(sign)))
    }

    @Test func `The vendor's vector is taken in its time`() async throws {
        let sign =
            "/uunz0L3/4DQXzN1cJBeYFaDkChhPXRlc3RfYXBpX2tleSZiPTE3MDAwMDAxMDAmYz0xNzAwMDAwMDAwJmQ9MTIzNDU2Nzg5MA=="
        let signed = "a=test_api_key&b=1700000100&c=1700000000&d=1234567890"
        #expect(RequestSignature.value(of: signed, secret: "test_api_secret") == sign)
        for (second, error) in [(1_700_000_000, Self.admitted(.faceIDv1)), (1_700_000_101, "AUTHENTICATION_ERROR")] {
            let answer = try await withVerifier(now: Date(timeIntervalSince1970: Double(second))) {
                $0.secrets = ["test_api_key": "test_api_secret"]
            } body: { client async throws in
                try await client.post(Self.form(sign: sign))
            }
            #expect(answer.error == error)
        }
    }

    @Test(arguments: [
        (Self.form(sign: nil), 400, "MISSING_ARGUMENTS: sign"),
        (Self.form(sign: signed, version: nil), 400, "MISSING_ARGUMENTS: sign_version"),
        (Self.form(sign: signed, version: "hmac_sha256"), 400, "BAD_ARGUMENTS:sign_version"),
        (Self.form(sign: signed).with("api_key", "test-key"), 400, "COEXISTENCE_ARGUMENTS"),
        (Self.form(sign: signed).with("api_secret", "test-secret"), 400, "COEXISTENCE_ARGUMENTS"),
        (Self.form(sign: signed).with("sign", signed), 400, "BAD_ARGUMENTS:sign"),
    ])
    func `Parts that do not belong together are named`(form: HandWrittenForm, status: Int, error: String) async throws {
        let answer = try await verifierAnswer(to: form)
        #expect(answer.status == status)
        #expect(answer.error == error)
    }
}
