import ArgumentParser
import CardModel
import CardStore
import Foundation
import Glibc
import Subprocess
import Testing

@testable import CardCommand

/// A command needs the key of the sandbox, and of the other secrets only those that it uses.
@Suite(.timeLimit(.minutes(5))) struct NeededSecretsTests {
    /// Those that use the other secrets, and those that need no sandbox.
    private static let others: Set = [
        "run", "watch", "serve", "config check", "config sample", "config reference", "cards reasons", "verifier",
        "backend",
    ]

    private let tool: Tool

    init() throws { self.tool = try Tool() }

    /// A configuration in which every secret but the key is in a file that is not there.
    private func configuration(_ more: String = "") throws -> [String] {
        let gone = self.tool.home.appending(path: "gone").path
        let text = """
            verification:
              {url: 'https://v.example/', api_key: a, api_secret: b}
            verification.tls: {ca_file: \(gone)/ca, client_certificate: \(gone)/cert, client_key: \(gone)/key}
            delivery: {url: 'https://b.example/', token_file: \(gone)/token, user_no: U-1}
            delivery.tls: {ca_file: \(gone)/ca, client_certificate: \(gone)/cert, client_key: \(gone)/key}
            delivery.reply: {encryption: 3des-cbc, key_file: \(gone)/reply}
            server.tls: {certificate: \(gone)/cert, key: \(gone)/key}
            server.tokens_file: \(self.tool.home.path)/tokens.json
            webhooks.secrets_file: \(gone)/webhooks
            fetch.tls.ca_file: \(gone)/ca
            \(more)
            """
        return ["--config", try self.tool.secretFile("c.yaml", text + "\n").path]
    }

    /// The names of all commands that do something.
    private static func leaves(_ command: CommandTree.Command, below path: [String] = []) -> Set<String> {
        let children = (command.subcommands ?? []).filter { $0.commandName != "help" }
        guard !children.isEmpty else { return [path.joined(separator: " ")] }
        return children.reduce(into: []) { $0.formUnion(Self.leaves($1, below: path + [$1.commandName])) }
    }

    @Test func `every command works while each secret that it does not use is missing`() async throws {
        let ids = try await self.tool.admitting((1...6).map { "R-\($0)" }).map(\.rawValue)
        let file = try self.configuration("review.four_eyes: []")
        let (backup, key) = (self.tool.home.appending(path: "b").path, self.tool.home.appending(path: "k").path)
        let commands: [[String]] = [
            ["review", "list"], ["review", "drop", "accept"], ["review", "keep", "accept"],
            ["status"], ["status", "--check"], ["resume", "backend"], ["fsck"], ["backup", backup], ["config", "show"],
            ["keys", "init", "--key-file", key], ["cases", "list"], ["cases", "show", "R-1"],
            ["cases", "retry", "R-1"], ["cases", "resolve", "R-1", "--reason", "x", "--as", "seen"], ["cards", "list"],
            ["cards", "show", ids[0]], ["cards", "retry", ids[0]], ["cards", "resolve", ids[1], "--as", "reject"],
            ["cards", "export", ids[2], "--output", self.tool.home.appending(path: "out").path], ["cards", "log"],
            ["cards", "erase", ids[3], "--yes"], ["keys", "rotate"], ["restore", backup, "--force"],
            ["tokens", "add", "desk", "--scope", "read"], ["tokens", "list"], ["tokens", "revoke", "desk"],
        ]
        let tree = try CommandTree(IDCardPipelineCommand._dumpHelp())
        let named = commands.map { $0.prefix(Self.leaves(tree.command).contains($0[0]) ? 1 : 2).joined(separator: " ") }
        #expect(Set(named) == Self.leaves(tree.command).subtracting(Self.others))
        for command in commands {
            let outcome = try await self.tool.run(command + file)
            #expect([0, 1].contains(outcome.status), "\(command): \(outcome.status) \(outcome.errors)")
            #expect(!outcome.errors.contains("/gone"), "\(command): \(outcome.errors)")
        }
        for command in [["run"], ["watch", self.tool.home.path], ["serve"], ["config", "check"]] {
            let outcome = try await self.tool.run(command + file, ends: 78)
            let said = outcome.errors + outcome.output
            #expect(["/gone/token", "/gone/webhooks", "/gone/reply"].allSatisfy(said.contains), "\(command): \(said)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "mounts"))
    func `on a second machine root restores into nothing, and the service works`() async throws {
        let machine = try EmptyMachine(self.tool)
        try await self.tool.admitting(["R-1"])
        let backup = self.tool.home.appending(path: "backup").path
        try await self.tool.run(["backup", backup], ends: 0)
        try #require(chmod(backup, 0o600) == 0 && chown(backup, 0, 0) == 0)
        try machine.install(key: self.tool.home.appending(path: ".config/idcard-pipeline/vault.key"))
        for command in [["restore", backup], ["status"], ["fsck"], ["tokens", "add", "desk", "--scope", "read"]] {
            let outcome = try await self.tool.run(command, wrapper: machine.wrapper, ends: 0)
            #expect(!outcome.errors.contains("chown"), "\(outcome.errors)")
        }
        for path in try machine.stateFiles() {
            let owner = try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? Int
            #expect(owner == 65534, "\(path)")
        }
        try machine.giveSecrets()
        let status = try await self.tool.running(
            ["serve", "--config", "/etc/idcard-pipeline/credential.yaml"],
            wrapper: machine.wrapper + EmptyMachine.asService
        ) { lines, send in
            #expect(try await lines.line(containing: "listening on ") != nil, "\(lines.seen)")
            try send(.terminate)
        }
        #expect(status == 143)
        let list = try await self.tool.run(["cards", "list"], wrapper: machine.wrapper, ends: 0)
        #expect(list.output.contains("restored"), "\(list.output)")
    }
}

/// A machine with nothing of this program in `/etc` and `/var/lib`, to commands that a wrapper starts; the service's user is
/// `nobody`.
private struct EmptyMachine {
    static let asService = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    private let etc: URL
    private let state: URL
    let wrapper: [String]

    init(_ tool: Tool) throws {
        let (etc, state) = (tool.home.appending(path: "etc"), tool.home.appending(path: "lib"))
        try FileManager.default.createDirectory(at: etc, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        for name in ["passwd", "group", "nsswitch.conf", "hosts", "resolv.conf", "ssl", "ld.so.cache", "ld.so.conf"] {
            try? FileManager.default.copyItem(atPath: "/etc/" + name, toPath: etc.appending(path: name).path)
        }
        let script = "mount --bind '\(etc.path)' /etc && mount --bind '\(state.path)' /var/lib && exec \"$@\""
        self.wrapper = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
        (self.etc, self.state) = (etc, state)
    }

    private func own(_ path: String, mode: mode_t) throws {
        try #require(chown(path, 65534, 65534) == 0 && chmod(path, mode) == 0)
    }

    /// Does what the head of the unit says, up to the start of the service.
    func install(key: URL) throws {
        let folder = self.etc.appending(path: "idcard-pipeline")
        for path in [folder, folder.appending(path: "keys"), self.state.appending(path: "idcard-pipeline")] {
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        }
        try self.own(folder.appending(path: "keys").path, mode: 0o700)
        try self.own(self.state.appending(path: "idcard-pipeline").path, mode: 0o700)
        let copy = folder.appending(path: "keys/vault.key")
        try FileManager.default.copyItem(at: key, to: copy)
        try self.own(copy.path, mode: 0o600)
        let text = """
            sandbox.path: /var/lib/idcard-pipeline/sandbox
            vault.key_file: /etc/idcard-pipeline/keys/vault.key
            server: {tokens_file: /var/lib/idcard-pipeline/tokens.json, listen: '127.0.0.1:0'}
            webhooks.secrets_file: /etc/idcard-pipeline/webhooks.secrets
            verification: {url: 'http://127.0.0.1:9/', api_key: a, api_secret: b}
            delivery: {url: 'http://127.0.0.1:9/', token_file: /etc/idcard-pipeline/keys/token, user_no: U-1}
            """
        let file = folder.appending(path: "idcard-pipeline.yaml")
        try Data(text.utf8).write(to: file)
        try #require(chmod(file.path, 0o600) == 0)
    }

    /// What the service manager gives the service.
    func giveSecrets() throws {
        let folder = self.etc.appending(path: "idcard-pipeline")
        let secret = Data(repeating: 1, count: 32).base64EncodedString()
        for (name, text) in [("keys/token", "t"), ("webhooks.secrets", "acme=whsec_\(secret)")] {
            let path = folder.appending(path: name)
            try Data(text.utf8).write(to: path)
            try self.own(path.path, mode: 0o600)
        }
        let credential = folder.appending(path: "credential.yaml")
        try FileManager.default.copyItem(at: folder.appending(path: "idcard-pipeline.yaml"), to: credential)
        try self.own(credential.path, mode: 0o400)
    }

    /// The folder of the sandbox and all that is in it.
    func stateFiles() throws -> [String] {
        let sandbox = self.state.appending(path: "idcard-pipeline/sandbox").path
        return [sandbox] + (try FileManager.default.subpathsOfDirectory(atPath: sandbox)).map { "\(sandbox)/\($0)" }
    }
}
