import Foundation
import IDCardCore
import IDCardTesting
import OutboundHTTP
import Testing

@testable import IDCardVerification

/// What each dialect puts on the wire, over a real socket, byte by byte.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct WireFormTests {
    private static let jpeg = Data([0xFF, 0xD8, 0xFF, 0x00, 0x0D, 0x0A, 0x2D, 0x2D, 0xFF, 0xD9])

    private static func text(_ name: String, _ value: String) -> SentRequest.Part {
        SentRequest.Part(headers: ["Content-Disposition: form-data; name=\"\(name)\""], body: Data(value.utf8))
    }

    private static func file(_ name: String) -> SentRequest.Part {
        SentRequest.Part(
            headers: [
                "Content-Disposition: form-data; name=\"\(name)\"; filename=\"idcard.jpg\"", "Content-Type: image/jpeg",
            ],
            body: self.jpeg
        )
    }

    /// The parts after the credentials.
    private static func rest(_ dialect: VerificationDialect) -> [SentRequest.Part] {
        switch dialect {
        case .faceIDv1: [self.text("legality", "1"), self.file("image")]
        case .faceppv1: [self.text("legality", "1"), self.file("image_file")]
        case .faceIDv3: [self.file("image")]
        }
    }

    /// Sends the photo so many times and returns what a server received, and the outcomes.
    private func send(
        _ count: Int,
        _ dialect: VerificationDialect,
        _ authentication: VerificationClient.Authentication,
        random: @escaping @Sendable () -> UInt64 = { 7 }
    ) async throws -> (requests: [SentRequest], outcomes: [VerificationOutcome]) {
        let server = LoopbackServer()
        defer { server.close() }
        let answer = replyText("200 OK", body: SampleReplies.front(dialect))
        async let received = server.answer(with: [String](repeating: answer, count: count))
        let outcomes = try await withHTTP { http in
            let client = try VerificationClient(
                VerificationClient.Configuration(
                    dialect: dialect,
                    url: "http://127.0.0.1:\(server.port)",
                    apiKey: Redacted("canary-key"),
                    apiSecret: Redacted("canary-secret"),
                    authentication: authentication
                ),
                http: http,
                now: { Timestamp(millisecondsSinceEpoch: 1_700_000_000_999) },
                random: random
            )
            #expect(client.provider == dialect.rawValue)
            #expect(client.limits == dialect.limits)
            var outcomes: [VerificationOutcome] = []
            for _ in 0..<count { outcomes.append(await client.verify(Self.jpeg, boundaryKey: "0198-key")) }
            return outcomes
        }
        let requests = await received.compactMap(SentRequest.init)
        #expect(requests.count == count)
        return (requests, outcomes)
    }

    @Test("With key and secret the form has exactly the documented parts", arguments: VerificationDialect.allCases)
    func keyAndSecret(dialect: VerificationDialect) async throws {
        let (requests, outcomes) = try await self.send(1, dialect, .keyAndSecret)
        let request = try #require(requests.first)
        #expect(request.line == "POST \(dialect.defaultPath) HTTP/1.1")
        #expect(request.boundary == "form-0198key-0")
        let credentials = [Self.text("api_key", "canary-key"), Self.text("api_secret", "canary-secret")]
        #expect(request.parts == credentials + Self.rest(dialect))
        #expect(outcomes.map { $0.reading?.side } == [.front])
    }

    @Test("Signed, it has a signature in their place, and the secret nowhere", arguments: VerificationDialect.allCases)
    func signed(dialect: VerificationDialect) async throws {
        let (requests, _) = try await self.send(1, dialect, .sign(validFor: .seconds(300)))
        let request = try #require(requests.first)
        let sign = RequestSign(
            key: "canary-key",
            secret: "canary-secret",
            expiry: 1_700_000_300,
            now: 1_700_000_000,
            random: 7
        )
        let credentials = [Self.text("sign", sign.value), Self.text("sign_version", "hmac_sha1")]
        #expect(request.parts == credentials + Self.rest(dialect))
        #expect(!"\(request)".contains("canary-secret"))
    }

    @Test(
        "Every attempt has a signature of its own, and is otherwise the same",
        arguments: VerificationDialect.allCases
    )
    func freshSign(dialect: VerificationDialect) async throws {
        let (requests, _) = try await self.send(
            3,
            dialect,
            .sign(validFor: .seconds(300)),
            random: { .random(in: 0...9_999_999_999) }
        )
        #expect(Set(requests.compactMap { $0.parts.first?.text }).count == 3)
        #expect(requests.allSatisfy { $0.parts.dropFirst() == requests[0].parts.dropFirst() })
        #expect(Set(requests.map(\.boundary)) == ["form-0198key-0"])
    }
}

/// Runs something with a client that is shut down afterwards.
func withHTTP<Value>(_ run: (OutboundHTTPClient) async throws -> Value) async throws -> Value {
    let http = OutboundHTTPClient()
    do {
        let value = try await run(http)
        await http.shutdown()
        return value
    } catch {
        await http.shutdown()
        throw error
    }
}
