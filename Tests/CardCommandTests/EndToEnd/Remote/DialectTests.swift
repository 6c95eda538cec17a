import Foundation
import TestSupport
import Testing

@Suite(
    "Dialects of the verification service, by configuration alone",
    .serialized,
    .timeLimit(.minutes(5))
)
struct DialectTests {
    private static let dialects = MarkDialect.allCases
    private static let proofs = ["key", "sign"]

    private func configuration(_ dialect: MarkDialect, _ proof: String, secret: String = "the-secret")
        -> RemoteConfiguration
    {
        var configuration = RemoteConfiguration()
        configuration.verification = [
            "dialect: \(dialect.rawValue)", "auth: \(proof)", "api_key: the-key", "api_secret: \(secret)",
        ]
        return configuration
    }

    @Test("A pair is delivered in every dialect, with key and secret or with a signature", arguments: dialects, proofs)
    func delivered(dialect: MarkDialect, proof: String) async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        try await tool.servingBoth(with: self.configuration(dialect, proof), verifier: MarkVerifier(dialect)) { file in
            let outcome = try await tool.run(["run", pair.path, "--format", "json"] + file, ends: 0)
            #expect(try outcome.json().counts["delivered"] == 2)
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect(try tool.refusals().isEmpty)
    }

    @Test("A wrong secret ends with 69 and names the keys to check; no card is lost", arguments: dialects, proofs)
    func wrongSecret(dialect: MarkDialect, proof: String) async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        try await tool.servingBoth(
            with: self.configuration(dialect, proof, secret: "canary-secret"),
            verifier: MarkVerifier(dialect)
        ) { file in
            let outcome = try await tool.run(["run", pair.path, "--format", "json"] + file, ends: 69)
            #expect(try outcome.json().counts["prepared"] == 2)
            for word in ["AUTHENTICATION_ERROR", "verification.api_key", "verification.api_secret"] {
                #expect(outcome.errors.contains(word), "\(word)")
            }
            #expect(!outcome.errors.contains("canary"))
            let status = try await tool.run(["status"] + file)
            #expect(status.output.contains("stopped since") && status.output.contains("AUTHENTICATION_ERROR"))
            let json = try await tool.run(["status", "--format", "json"] + file)
            #expect(json.output.contains("AUTHENTICATION_ERROR"))
        }
        #expect(try tool.ledger().isEmpty)
    }

    @Test(
        "A service that answers in another dialect ends with 69 and wrong_dialect; put right, all is delivered",
        arguments: [(.faceIDv1, .faceIDv3), (.faceIDv3, .faceIDv1)] as [(MarkDialect, MarkDialect)]
    )
    func wrongDialect(served: MarkDialect, configured: MarkDialect) async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        try await tool.servingBoth(verifier: MarkVerifier(served)) { verifier, backend in
            let wrong = try self.configuration(configured, "key")
                .write(for: tool, verifier: verifier, backend: backend)
            let stopped = try await tool.run(["run", pair.path, "--format", "json"] + wrong, ends: 69)
            #expect(try stopped.json().counts["prepared"] == 2)
            for word in [
                "wrong_dialect", served.rawValue, configured.rawValue, "verification.url", "verification.dialect",
            ] {
                #expect(stopped.errors.contains(word), "\(word)")
            }
            let right = try self.configuration(served, "key").write(for: tool, verifier: verifier, backend: backend)
            #expect(try await tool.run(["run", pair.path] + right).status == 0)
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    @Test(
        "A form that the service does not understand ends with 69 and names the dialect",
        arguments: [(.faceIDv1, .faceppv1), (.faceppv1, .faceIDv1), (.faceppv1, .faceIDv3)]
            as [(MarkDialect, MarkDialect)]
    )
    func misunderstood(served: MarkDialect, configured: MarkDialect) async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        try await tool.servingBoth(with: self.configuration(configured, "key"), verifier: MarkVerifier(served)) {
            wrong in
            let outcome = try await tool.run(["run", pair.path] + wrong, ends: 69)
            #expect(outcome.errors.contains("MISSING_ARGUMENTS") && outcome.errors.contains("verification.dialect"))
        }
        #expect(try tool.ledger().isEmpty)
    }
}
