import Foundation
import TestSupport
import Testing

@Suite("TLS and proxies, by configuration alone", .serialized, .timeLimit(.minutes(5)))
struct TransportTests {
    /// For a run over an endpoint that never answers.
    private static let impatience = ["IDCARD_RUN_PATIENCE": "2s"]

    @Test("TLS to a port that speaks none ends with 75 and says so; nothing is lost, http completes")
    func plainPort() async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        let authority = try await TestAuthority("specimen")
        defer { authority.remove() }
        try await tool.servingBoth { verifier, backend in
            var configuration = RemoteConfiguration()
            configuration.delivery.append("tls: {ca_file: \(authority.root.path)}")
            let secure = backend.replacingOccurrences(of: "http://", with: "https://")
            let file = try configuration.write(for: tool, verifier: verifier, backend: secure)
            try await tool.run(["config", "check"] + file, ends: 0)
            let outcome = try await tool.run(["run", pair.path, "--format", "json"] + file, Self.impatience, ends: 75)
            #expect(outcome.errors.contains("tls_protocol"), "\(outcome.errors)")
            #expect(outcome.errors.contains("run the same command again"))
            #expect(try outcome.json().counts["delivered"] == 0)
            #expect(try tool.ledger().isEmpty)
            let rewritten = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            try await tool.run(["run", pair.path] + rewritten, ends: 0)
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    @Test("A proxy that opens no tunnel ends with 75 and says so, and nothing goes past it")
    func noTunnel() async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        try await tool.servingBoth { verifier, backend in
            // The backend's own port answers, but not as a proxy.
            let port = try #require(URL(string: backend)?.port)
            var configuration = RemoteConfiguration()
            configuration.delivery.append("proxy: 'http://canary-user:canary-proxy@127.0.0.1:\(port)'")
            let file = try configuration.write(for: tool, verifier: verifier, backend: backend)
            let outcome = try await tool.run(["run", pair.path] + file, Self.impatience, ends: 75)
            #expect(outcome.errors.contains("proxy_refused") && !outcome.errors.contains("canary"), "\(outcome.errors)")
            #expect(try tool.ledger().isEmpty)
            let direct = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            try await tool.run(["run", pair.path] + direct, ends: 0)
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }
}
