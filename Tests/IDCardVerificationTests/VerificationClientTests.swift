import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import OutboundHTTP
import Testing

@testable import IDCardVerification

/// The client as the engine sees it, over a real socket.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct VerificationClientTests {
    private let jpeg = Data([0xFF, 0xD8, 0xFF, 0x00, 0xFF, 0xD9])

    private func configuration(port: Int = 9, dialect: VerificationDialect = .faceIDv1)
        -> VerificationClient.Configuration
    {
        VerificationClient.Configuration(
            dialect: dialect,
            url: "http://127.0.0.1:\(port)",
            apiKey: Redacted("canary-key"),
            apiSecret: Redacted("canary-secret")
        )
    }

    @Test("The same photo makes the same bytes", arguments: VerificationDialect.allCases)
    func sameBytes(dialect: VerificationDialect) async throws {
        let server = LoopbackServer()
        defer { server.close() }
        let answers = [String](repeating: replyText("200 OK", body: SampleReplies.front(dialect)), count: 2)
        async let requests = server.answer(with: answers)
        let outcomes = try await withHTTP { http in
            let client = try VerificationClient(self.configuration(port: server.port, dialect: dialect), http: http)
            let first = await client.verify(self.jpeg, boundaryKey: "0198-key")
            return [first, await client.verify(self.jpeg, boundaryKey: "0198-key")]
        }
        #expect(outcomes.map { $0.reading?.side } == [.front, .front])
        let received = await requests
        #expect(received[0] == received[1])
    }

    @Test("An error of the service comes as its class")
    func refusal() async throws {
        let server = LoopbackServer()
        defer { server.close() }
        async let requests = server.answer(
            with: [replyText("401 Unauthorized", body: #"{"error_message":"AUTHENTICATION_ERROR"}"#)]
        )
        let outcome = try await withHTTP { http in
            try await VerificationClient(self.configuration(port: server.port), http: http)
                .verify(self.jpeg, boundaryKey: "k")
        }
        #expect(outcome.failure?.failureClass == .stop)
        #expect(outcome.failure?.code == "AUTHENTICATION_ERROR")
        #expect(await requests.count == 1)
    }

    @Test("A code that repeats the key is not carried on")
    func quotedKey() async throws {
        let server = LoopbackServer()
        defer { server.close() }
        async let requests = server.answer(with: [replyText("400 Bad Request", body: #"{"error_message":"MY_KEY:x"}"#)])
        let outcome = try await withHTTP { http in
            var configuration = self.configuration(port: server.port)
            configuration.apiKey = Redacted("MY_KEY")
            return await (try VerificationClient(configuration, http: http)).verify(self.jpeg, boundaryKey: "k")
        }
        #expect(outcome.failure?.code == "unknown_error")
        #expect(outcome.failure?.message.contains("MY_KEY") == false)
        #expect(await requests.count == 1)
    }

    @Test("A refused connection has sent nothing; a connection closed without reply may be tried again")
    func transport() async throws {
        let server = LoopbackServer()
        async let requests = server.answer(with: [""])
        let outcomes = try await withHTTP { http in
            let client = try VerificationClient(self.configuration(port: server.port), http: http)
            let closed = await client.verify(self.jpeg, boundaryKey: "k")
            server.close()
            return [closed, await client.verify(self.jpeg, boundaryKey: "k")]
        }
        #expect(await requests.count == 1)
        #expect(outcomes.map { $0.failure?.failureClass } == [.transient, .notSent])
        #expect(outcomes[1].failure?.code == "connect_refused")
        #expect(!"\(outcomes)".contains("canary"))
    }

    @Test("A cancelled call costs no attempt")
    func cancelled() async throws {
        let outcome = try await withHTTP { http in
            let client = try VerificationClient(self.configuration(), http: http)
            return await withTaskGroup(of: VerificationOutcome.self) { group in
                group.cancelAll()
                group.addTask { await client.verify(self.jpeg, boundaryKey: "k") }
                return await group.next()
            }
        }
        #expect(outcome?.failure?.failureClass == .notSent)
        #expect(outcome?.failure?.code == "cancelled")
    }

    @Test("A full URL is taken as it is")
    func fullURL() async throws {
        let server = LoopbackServer()
        defer { server.close() }
        async let requests = server.answer(with: [replyText("200 OK", body: SampleReplies.faceIDv1Back)])
        let outcome = try await withHTTP { http in
            var configuration = self.configuration()
            configuration.url = "http://127.0.0.1:\(server.port)/proxy/ocr?tenant=7"
            return await (try VerificationClient(configuration, http: http)).verify(self.jpeg, boundaryKey: "k")
        }
        #expect(outcome.reading?.side == .back)
        #expect(await requests.first?.starts(with: Data("POST /proxy/ocr?tenant=7 HTTP/1.1".utf8)) == true)
    }

    @Test(
        "A configuration that cannot work is refused with its key's name",
        arguments: [
            ("ftp://h", "k", "s", VerificationError.Code.invalidURL, "verification.url"),
            ("http://h", "", "s", .missingCredentials, "verification.api_key"),
            ("http://h", "k", "", .missingCredentials, "verification.api_secret"),
        ]
    )
    func invalid(url: String, key: String, secret: String, code: VerificationError.Code, name: String) async throws {
        let configuration = VerificationClient.Configuration(
            url: url,
            apiKey: Redacted(key),
            apiSecret: Redacted(secret)
        )
        let error = try await withHTTP { http in
            #expect(throws: VerificationError.self) { try VerificationClient(configuration, http: http) }
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(name) == true)
    }

    @Test("A configuration prints neither key nor secret")
    func redaction() {
        let configuration = self.configuration()
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("canary"))
        }
    }
}
