import Foundation
import TestSupport
import Testing

/// `config check --online` connects to the configured endpoints and gives nothing away.
@Suite(.timeLimit(.minutes(5))) struct OnlineCheckTests {
    private struct Checked: Decodable {
        struct Endpoint: Decodable {
            struct Step: Decodable {
                var step: String
                var ok: Bool
                var message: String
            }

            var section: String
            var endpoint: String
            var reachable: Bool
            var steps: [Step]
        }

        var ok: Bool
        var endpoints: [Endpoint]?
    }

    @Test func `both endpoints are connected to, and receive no secret`() async throws {
        let tool = try Tool()
        try await withFaultServer(.reply(FaultReply("405 Method Not Allowed"))) { server, port in
            let url = "http://127.0.0.1:\(port)"
            let file = try RemoteConfiguration().write(for: tool, verifier: url, backend: "\(url)/deliver?key=canary")
            let offline: Checked = try await tool.run(["config", "check", "--format", "json"] + file, ends: 0).decoded()
            #expect(offline.endpoints == nil && server.connections == 0)
            let check = ["config", "check", "--online"] + file
            let report: Checked = try await tool.run(check + ["--format", "json"], ends: 0).decoded()
            let endpoints = try #require(report.endpoints)
            #expect(endpoints.map(\.section) == ["verification", "delivery"])
            #expect(endpoints.allSatisfy { $0.reachable && $0.steps.map(\.step) == ["name", "connection", "head"] })
            #expect(server.received.count == 2 && server.received.allSatisfy { $0.head.hasPrefix("HEAD /") })
            for secret in ["the-key", "the-secret", "token-a", "U-1", "canary", "TOKEN", "Authorization", "Cookie"] {
                #expect(server.received.allSatisfy { !$0.head.contains(secret) && $0.body.isEmpty }, "\(secret)")
            }
            let lines = try await tool.run(check, ends: 0).lines
            #expect(lines.contains("delivery (127.0.0.1:\(port)), head: ok, the server answers with status 405"))
        }
    }

    @Test func `an endpoint that cannot be reached ends it with 69`() async throws {
        let tool = try Tool()
        let refusing = try RefusingPort()
        defer { refusing.close() }
        try await withFaultServer(.reply(FaultReply("404 Not Found"))) { _, port in
            let backend = "http://127.0.0.1:\(refusing.port)/"
            let verifier = "http://127.0.0.1:\(port)"
            let file = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            let check = ["config", "check", "--online"] + file
            let report: Checked = try await tool.run(check + ["--format", "json"], ends: 69).decoded()
            #expect(report.ok && report.endpoints?.map(\.reachable) == [true, false])
            let lines = try await tool.run(check, ends: 69).lines
            let start = "error: delivery (127.0.0.1:\(refusing.port)), connection: "
            #expect(lines.contains { $0.hasPrefix(start) && $0.contains("refused the connection") })
        }
    }
}
