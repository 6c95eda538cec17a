import Foundation
import TestSupport
import Testing

@Suite("A TOKEN that a command gives", .serialized, .timeLimit(.minutes(5)))
struct TokenTests {
    /// A script that gives `token-b` once the backend has asked for a new TOKEN, and `token-a` before.
    private func renewal(for tool: Tool) throws -> String {
        let first = try tool.secretFile("token-first", "token-a\n").path
        let second = try tool.secretFile("token-second", "token-b\n").path
        let refusals = tool.documents.appending(path: "refusals.jsonl").path
        let script = """
            #!/bin/sh
            echo canary-noise >&2
            if [ -s '\(refusals)' ]; then cat '\(second)'; else cat '\(first)'; fi
            """
        return try tool.secretFile("token.sh", script, mode: 0o700).path
    }

    @Test(
        "A TOKEN that expires is asked for again, and all is delivered under new keys within one run",
        arguments: [["layout: single"], ["layout: application"], ["layout: batch", "batch_max_cards: 2"]]
    )
    func renewed(layout: [String]) async throws {
        let tool = try Tool()
        let pairs = try tool.pairs(["R-1", "R-2"])
        let options = ["--token", "token-a", "--token", "token-b", "--expire-token-after", "1"]
        var configuration = RemoteConfiguration()
        configuration.delivery =
            ["token_command: \(try self.renewal(for: tool))", "user_no: U-1"]
            + ["retcode: {token_expired: ['100001']}"] + layout
        try await tool.servingBoth(with: configuration, backend: options) { file in
            let outcome = try await tool.run(["run", pairs.path, "--format", "json"] + file, ends: 0)
            #expect(try outcome.json().counts["delivered"] == 4)
            #expect(!outcome.errors.contains("canary"))
        }
        let ledger = try tool.ledger()
        #expect(Set(ledger.map { "\($0.businessNo) \($0.doctype)" }).count == 4 && ledger.count == 4)
        let refusals = try tool.refusals()
        #expect(!refusals.isEmpty && refusals.allSatisfy { $0.retcode == "100001" })
        #expect(Set(refusals.map(\.idempotencyKey)).isDisjoint(with: ledger.map(\.idempotencyKey)))
    }

    @Test("A command that gives no TOKEN ends with 69 and says how it failed, not what it wrote; then all goes on")
    func unavailable() async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        let text = try tool.secretFile("command.sh", "echo canary-out; echo canary-err >&2; exit 3").path
        var configuration = RemoteConfiguration()
        configuration.delivery = ["token_command: . \(text)", "user_no: U-1"]
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

    @Test(
        "An unknown TOKEN stops delivery if its code is listed, and else refuses the card in the backend's words"
    )
    func unknown() async throws {
        for isListed in [true, false] {
            let tool = try Tool()
            let pair = try tool.pairs()
            var configuration = RemoteConfiguration()
            configuration.delivery = ["token: canary-token", "user_no: U-1"]
            if isListed { configuration.delivery.append("retcode: {token_expired: ['100001', '100002']}") }
            try await tool.servingBoth(with: configuration) { file in
                let outcome = try await tool.run(["run", pair.path] + file)
                #expect(outcome.status == (isListed ? 69 : 1), "\(outcome.errors)")
                let words =
                    isListed ? ["100002", "delivery.token"] : ["100002", "TOKEN is unknown", "delivery.retcode"]
                let told = isListed ? outcome.errors : outcome.output
                for word in words { #expect(told.contains(word), "\(word)") }
                #expect(!(outcome.output + outcome.errors).contains("canary"))
            }
            #expect(try tool.ledger().isEmpty)
        }
    }
}
