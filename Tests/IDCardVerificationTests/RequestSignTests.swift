import Foundation
import IDCardCore
import MultipartForm
import Testing

@testable import IDCardVerification

/// The signature, by the vendor's vector, and the parts that carry it.
struct RequestSignTests {
    private static let vector =
        "/uunz0L3/4DQXzN1cJBeYFaDkChhPXRlc3RfYXBpX2tleSZiPTE3MDAwMDAxMDAmYz0xNzAwMDAwMDAwJmQ9MTIzNDU2Nzg5MA=="

    private func credentials(
        _ authentication: VerificationClient.Authentication,
        milliseconds: Int64 = 1_700_000_000_000,
        random: @escaping @Sendable () -> UInt64 = { 1_234_567_890 }
    ) throws -> Credentials {
        try Credentials(
            VerificationClient.Configuration(
                url: "http://127.0.0.1",
                apiKey: Redacted("test_api_key"),
                apiSecret: Redacted("test_api_secret"),
                authentication: authentication
            ),
            now: { Timestamp(millisecondsSinceEpoch: milliseconds) },
            random: random
        )
    }

    private func texts(_ parts: [MultipartForm.Part]) -> [String] {
        parts.map { part in
            guard case .bytes(let data) = part.content else { return part.name }
            return "\(part.name)=\(String(decoding: data, as: UTF8.self))"
        }
    }

    private func raw(of sign: String) throws -> String {
        let bytes = try #require(Data(base64Encoded: sign))
        return String(decoding: bytes.dropFirst(20), as: UTF8.self)
    }

    @Test("The vector comes out")
    func vector() {
        let sign = RequestSign(
            key: "test_api_key",
            secret: "test_api_secret",
            expiry: 1_700_000_100,
            now: 1_700_000_000,
            random: 1_234_567_890
        )
        #expect(sign.value == Self.vector)
    }

    @Test("A signed request has the parts sign and sign_version, and neither key nor secret", arguments: [0, 999])
    func parts(milliseconds: Int64) throws {
        let credentials = try self.credentials(
            .sign(validFor: .seconds(100)),
            milliseconds: 1_700_000_000_000 + milliseconds
        )
        #expect(self.texts(credentials.parts()) == ["sign=\(Self.vector)", "sign_version=hmac_sha1"])
    }

    @Test("Key and secret are sent as they are otherwise")
    func keyAndSecret() throws {
        let parts = try self.credentials(.keyAndSecret).parts()
        #expect(self.texts(parts) == ["api_key=test_api_key", "api_secret=test_api_secret"])
    }

    @Test("A signature for one use has the expiry 0")
    func singleUse() throws {
        let parts = try self.credentials(.singleUseSign).parts()
        let sign = try #require(self.texts(parts).first).dropFirst("sign=".count)
        #expect(try self.raw(of: String(sign)) == "a=test_api_key&b=0&c=1700000000&d=1234567890")
    }

    @Test("Line breaks never come into a long one, and it is the standard alphabet with padding")
    func alphabet() throws {
        for length in 90...100 {
            let sign = RequestSign(
                key: String(repeating: "k", count: length),
                secret: "s",
                expiry: 2,
                now: 1,
                random: 9_999_999_999
            )
            #expect(sign.value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0)) })
            #expect(sign.value.count.isMultiple(of: 4))
            #expect(try self.raw(of: sign.value).hasSuffix("&b=2&c=1&d=9999999999"))
        }
    }

    @Test("Random numbers have ten digits at most, and differ")
    func random() throws {
        let client = try self.credentials(.sign(validFor: .seconds(9)), random: { .random(in: 0...9_999_999_999) })
        let signs = (0..<50).map { _ in self.texts(client.parts())[0] }
        #expect(Set(signs).count > 45)
    }

    @Test("The boundary and the kept readings do not depend on the signature", arguments: VerificationDialect.allCases)
    func boundary(dialect: VerificationDialect) throws {
        let jpeg = Data([0xFF, 0xD8, 0xFF, 0xD9])
        let all = try [VerificationClient.Authentication.keyAndSecret, .singleUseSign, .sign(validFor: .seconds(60))]
            .flatMap { authentication in
                try [Int64(1), 2].map { second in
                    let credentials = try self.credentials(authentication, milliseconds: second * 1000)
                    return try dialect.form.form(jpeg, credentials: credentials.parts(), boundaryKey: "abc").boundary
                }
            }
        #expect(all.count == 6)
        #expect(Set(all).count == 1)
        #expect(!dialect.form.parameters.contains("sign"))
    }

    @Test("A boundary is the next one where the photo holds the first")
    func boundaryInPhoto() throws {
        let parts = try self.credentials(.keyAndSecret).parts()
        let form = DialectForm.faceIDv1
        let first = try form.form(Data(), credentials: parts, boundaryKey: "abc").boundary
        let second = try form.form(Data(first.value.utf8), credentials: parts, boundaryKey: "abc").boundary
        #expect(first.value == "form-abc-0")
        #expect(second.value == "form-abc-1")
    }

    @Test(
        "A lifetime of less than a second or more than a year is refused",
        arguments: [Duration.zero, .milliseconds(999), .seconds(-5), .seconds(400 * 86_400), .seconds(Int64.max)]
    )
    func lifetime(lifetime: Duration) {
        let error = #expect(throws: VerificationError.self) { try self.credentials(.sign(validFor: lifetime)) }
        #expect(error?.code == .invalidLifetime)
        #expect(error?.message.contains("verification.sign_lifetime") == true)
    }
}
