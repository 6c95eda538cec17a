import Foundation
import TestSupport
import Testing

@testable import CardServer

/// Many connections at once, and clients that ask before they send: those beyond the limit are told so, those that do
/// nothing end, everybody else is served.
@Suite(.timeLimit(.minutes(5)), .serialized) struct CrowdTests {
    private static let open = RawRequest("GET", "/healthz").bytes
    private static let known = RawRequest("GET", "/v1/cards", token: "reader").bytes

    /// The status of the next answer; `nil` if the connection ends before.
    private func status(_ connection: RawConnection, _ bytes: Data) async throws -> Int? {
        // One that has ended may notice when it sends.
        try? await connection.send(bytes)
        return try await connection.response()?.status
    }

    /// Opens connections one after the other, each of which is answered, and lends them all.
    private func status(
        _ harness: ServerHarness,
        _ asked: [(source: String, bytes: Data)],
        opened: [RawConnection] = [],
        _ body: ([RawConnection]) async throws -> Void
    ) async throws {
        guard let next = asked.dropFirst(opened.count).first else { return try await body(opened) }
        try await harness.connected(from: next.source) { (connection) async throws in
            #expect(try await self.status(connection, next.bytes) == 200)
            try await self.status(harness, asked, opened: opened + [connection], body)
        }
    }

    private static let other = RawRequest("GET", "/v1/cards", token: "operator").bytes
    private static let (here, there, elsewhere) = ("127.0.0.1", "127.0.0.2", "127.0.0.3")

    @Test func `where all have shown a token, one connection too many is told so until one has gone`() async throws {
        try await ServerHarness.with({ $0.connections.connections = 2 }) { (harness) async throws in
            try await self.status(harness, [(Self.here, Self.known), (Self.here, Self.other)]) { inside in
                let refused = try await harness.connected { third in try await third.response() }
                #expect(refused?.problem == "503 connections_exhausted")
                #expect(refused?["retry-after"] == "5")
                #expect(try await self.status(inside[0], Self.open) == 200)
            }
            // Until the server has noticed that they have gone; what is still refused may end before it was asked.
            var status: Int?
            while status != 200 { status = try? await harness.connected { try await self.status($0, Self.open) } }
        }
    }

    @Test func `of the connections of one name the one that showed its token least lately gives way`() async throws {
        try await ServerHarness.with({ $0.connections.connections = 3 }) { (harness) async throws in
            let asked = [(Self.here, Self.other), (Self.here, Self.known), (Self.here, Self.known)]
            try await self.status(harness, asked) { (inside) async throws in
                let (guest, older, younger) = (inside[0], inside[1], inside[2])
                for connection in [younger, older] { #expect(try await self.status(connection, Self.known) == 200) }
                try await harness.connected { (newcomer) async throws in
                    #expect(try await self.status(newcomer, Self.open) == 200)
                    #expect(try await self.status(younger, Self.open) == nil)
                    #expect(try await self.status(older, Self.open) == 200)
                    #expect(try await self.status(guest, Self.open) == 200)
                }
            }
        }
    }

    @Test func `in a full house the oldest stranger gives way, and nobody who has shown a token`() async throws {
        try await ServerHarness.with({ $0.connections.connections = 3 }) { (harness) async throws in
            try await self.status(harness, [(Self.here, Self.known), (Self.here, Self.open)]) {
                (inside) async throws in
                let (guest, older) = (inside[0], inside[1])
                // A wrong token is none, and one whose scope is another opens nothing.
                for token in ["wrong", "submitter"] {
                    #expect(try await self.status(older, RawRequest("GET", "/v1/cards", token: token).bytes) != 200)
                }
                try await harness.connected { (younger) async throws in
                    #expect(try await self.status(younger, Self.open) == 200)
                    #expect(try await harness.connected { try await self.status($0, Self.open) } == 200)
                    #expect(try await self.status(older, Self.open) == nil)
                    #expect(try await self.status(younger, Self.open) == 200)
                    #expect(try await self.status(guest, Self.open) == 200)
                }
            }
        }
    }

    @Test func `the address with most strangers gives way, whoever comes`() async throws {
        try await ServerHarness.with({ $0.connections.connections = 4 }) { (harness) async throws in
            let anonymous = [Self.there, Self.here, Self.here, Self.here].map { (source: $0, bytes: Self.open) }
            try await self.status(harness, anonymous) { (inside) async throws in
                // Two newcomers, who stay.
                try await self.status(harness, [(Self.elsewhere, Self.open)]) { (_) async throws in
                    #expect(try await self.status(inside[1], Self.open) == nil)
                    try await self.status(harness, [(Self.elsewhere, Self.open)]) { (_) async throws in
                        #expect(try await self.status(inside[2], Self.open) == nil)
                        #expect(try await self.status(inside[3], Self.open) == 200)
                        #expect(try await self.status(inside[0], Self.open) == 200)
                    }
                }
            }
        }
    }

    @Test func `idle connections of one address give way to all newcomers`() async throws {
        try await ServerHarness.with({ $0.connections.connections = 20 }) { (harness) async throws in
            try await harness.connected(from: "127.0.0.2") { (guest) async throws in
                #expect(try await self.status(guest, Self.known) == 200)
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    let opened = AsyncSignal()
                    for _ in 0..<60 {
                        group.addTask {
                            try await harness.connected { (idle) async throws -> Int? in
                                opened.signal()
                                return try await idle.response()?.status
                            }
                        }
                    }
                    await opened.wait(for: 60)
                    for _ in 0..<30 {
                        let status = try await harness.connected(from: "127.0.0.3") { newcomer in
                            try await self.status(newcomer, Self.open)
                        }
                        #expect(status == 200)
                    }
                    // There were 61 that stay for 20 places. Nobody was told anything.
                    for _ in 0..<41 { #expect(try await group.next() == .some(nil)) }
                    #expect(try await self.status(guest, Self.known) == 200)
                    // A newcomer has one go at most.
                    #expect(41...71 ~= (try await self.gaveWay(guest)))
                    group.cancelAll()
                }
            }
        }
    }

    /// How many connections gave way or were refused.
    private func gaveWay(_ connection: RawConnection) async throws -> Int {
        try await connection.send(RawRequest("GET", "/metrics", token: "reader").bytes)
        let figures = try #require(try await connection.response()?.text)
        let line = try #require(figures.firstMatch(of: /\nidcard_http_refused_connections (\d+)/))
        return try #require(Int(line.1))
    }

    @Test func `three hundred connections that never finish their heads end while others are served`() async throws {
        try await ServerHarness.with({ $0.connections.headTime = .seconds(5) }) { (harness) async throws in
            let opened = AsyncSignal()
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        try await harness.connected { (connection) async throws -> String? in
                            try await connection.send("POST /v1/cards HTTP/1.1\r\nHost: a\r\nX-Slow: ")
                            opened.signal()
                            return try await connection.response()?.problem
                        }
                    }
                }
                await opened.wait(for: 300)
                #expect(try await harness.send(.image(Specimen.jpeg(), token: "submitter")).status == 202)
                for try await problem in group { #expect(problem == "408 head_timeout") }
            }
        }
    }

    @Test func `beyond those that are told so, connections end silently, and nobody inside notices`() async throws {
        try await ServerHarness.with({
            $0.connections.connections = 1
            $0.connections.refusedConnections = 0
        }
        ) { (harness) async throws in
            try await harness.connected { (inside) async throws in
                #expect(try await self.status(inside, Self.known) == 200)
                for _ in 0..<20 {
                    // It may have ended before it could be looked at.
                    let answer = try? await harness.connected { outside in try await outside.response() }
                    #expect(answer?.status == nil)
                }
                #expect(try await self.status(inside, Self.open) == 200)
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
