import Foundation
import IDCardTesting
import Testing

@testable import IDCardServer

/// HEAD: every path that takes GET takes it, and no answer to it has content (RFC 9110 sections 9.1 and 9.3.2).
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct HeadTests {
    @Test(
        "The answer is that to GET without the content, and the connection goes on",
        arguments: ["/healthz", "/readyz", "/openapi.json", "/v1/cards", "/v1/cards/x", "/none"]
    )
    func like(path: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            let token = path == "/v1/cards/x" ? "wrong" : ServerHarness.read.reveal()
            try await harness.connected { (connection) async throws in
                try await connection.send(RawRequest("HEAD", path, token: token).bytes)
                let head = try #require(try await connection.response(hasContent: false))
                // Content that came all the same would be taken for this answer.
                try await connection.send(RawRequest("GET", path, token: token).bytes)
                let get = try #require(try await connection.response())
                #expect(head.status == get.status)
                #expect(head["content-type"] == get["content-type"])
                #expect(head["content-length"] == "\(get.body.count)")
            }
        }
    }

    @Test("A path without GET refuses it, and names it with GET alone")
    func refused() async throws {
        try await ServerHarness.with { (harness) async throws in
            try await harness.connected { (connection) async throws in
                try await connection.send(RawRequest("HEAD", "/v1/runs").bytes)
                let refused = try #require(try await connection.response(hasContent: false))
                #expect(refused.status == 405)
                #expect(refused["allow"] == "POST")
                try await connection.send(RawRequest("PATCH", "/v1/cards").bytes)
                #expect(try await connection.response()?["allow"] == "GET, HEAD, POST")
            }
        }
    }

    @Test("What never becomes a request has no content either")
    func malformed() async throws {
        try await ServerHarness.with { (harness) async throws in
            let rest = try await harness.connected { (connection) async throws -> Int in
                try await connection.send("HEAD /healthz HTTP/1.1\r\n\r\n")
                let response = try #require(try await connection.response(hasContent: false))
                #expect(response.status == 400)
                return try await connection.end()
            }
            #expect(rest == 0)
        }
    }
}
