import Foundation
import TestSupport
import Testing

/// Dialects of the verification service, by configuration alone.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DialectTests {
    private func configuration(_ dialect: MarkDialect, _ proof: String = "key") -> RemoteConfiguration {
        let account = ["api_key: the-key", "api_secret: the-secret"]
        return RemoteConfiguration(verification: ["dialect: \(dialect.rawValue)", "auth: \(proof)"] + account)
    }

    @Test(
        "A wrong secret ends with 69 and names the keys to check; with the right one the pair is delivered",
        arguments: [(.faceIDv1, "key"), (.faceppv1, "sign"), (.faceIDv3, "sign")] as [(MarkDialect, String)]
    )
    func secret(dialect: MarkDialect, proof: String) async throws {
        let tool = try Tool()
        let command = ["run", try tool.pairs().path, "--format", "json"]
        try await tool.servingBoth(with: self.configuration(dialect, proof), verifier: MarkVerifier(dialect)) { file in
            let wrong = ["IDCARD_VERIFICATION_API_SECRET": "canary-secret"]
            let stopped = try await tool.run(command + file, wrong, ends: 69)
            #expect(try stopped.json().counts["prepared"] == 2)
            for word in ["AUTHENTICATION_ERROR", "verification.api_key", "verification.api_secret"] {
                #expect(stopped.errors.contains(word), "\(word)")
            }
            #expect(!stopped.errors.contains("canary"))
            for format in ["text", "json"] {
                let status = try await tool.run(["status", "--format", format] + file).output
                #expect(status.contains("stopped") && status.contains("AUTHENTICATION_ERROR"), "\(status)")
            }
            try await tool.run(command + file, ends: 0)
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect(try tool.refusals().isEmpty)
    }

    @Test(
        "A service that speaks another dialect ends with 69 and names it; no card is lost",
        arguments: [
            (.faceIDv1, .faceIDv3, ["wrong_dialect", "faceid-v1", "faceid-v3", "verification.url"]),
            (.faceIDv3, .faceIDv1, ["wrong_dialect", "faceid-v1", "faceid-v3", "verification.url"]),
            (.faceppv1, .faceIDv1, ["MISSING_ARGUMENTS"]),
        ] as [(MarkDialect, MarkDialect, [String])]
    )
    func otherDialect(served: MarkDialect, configured: MarkDialect, words: [String]) async throws {
        let tool = try Tool()
        let command = ["run", try tool.pairs().path, "--format", "json"]
        try await tool.servingBoth(with: self.configuration(configured), verifier: MarkVerifier(served)) { file in
            let stopped = try await tool.run(command + file, ends: 69)
            #expect(try stopped.json().counts["prepared"] == 2)
            for word in words + ["verification.dialect"] { #expect(stopped.errors.contains(word), "\(word)") }
        }
        #expect(try tool.ledger().isEmpty)
    }
}
