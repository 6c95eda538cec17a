import ArgumentParser
import CardModel
import Foundation
import Subprocess
import Testing

@testable import CardCommand

/// Every command that a message tells people to run works in the state that shows the message.
@Suite(.timeLimit(.minutes(5))) struct PrintedCommandTests {
    /// Those that only look: in every state they answer, or say what else to do (see below).
    private static let looking: [String: [String]] = [
        "--help": ["--help"], "fsck": ["fsck"], "status": ["status"], "cards list": ["cards", "list"],
        "cards show": ["cards", "show", "CARD"], "cases list": ["cases", "list"], "review list": ["review", "list"],
        "config sample": ["config", "sample"], "tokens list": ["tokens", "list"],
        "{list}": ["tokens", "list", "--tokens-file", "/nowhere/tokens.json"],
    ]

    private struct Entry: Decodable {
        let text, one, other: String?
        let names: [String]
        let arguments: [String]?
    }

    /// The paths of all commands.
    private static func paths(_ command: CommandTree.Command, at path: [String] = []) -> Set<String> {
        (command.subcommands ?? []).reduce(into: path.isEmpty ? [] : [path.joined(separator: " ")]) {
            $0.formUnion(Self.paths($1, at: path + [$1.commandName]))
        }
    }

    /// The commands that a text names, such as `fsck --repair` and `cards resolve --as accept`.
    private static func commands(in text: String, of paths: Set<String>) -> Set<String> {
        var commands: Set<String> = text.contains("idcard-pipeline --help") ? ["--help"] : []
        let named = [
            #/idcard-pipeline ([a-z]+)( [a-z]+)?( --\w[\w-]*)?/#, #/\bcommand ([a-z]+)( [a-z]+)?( --\w[\w-]*)?/#,
        ]
        for match in named.flatMap({ text.matches(of: $0) }) {
            let longer = "\(match.1)\(match.2 ?? "")"
            let path = paths.contains(longer) ? longer : String(match.1)
            guard paths.contains(path) else { continue }
            let changes = [" --repair", " --dry-run", " --expired"]
            commands.insert(path + (match.3.map(String.init).map { changes.contains($0) ? $0 : "" } ?? ""))
        }
        // An option that overrides a refusal is given to the same command.
        if commands.isEmpty {
            commands = Set(text.matches(of: /--(?:force|yes|new-sandbox)\b/).map { String($0.output) })
        }
        let decisions = text.matches(of: /--as ([a-z]+)/).map { "cards resolve --as \($0.1)" }
        if !decisions.isEmpty { commands.remove("cards resolve") }
        return commands.union(decisions)
    }

    /// All commands in messages, each as `id of the message: command`.
    private func printed() async throws -> Set<String> {
        let listing = try await run(
            .name("python3"),
            arguments: [Project.root.appending(path: "scripts/messages").path, "list"],
            output: .data(limit: 4 << 20),
            error: .discarded
        )
        let paths = Self.paths(try CommandTree(IDCardPipelineCommand._dumpHelp()).command)
        var printed: Set<String> = []
        // What a key means tells no one to do anything.
        for (id, entry) in try JSONDecoder().decode([String: Entry].self, from: listing.standardOutput)
        where !id.hasPrefix("key.") {
            let texts = [entry.text, entry.one, entry.other].compactMap(\.self)
            var commands = texts.reduce(into: Set<String>()) { $0.formUnion(Self.commands(in: $1, of: paths)) }
            // A command that is the value of a message; one of a process is a code.
            for (name, kind) in zip(entry.names, entry.arguments ?? []) where kind != "code" {
                if ["tokenCommand", "list"].contains(name) || name == "command" { commands.insert("{\(name)}") }
            }
            printed.formUnion(commands.filter { Self.looking[$0] == nil }.map { "\(id): \($0)" })
        }
        return printed
    }

    @Test func `each command in a message has a test that runs it where the message is shown, or a reason`()
        async throws
    {
        let known = PrintedCommands.table.flatMap(\.1)
        #expect(Set(known).count == known.count)
        let printed = try await self.printed()
        #expect(printed.subtracting(known) == [], "name a test, or write it")
        #expect(Set(known).subtracting(printed) == [], "no message names it any more")
    }

    /// The words of each test, by its name.
    private static func tests() throws -> [String: String] {
        let folder = Project.root.appending(path: "Tests")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try files.reduce(into: [:]) { tests, file in
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for body in text.components(separatedBy: "func `").dropFirst() {
                tests[String(body.prefix { $0 != "`" })] = body.components(separatedBy: "@Test")[0]
            }
        }
    }

    @Test func `each named test is there, and has the last word of the command`() throws {
        let tests = try Self.tests()
        for case (.test(let name), let commands) in PrintedCommands.table {
            let body = try #require(tests[name], "\(name)")
            for command in commands {
                let word = command.split(separator: " ").last?.trimmingPrefix("--") ?? ""
                #expect(word.hasPrefix("{") || body.contains(word), "\(command): \(name)")
            }
        }
    }

    // MARK: Commands that only look

    /// What is wrong with the sandbox, its key or the tokens.
    enum State: CaseIterable {
        case sound, noSandbox, noKey, wrongKey, damaged, undone, olderBuild, invalidTokens, openTokens
    }

    private func bring(_ tool: Tool, to state: State) async throws {
        let (key, tokens) = (".config/idcard-pipeline/vault.key", ".config/idcard-pipeline/tokens.json")
        switch state {
        case .sound: break
        case .noSandbox: try FileManager.default.removeItem(at: tool.sandboxFolder)
        case .noKey: try FileManager.default.removeItem(at: tool.home.appending(path: key))
        case .wrongKey: _ = try tool.secretFile(key, Tool.randomKey())
        case .damaged: try await tool.plant("PRAGMA writable_schema = ON", "UPDATE sqlite_master SET rootpage = 9999")
        case .undone: try await tool.plant("DELETE FROM blob", "UPDATE card_key SET wrapped = x'00'")
        case .olderBuild: try await tool.plant("UPDATE store SET schema = 'older'")
        case .invalidTokens: _ = try tool.secretFile(tokens, "{}")
        case .openTokens: _ = try tool.secretFile(tokens, "[]", mode: 0o644)
        }
    }

    @Test(arguments: State.allCases)
    func `a command that only looks answers, or says what else to do`(state: State) async throws {
        let tool = try Tool()
        let card = try await tool.admitting(["R-1"])[0].rawValue
        try await self.bring(tool, to: state)
        for (name, words) in Self.looking {
            let outcome = try await tool.run(words.map { $0 == "CARD" ? card : $0 })
            if [0, 1].contains(outcome.status) { continue }
            #expect(!outcome.errors.isEmpty && ![.sound, .undone].contains(state), "\(name): \(outcome)")
            // Not the same again.
            #expect(!outcome.errors.contains("idcard-pipeline \(name)"), "\(name): \(outcome.errors)")
        }
    }
}
