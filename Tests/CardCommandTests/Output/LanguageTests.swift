import ArgumentParser
import CardModel
import Foundation
import Subprocess
import TestSupport
import Testing

@testable import CardCommand

/// Other languages than English: that they are whole, and who gets which.
@Suite struct LanguageTests {
    private static let chinese = Language(rawValue: "zh")!

    private struct Entry: Decodable {
        let text: String?
        let other: String?

        var english: String { self.text ?? self.other ?? "" }
    }

    private static func arguments(of template: String) -> Set<String> {
        Set(template.replacing("{{", with: "").matches(of: /\{(\d+)\}/).map { String($0.1) })
    }

    @Test func `every text is there in every language, with the same values`() async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../scripts/messages").standardized.path
        let listing = try await run(
            .name("python3"),
            arguments: [script, "list"],
            output: .data(limit: 4 << 20),
            error: .discarded
        )
        let entries = try JSONDecoder().decode([String: Entry].self, from: listing.standardOutput)
        #expect(entries.count > 1_000)
        #expect(Language.allCases.count > 1)
        #expect(Set(Language.allCases.map(\.rawValue)).count == Language.allCases.count, "words of languages")
        for language in Language.allCases.dropFirst() {
            for (id, entry) in entries {
                let text = language.catalogue.text(of: id)
                let values = text.map(Self.arguments(of:))
                #expect(values == Self.arguments(of: entry.english), "\(id): \(entry.english) -> \(text ?? "none")")
            }
            let stale = language.catalogue.texts.keys.filter { id in
                entries[id] == nil && id.prefixMatch(of: /help\.|unit\.|errno\.|list\./) == nil
            }
            #expect(stale.isEmpty)
        }
    }

    /// Every command with its path.
    private static func commands(
        _ command: CommandTree.Command,
        at path: [String] = []
    ) -> [(CommandTree.Command, [String])] {
        [(command, path)] + (command.subcommands ?? []).flatMap { Self.commands($0, at: path + [$0.commandName]) }
    }

    @Test func `every help is Chinese, in lines of 80 columns`() throws {
        let tree = try CommandTree(IDCardPipelineCommand._dumpHelp())
        let help = TranslatedHelp(tree: tree, catalogue: Self.chinese.catalogue)
        for (command, path) in Self.commands(tree.command) {
            let usage = "USAGE: idcard-pipeline \(path.joined(separator: " ")) [--quiet]\n"
            let text = help.help(from: usage)
            let english =
                [command.abstract, command.discussion]
                + (command.arguments ?? []).filter(\.shouldDisplay).flatMap { [$0.abstract, $0.discussion] }
            for sentence in english.compactMap(\.self) where sentence.contains(" ") {
                #expect(!text.contains(sentence.prefix(20)), "\(path): \(sentence)")
            }
            for line in text.split(separator: "\n") where !line.hasPrefix("用法") && !line.contains("idcard-pipeline") {
                #expect(String(line).columns <= 80, "\(path): \(line)")
            }
        }
    }

    @Test(arguments: [
        (["cards", "lst"], "错误：多余的参数 lst\n用法：idcard-pipeline cards <subcommand>\n  更多说明：idcard-pipeline cards --help"),
        (["run", "--forma", "x"], "错误：未知选项 --forma；是否要用 --format？"),
        (["run", "--wholly-unknown"], "错误：未知选项 --wholly-unknown"),
        (["run", "a", "--config"], "错误：--config <file> 缺少值\n说明：--config <file>  配置文件。"),
        (["run", "--format", "x", "a"], "错误：值 x 不能用于 --format <format>；从 text、json、jsonl 中选一个"),
        (["cards", "show"], "错误：缺少参数 <card-id>"),
        (["status", "a", "b"], "错误：多余的参数 a b"),
    ])
    func `the errors of the parser that people meet are Chinese`(arguments: [String], start: String) throws {
        let tree = try CommandTree(IDCardPipelineCommand._dumpHelp())
        let error = try #require(throws: (any Error).self) { try IDCardPipelineCommand.parseAsRoot(arguments) }
        let english = IDCardPipelineCommand.fullMessage(for: error)
        let text = TranslatedHelp(tree: tree, catalogue: Self.chinese.catalogue).error(from: english)
        #expect(text.hasPrefix(start), "\(text)")
        #expect(!text.contains("Usage") && !text.contains("Error"))
    }

    @Test(arguments: [
        (["LANG": "zh_CN.UTF-8"], Self.chinese), (["LANG": "zh_CN.utf8"], Self.chinese), (["LANG": "zh"], Self.chinese),
        (["LANG": "zh_CN.GB18030"], .english), (["LANG": "en_US.UTF-8"], .english), ([:], .english),
        (["LC_ALL": "C", "LANG": "zh_CN.UTF-8"], .english), (["LC_ALL": "", "LANG": "zh_CN.UTF-8"], Self.chinese),
        (["LC_MESSAGES": "zh_CN.UTF-8", "LANG": "C"], Self.chinese), (["LANG": "zhong"], .english),
    ])
    func `a locale tells the language`(environment: [String: String], language: Language) {
        #expect(Language(environment: environment) == language)
    }

    @Test func `--lang is taken out of the arguments wherever it stands, but not behind --`() {
        var arguments = ["run", "--lang", "zh", "a"]
        #expect(Language.removeOption(from: &arguments) == .some("zh") && arguments == ["run", "a"])
        arguments = ["--lang=en", "status"]
        #expect(Language.removeOption(from: &arguments) == .some("en") && arguments == ["status"])
        arguments = ["status", "--lang"]
        #expect(Language.removeOption(from: &arguments) == .some(nil) && arguments == ["status"])
        arguments = ["run", "--", "--lang"]
        #expect(Language.removeOption(from: &arguments) == nil && arguments == ["run", "--", "--lang"])
    }
}
