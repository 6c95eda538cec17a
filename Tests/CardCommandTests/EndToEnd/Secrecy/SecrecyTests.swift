import Foundation
import TestSupport
import Testing

/// Secrets and personal data in everything a command writes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SecrecyTests {
    private static let (number, name) = (MarkedHolder(1).number, MarkedHolder(1).name)

    /// Never to be seen; the file is named as people name them.
    private static let canaries = ["canary", number, name, "1990-03-07", MarkedHolder(1).address, "张三"]

    private static let proxy = "proxy: 'http://canary-user:canary-proxy@127.0.0.1:PORT'"

    /// A folder with one pair, whose front's file is named after its holder, and the manifest.
    private func photos(for tool: Tool) throws -> [String] {
        let photos = try tool.folder("photos", ["张三.jpg": .front(1), "back.jpg": .back(1)])
        let text = """
            path,business_no,user_no,expected_id_number,expected_name
            photos/张三.jpg,R-1,canary-account,\(Self.number),\(Self.name)
            photos/back.jpg,R-1,canary-account,,
            """
        return [photos.path, "--manifest", try tool.secretFile("manifest.csv", text).path]
    }

    private func expectSecrecy(_ outcome: Tool.Outcome, of command: [String], namesSources: Bool = false) {
        for canary in Self.canaries {
            #expect(!outcome.errors.contains(canary), "\(canary) on standard error of \(command)")
            // The path of an input is what the report is about.
            if namesSources, canary == "张三" { continue }
            #expect(!outcome.output.contains(canary), "\(canary) on standard output of \(command)")
        }
    }

    /// Runs everything that looks at a sandbox, and expects none of it to give anything away.
    private func look(_ tool: Tool, _ file: [String]) async throws {
        let looks = [
            ["config", "show"], ["config", "show", "--format", "json"], ["config", "check"],
            ["config", "check", "--format", "json"], ["status"], ["status", "--format", "json"], ["cards", "list"],
            ["cards", "list", "--format", "json"],
        ]
        for look in looks {
            let outcome = try await tool.run(look + file, ends: 0)
            self.expectSecrecy(outcome, of: look)
        }
        let ids = try await tool.run(["cards", "list", "--quiet"] + file).lines
        #expect(ids.count == 2)
        for id in ids {
            for format in ["text", "json"] {
                let show = ["cards", "show", id, "--format", format]
                self.expectSecrecy(try await tool.run(show + file), of: show)
            }
        }
    }

    // By `openssl enc -des-ede3-cbc`, of {"RETCODE":"000000","RETMSG":"success"}.
    private static let success = #""TqI4htTGGVQH8hchYMReBTLOLVOVMqtavs/XUd+2sf9chjdrT/tPGg==""#
    // Of {"RETCODE":"100002","RETMSG":"TOKEN is unknown"}.
    private static let unknown = #""TqI4htTGGVQ6rdhTE39rbhC1B9mBiOE7mv6C0xEESkX3blB6YqvONe9/vqptslPZ5YWuwXix8H4=""#

    /// Serves both endpoints, with secrets of their own in a configuration with further keys of `delivery`.
    ///
    /// - Returns: the number of documents with the right TOKEN.
    private func serving(
        _ tool: Tool,
        _ more: [String],
        _ body: (_ file: [String]) async throws -> Void
    ) async throws -> Int {
        let key = try tool.secretFile("reply-key", "canary-key-of-24-bytes-x").path
        let configuration = RemoteConfiguration(
            verification: ["auth: sign", "api_key: canary-key", "api_secret: canary-secret"],
            delivery: ["user_no: canary-account", "reply: {encryption: 3des-cbc, key_file: \(key)}"],
            more: more,
            others: ["log: {level: trace}"]
        )
        let verifier = MarkVerifier(key: "canary-key", secret: "canary-secret")
        let backend = ScriptedBackend { form in
            guard let token = form["TOKEN"] else { return FaultReply("405 Method Not Allowed") }
            return .json(token == "canary-token" ? Self.success : Self.unknown)
        }
        try await tool.serving(verifier, backend, configuration, body)
        return backend.requests.count { PostedForm($0)["TOKEN"] == "canary-token" }
    }

    @Test(arguments: ["token: canary-token", "token_command: echo canary-token"])
    func `a run that delivers gives nothing away, at the finest log; only --reveal does`(token: String) async throws {
        let tool = try Tool()
        let arguments = try self.photos(for: tool)
        let count = try await self.serving(tool, [token]) { file in
            for (format, isFirst) in [("jsonl", true), ("json", false), ("text", false)] {
                let command = ["run"] + arguments + ["--format", format]
                let outcome = try await tool.run(command + file, ends: 0)
                #expect(!isFirst || outcome.errors.contains(" debug "), "nothing was logged")
                self.expectSecrecy(outcome, of: command, namesSources: true)
            }
            try await self.look(tool, file)
            var revealed = ""
            for id in try await tool.run(["cards", "list", "--quiet"] + file).lines {
                revealed += try await tool.run(["cards", "show", id, "--reveal"] + file).output
            }
            #expect(revealed.contains(Self.number) && revealed.contains(Self.name))
        }
        #expect(count == 2)
    }

    @Test(arguments: [
        (["token: canary-wrong"], Int32(1), "TOKEN is unknown"),
        (["token: canary-wrong", "retcode: {token_expired: ['100002']}"], 69, "delivery.token"),
        (["token: canary-token", proxy], 75, "proxy_refused"),
        (["token_command: echo canary-out; echo canary-err >&2; false"], 69, "token_unavailable"),
    ])
    func `a failing run says why and gives nothing away`(lines: [String], status: Int32, words: String) async throws {
        let tool = try Tool()
        let arguments = try self.photos(for: tool)
        // A proxy there is none: the backend's own port answers such requests with an error.
        let count = try await self.serving(tool, lines) { file in
            let command = ["run"] + arguments
            let outcome = try await tool.run(command + file, ["IDCARD_RUN_PATIENCE": "4s"], ends: status)
            #expect((outcome.output + outcome.errors).contains(words), "\(outcome.output) \(outcome.errors)")
            self.expectSecrecy(outcome, of: command, namesSources: true)
            try await self.look(tool, file)
        }
        #expect(count == 0)
    }
}
