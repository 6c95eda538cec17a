import Foundation
import Testing

@testable import CardServer

/// Many connections at once, and clients that ask before they send: those beyond the limit are told so, those that do
/// nothing end, everybody else is served.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct CrowdTests {
    @Test func `a connection beyond the limit is told so at once, and has room when another has gone`() async throws {
        try await ServerHarness.with({ $0.connections.connections = 2 }) { (harness) async throws in
            try await harness.connected { (first) async throws in
                try await first.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await first.response()?.status == 200)
                try await harness.connected { (second) async throws in
                    try await second.send(RawRequest("GET", "/healthz").bytes)
                    #expect(try await second.response()?.status == 200)
                    let refused = try await harness.connected { third in try await third.response() }
                    #expect(refused?.problem == "503 connections_exhausted")
                    #expect(refused?["retry-after"] == "5")
                    try await first.send(RawRequest("GET", "/healthz").bytes)
                    #expect(try await first.response()?.status == 200)
                }
            }
            // Until the server has noticed that they have gone; what is still refused may end before it was asked.
            var status: Int?
            while status != 200 {
                status = try? await harness.connected { (connection) async throws -> Int? in
                    try await connection.send(RawRequest("GET", "/healthz").bytes)
                    return try await connection.response()?.status
                }
            }
        }
    }

    @Test func `three hundred connections that never finish their heads end with 408 while others are served`()
        async throws
    {
        try await ServerHarness.with({ $0.connections.headTime = .seconds(5) }) { (harness) async throws in
            let opened = AsyncSignal()
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        try await harness.connected { (connection) async throws -> Int? in
                            try await connection.send("POST /v1/cards HTTP/1.1\r\nHost: a\r\nX-Slow: ")
                            opened.signal()
                            return try await connection.response()?.status
                        }
                    }
                }
                await opened.wait(for: 300)
                #expect(try await harness.send(.image(Specimen.jpeg(), token: "submitter")).status == 202)
                for try await status in group { #expect(status == 408) }
            }
        }
    }

    @Test func `beyond those that are being told so, connections end without a word, and nobody inside notices`()
        async throws
    {
        try await ServerHarness.with(
            {
                $0.connections.connections = 1
                $0.connections.refusedConnections = 0
            }
        ) { (harness) async throws in
            try await harness.connected { (inside) async throws in
                try await inside.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await inside.response()?.status == 200)
                for _ in 0..<20 {
                    // It may have ended before it could be looked at.
                    let answer = try? await harness.connected { outside in try await outside.response() }
                    #expect(answer?.status == nil)
                }
                try await inside.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await inside.response()?.status == 200)
            }
        }
    }

    // MARK: Expect: 100-continue

    private func statuses(
        _ harness: ServerHarness,
        token: String,
        headers: [(String, String)] = [],
        version: String = "HTTP/1.1"
    ) async throws -> [Int] {
        let image = Specimen.jpeg()
        let request = RawRequest.image(image, token: token, headers: [("Expect", "100-continue")] + headers)
        return try await harness.connected { (connection) async throws -> [Int] in
            try await connection.send(request.head.replacing("HTTP/1.1", with: version))
            // A client of HTTP/1.0 does not wait.
            if version == "HTTP/1.0" { try await connection.send(image) }
            let first = try #require(try await connection.response())
            guard first.status == 100 else { return [first.status] }
            try await connection.send(image)
            return [100, try #require(try await connection.response()).status]
        }
    }

    @Test func `a body that is wanted is asked for, but not from a client of HTTP 1.0`() async throws {
        try await ServerHarness.with { (harness) async throws in
            #expect(try await self.statuses(harness, token: "submitter") == [100, 202])
            #expect(try await self.statuses(harness, token: "submitter", version: "HTTP/1.0") == [202])
        }
    }

    @Test func `a wrong token, a full queue, a bad field: each is refused without the body`() async throws {
        try await ServerHarness.with { (harness) async throws in
            #expect(try await self.statuses(harness, token: "wrong") == [401])
            #expect(try await self.statuses(harness, token: "submitter", headers: [("Card-Side", "top")]) == [422])
            harness.intake.state.withLock { $0.isFull = true }
            #expect(try await self.statuses(harness, token: "submitter") == [503])
        }
    }
}
