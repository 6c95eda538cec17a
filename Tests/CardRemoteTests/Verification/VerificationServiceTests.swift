import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardRemote

/// The service as the engine sees it, over a real socket.
@Suite(.timeLimit(.minutes(5))) struct VerificationServiceTests {
    private static let jpeg = Data([0xFF, 0xD8, 0xFF, 0x00, 0x0D, 0x0A, 0x2D, 0x2D, 0xFF, 0xD9])
    private let image = PreparedImage(jpeg: jpeg, width: 4, height: 3, digest: ContentDigest(of: jpeg))

    private func settings(port: Int = 9, dialect: VerificationDialect = .faceIDv1) -> VerificationSettings {
        var settings = VerificationSettings(
            endpoint: EndpointSettings(url: "http://127.0.0.1:\(port)"),
            apiKey: Redacted("canary-key"),
            apiSecret: Redacted("canary-secret")
        )
        settings.dialect = dialect
        return settings
    }

    private func withService<Value>(
        _ settings: VerificationSettings,
        run: (VerificationService) async throws -> Value
    ) async throws -> Value {
        let service = try VerificationService(settings)
        let result: Result<Value, any Error>
        do { result = .success(try await run(service)) } catch { result = .failure(error) }
        await service.shutdown()
        return try result.get()
    }

    /// The form that goes over the wire, written without any of our own code.
    private func form(_ credentials: [(String, String)], _ dialect: VerificationDialect, boundary: String) -> [UInt8] {
        let texts = credentials + (dialect == .faceIDv3 ? [] : [("legality", "1")])
        var form = HandWrittenForm(boundary: boundary, parts: texts.map { .text($0.0, $0.1) })
        let file = dialect == .faceppv1 ? "image_file" : "image"
        form.parts.append(.init(name: file, filename: "idcard.jpg", type: "image/jpeg", body: Array(Self.jpeg)))
        return Array(form.body)
    }

    @Test(arguments: [
        (VerificationDialect.faceIDv1, "/faceid/v1/ocridcard", "legality=1"),
        (.faceIDv3, "/faceid/v3/ocridcard", ""), (.faceppv1, "/cardpp/v1/ocridcard", "legality=1"),
    ])
    func `With key and secret the form has exactly the documented parts, the same every time`(
        dialect: VerificationDialect,
        path: String,
        parameters: String
    ) async throws {
        try await withFaultServer(.reply(.json(SampleReplies.front(dialect)))) { server, port in
            try await self.withService(self.settings(port: port, dialect: dialect)) { service in
                #expect(service.provider == dialect.rawValue)
                #expect(service.parameters == parameters)
                #expect(service.endpoint == "127.0.0.1:\(port)")
                for _ in 0..<2 {
                    let outcome = try await service.verify(self.image)
                    #expect(outcome.reading?.side == .front)
                }
            }
            let type = try #require(server.received[0].header("Content-Type"))
            let boundary = String(type.dropFirst("multipart/form-data; boundary=".count))
            let credentials = [("api_key", "canary-key"), ("api_secret", "canary-secret")]
            let expected = self.form(credentials, dialect, boundary: boundary)
            #expect(server.received.map(\.body) == [expected, expected])
            #expect(server.received.map(\.path) == [path, path])
        }
    }

    @Test func `Signed, a form has a fresh signature in their place, and the secret nowhere`() async throws {
        try await withFaultServer(.reply(.json(SampleReplies.front(.faceIDv1)))) { server, port in
            var settings = self.settings(port: port)
            settings.authentication = .sign
            try await self.withService(settings) { service in
                for _ in 0..<2 {
                    let outcome = try await service.verify(self.image)
                    #expect(outcome.reading?.side == .front)
                }
            }
            let texts = server.received.map { String(decoding: $0.body, as: UTF8.self) }
            let signs = try texts.map { text in
                let start = try #require(text.firstRange(of: "name=\"sign\"\r\n\r\n"))
                return String(text[start.upperBound...].prefix { $0 != "\r\n" })
            }
            #expect(Set(signs).count == 2)
            for (text, sign) in zip(texts, signs) {
                #expect(text.contains("name=\"sign_version\"\r\n\r\nhmac_sha1\r\n"))
                #expect(!text.contains("canary-secret"))
                let raw = try #require(Data(base64Encoded: sign)).dropFirst(20)
                let match = try #require(
                    String(decoding: raw, as: UTF8.self).wholeMatch(of: #/a=canary-key&b=(\d+)&c=(\d+)&d=\d+/#)
                )
                #expect(Int64(match.1).flatMap { b in Int64(match.2).map { b - $0 } } == Limits.signatureLifetime)
            }
        }
    }

    @Test func `The vendor's vector of a signature comes out`() {
        let sign = RequestSign(
            key: "test_api_key",
            secret: "test_api_secret",
            now: 1_700_000_000,
            lifetime: 100,
            random: 1_234_567_890
        )
        let vector =
            "/uunz0L3/4DQXzN1cJBeYFaDkChhPXRlc3RfYXBpX2tleSZiPTE3MDAwMDAxMDAmYz0xNzAwMDAwMDAwJmQ9MTIzNDU2Nzg5MA=="
        #expect(sign.value == vector)
    }

    @Test func `A full URL is taken as it is`() async throws {
        try await withFaultServer(.reply(.json(SampleReplies.faceIDv1Back))) { server, port in
            var settings = self.settings()
            settings.endpoint.url = "http://127.0.0.1:\(port)/proxy/ocr?tenant=7"
            let outcome = try await self.withService(settings) { try await $0.verify(self.image) }
            #expect(outcome.reading?.side == .back)
            #expect(server.received.map(\.path) == ["/proxy/ocr?tenant=7"])
        }
    }

    @Test func `A code that repeats the key is not carried on`() async throws {
        try await withFaultServer(.reply(.json(#"{"error_message":"MY_KEY:x"}"#, status: "400 Bad Request"))) {
            _,
            port in
            var settings = self.settings(port: port)
            settings.apiKey = Redacted("MY_KEY")
            let failure = try await self.withService(settings) { try await $0.verify(self.image) }.failure
            #expect(failure?.code == "unknown_error")
            #expect(failure?.message.contains("MY_KEY") == false)
        }
    }

    @Test func `A refused connection has sent nothing, and one closed without reply may be tried again`() async throws {
        let refusing = try RefusingPort()
        defer { refusing.close() }
        let refused = try await self.withService(self.settings(port: refusing.port)) { try await $0.verify(self.image) }
        #expect(refused.failure?.kind == "notSent connect_refused")
        try await withFaultServer(.close) { _, port in
            let closed = try await self.withService(self.settings(port: port)) { try await $0.verify(self.image) }
            #expect(closed.failure?.kind == "transient connection_closed")
        }
    }

    @Test func `A cancelled call ends without an outcome`() async throws {
        try await self.withService(self.settings()) { service in
            let image = self.image
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await service.verify(image)
            }
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test(arguments: [
        ("ftp://h", "k", "s", "url_invalid", "verification.url"),
        ("http://h", "", "s", "credentials_missing", "verification.api_key"),
        ("http://h", "k", "", "credentials_missing", "verification.api_secret"),
    ])
    func `Settings that cannot work are refused with the key's name`(
        url: String,
        key: String,
        secret: String,
        code: String,
        name: String
    ) {
        let settings = VerificationSettings(
            endpoint: EndpointSettings(url: url),
            apiKey: Redacted(key),
            apiSecret: Redacted(secret)
        )
        let error = #expect(throws: CodedError.self) { try VerificationService(settings) }
        #expect(error?.code.rawValue == code)
        #expect(error?.message.contains(name) == true)
    }

    @Test func `Settings print neither key nor secret`() {
        var dumped = ""
        dump(self.settings(), to: &dumped)
        #expect(!dumped.contains("canary"))
        #expect(!"\(self.settings())".contains("canary"))
    }
}
