import CardEmbedded
import Foundation
import TestSupport
import Testing

/// The signatures here were made with Python's `hmac`, not with code of this project.
@Suite(.timeLimit(.minutes(5))) struct AccountTests {
    /// A signature, by its code and what was signed.
    struct Sign: Sendable, CustomTestStringConvertible {
        let code: String
        let raw: String

        init(_ code: String, _ raw: String) {
            self.code = code
            self.raw = raw
        }

        var testDescription: String { self.raw }

        /// The value of the part.
        var value: String {
            let digits = Array(self.code)
            let code = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...($0 + 1)]), radix: 16)
            }
            return Data(code + Array(self.raw.utf8)).base64EncodedString()
        }
    }

    // The verifier's clock stands at 1457432550.
    static let good: [Sign] = [
        Sign("5c2ed5c98d6addbc31ce9e19744073bd74e9a62a", "a=test-key&b=1457432650&c=1457432550&d=1234567890"),
        // Its last second.
        Sign("b3c3ceff0c0db01a383bc77c2b35e5aaf0d1f826", "a=test-key&b=1457432550&c=1457432450&d=7"),
        // Made by a clock that is ahead.
        Sign("b87e175ddd348e499ed59c4d67a9f48e51fb1ff9", "a=test-key&b=1457432850&c=1457432610&d=0"),
    ]

    static let bad: [Sign] = [
        // Expired.
        Sign("a6d36e2b46a3a2471947ad6cbaa02b63c6a376c3", "a=test-key&b=1457432549&c=1457432450&d=1"),
        // The expiry is not after the time.
        Sign("844afdf84be64bd6dceeff0359a03db5dadb2340", "a=test-key&b=1457432650&c=1457432650&d=1"),
        Sign("845192a189bd1b5f27386335b08a8d103b01e7e0", "a=test-key&b=1457432650&c=1457432750&d=1"),
        // For one use, which is not built in.
        Sign("2ca11c85c5a7191dc420a4addaaa0c23518be1e8", "a=test-key&b=0&c=1457432550&d=1"),
        // With another secret, and of another account.
        Sign("7ac61cc69f4b93d878aa71be3e43e10ddeab2824", "a=test-key&b=1457432650&c=1457432550&d=1"),
        Sign("8dd5f9018ab7577d39398913b72c00531b5d6f82", "a=other&b=1457432650&c=1457432550&d=1"),
        // A right code of something that has another shape.
        Sign("d8afc28959c7883cbdca87f3e7db7961c62ec0c2", "a=test-key&b=1457432650&c=1457432550"),
        Sign("9c191a5e9de5decf1c9212a483a2d4f7034bf468", "a=test-key&b=1457432650&c=1457432550&d=12345678901"),
        Sign("acf089d845e175de5966d17a300637cbdea45acc", "a=test-key&b=-5&c=1457432550&d=1"),
        Sign("7cd6357de2ead2e5867baebdb076428dbb189bbe", "a=test-key&b=1457432650&c=1457432550&d=1&e=2"),
        Sign("b3a3d086be7a526f35402ef2460253e2a908031b", "b=1457432650&a=test-key&c=1457432550&d=1"),
        Sign("4b28dcf94896a8825bf4b7c14d2e056a2ab14d20", ""),
        // Not its code, and none.
        Sign("5c2ed5c98d6addbc31ce9e19744073bd74e9a62a", "a=test-key&b=1457439999&c=1457432550&d=1234567890"),
        Sign("5c2ed5c98d", "a=test-key&b=1457432650&c=1457432550&d=1"), Sign("", "a"), Sign("", ""),
    ]

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
    func `A good signature is taken in every dialect, again and again`(sign: Sign, dialect: EmbeddedVerifier.Dialect)
        async throws
    {
        try await withVerifier { client async throws in
            for _ in 0..<2 {
                let answer = try await client.post(Self.form(sign: sign.value, in: dialect), to: dialect)
                #expect(answer.error(dialect) == Self.admitted(dialect))
            }
        }
    }

    @Test(arguments: bad)
    func `Any other is refused, always in the same words`(sign: Sign) async throws {
        let log = LogRecorder()
        let answer = try await verifierAnswer(to: Self.form(sign: sign.value), logger: log.logger)
        #expect(answer.status == 401)
        #expect(answer.error == "AUTHENTICATION_ERROR")
        #expect(!log.lines.contains { $0.contains("test-key") || (sign.value.count > 4 && $0.contains(sign.value)) })
    }

    @Test
    func `The vendor's vector is taken in its time`() async throws {
        let sign =
            "/uunz0L3/4DQXzN1cJBeYFaDkChhPXRlc3RfYXBpX2tleSZiPTE3MDAwMDAxMDAmYz0xNzAwMDAwMDAwJmQ9MTIzNDU2Nzg5MA=="
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
        (Self.form(sign: good[0].value, version: nil), 400, "MISSING_ARGUMENTS: sign_version"),
        (Self.form(sign: good[0].value, version: "hmac_sha256"), 400, "BAD_ARGUMENTS:sign_version"),
        (Self.form(sign: good[0].value).with("api_key", "test-key"), 400, "COEXISTENCE_ARGUMENTS"),
        (Self.form(sign: good[0].value).with("api_secret", "test-secret"), 400, "COEXISTENCE_ARGUMENTS"),
        (Self.form(sign: good[0].value).with("sign", good[0].value), 400, "BAD_ARGUMENTS:sign"),
        (Self.form(sign: "no base64!"), 401, "AUTHENTICATION_ERROR"),
        (Self.form(sign: ""), 401, "AUTHENTICATION_ERROR"),
    ])
    func `Parts that do not belong together are named`(form: HandWrittenForm, status: Int, error: String) async throws {
        let answer = try await verifierAnswer(to: form)
        #expect(answer.status == status)
        #expect(answer.error == error)
    }
}
