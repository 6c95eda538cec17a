import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct TokenTests {
    @Test func `an expired TOKEN is asked for again, and one run delivers everything under new keys`() async throws {
        let tool = try Tool()
        let pairs = try tool.pairs(["R-1", "R-2"])
        // Gives the second one once the backend has asked for a new TOKEN.
        let refusals = tool.documents.appending(path: "refusals.jsonl").path
        let script = """
            #!/bin/sh
            echo canary-noise >&2
            if [ -s '\(refusals)' ]; then echo token-b; else echo token-a; fi
            """
        let command = try tool.secretFile("token.sh", script, mode: 0o700).path
        let configuration = RemoteConfiguration(
            delivery: ["token_command: \(command)", "user_no: U-1", "retcode: {token_expired: ['100001']}"],
            more: ["layout: batch", "batch_max_cards: 2"]
        )
        let options = ["--token", "token-a", "--token", "token-b", "--expire-token-after", "1"]
        try await tool.servingBoth(with: configuration, backend: options) { file in
            let outcome = try await tool.run(["run", pairs.path, "--format", "json"] + file, ends: 0)
            #expect(try outcome.json().counts["delivered"] == 4)
            #expect(!outcome.errors.contains("canary"))
        }
        let ledger = try tool.ledger()
        #expect(Set(ledger.map { "\($0.businessNo) \($0.doctype)" }).count == 4 && ledger.count == 4)
        let refused = try tool.refusals()
        #expect(!refused.isEmpty && refused.allSatisfy { $0.retcode == "100001" })
        #expect(Set(refused.map(\.idempotencyKey)).isDisjoint(with: ledger.map(\.idempotencyKey)))
    }

    @Test func `a command without a TOKEN ends with 69, telling how, not its output; then all goes on`() async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        let text = try tool.secretFile("command.sh", "echo canary-out; echo canary-err >&2; exit 3").path
        let configuration = RemoteConfiguration(delivery: ["token_command: . \(text)", "user_no: U-1"])
        try await tool.servingBoth(with: configuration) { file in
            let outcome = try await tool.run(["run", pair.path] + file, ends: 69)
            for words in ["token_unavailable", "delivery.token_command", "exit status 3"] {
                #expect(outcome.errors.contains(words), "\(words)")
            }
            let status = try await tool.run(["status"] + file)
            #expect(status.output.contains("stopped since"))
            let all = outcome.output + outcome.errors + status.output + status.errors
            #expect(!all.contains("canary"))
            _ = try tool.secretFile("command.sh", "echo token-a")
            try await tool.run(["run", pair.path] + file, ends: 0)
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect(try tool.refusals().isEmpty)
    }
}
