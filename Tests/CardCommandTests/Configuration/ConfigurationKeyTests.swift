import CardEngine
import CardModel
import CardRemote
import Foundation
import Testing

@testable import CardCommand

@Suite struct ConfigurationKeyTests {
    @Test func `Every key is declared once, with a meaning and a row in the reference`() {
        let names = ConfigurationKey.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(ConfigurationKey.all.map(\.variable)).count == names.count)
        #expect(ConfigurationKey.all.allSatisfy { $0.meaning.english.hasSuffix(".") && $0.meaning.english.count > 10 })
        #expect(VerdictRule.allCases.allSatisfy { names.contains("verdict.severity.\($0.rawValue)") })
        let page = ConfigurationReference.page()
        for name in names { #expect(page.contains("| `\(name)` | ")) }
    }

    @Test func `The sample has fewer than 150 lines, and what it shows as defaults loads as the defaults`() throws {
        let sample = ConfigurationReference.sample()
        let lines = sample.split(separator: "\n").map(String.init)
        #expect(lines.count < 150)
        let known = Set(ConfigurationKey.all.map(\.name))
        let settings = lines.compactMap { line -> String? in
            guard let name = line.dropFirst(2).split(separator: ":").first, known.contains(String(name)),
                !line.contains(":  #")
            else { return nil }
            return String(line.dropFirst(2))
        }
        #expect(settings.count > 60)
        let home = try ScratchHome()
        let loaded = try home.load(settings.joined(separator: "\n") + "\n")
        let standard = try home.load().configuration
        for key in ConfigurationKey.all { #expect(key.show(loaded.configuration) == key.show(standard), "\(key.name)") }
        #expect(loaded.sources.count == settings.count)
    }

    /// So a key that comes or goes changes a file that people read.
    @Test(arguments: [
        ("config sample", "config/idcard-pipeline.yaml"),
        ("config reference", "Sources/CardCommand/CardCommand.docc/Configuration.md"),
        ("cards reasons --format markdown", "Sources/CardCommand/CardCommand.docc/Reasons.md"),
    ])
    func `What lies in the project is what the command prints`(_ command: String, _ file: String) async throws {
        let outcome = try await Tool(withKey: false).run(command.split(separator: " ").map(String.init))
        #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome.errors)")
        let text = try String(contentsOf: Project.root.appending(path: file), encoding: .utf8)
        #expect(text == outcome.output, "run: idcard-pipeline \(command) > \(file)")
    }

    @Test func `The defaults load, in the folders of the user`() throws {
        let home = try ScratchHome()
        let configuration = try home.load().configuration
        #expect(configuration.sandboxPath == home.path + "/.local/share/idcard-pipeline/sandbox")
        #expect(configuration.vault.keyFile == home.path + "/.config/idcard-pipeline/vault.key")
        #expect(configuration.verification == nil && configuration.delivery == nil)
        #expect(configuration.engine.retry == RetryPolicy())
        let embedded = try home.load(embedded: true).configuration
        #expect(embedded.sandboxPath == home.path + "/.local/share/idcard-pipeline/embedded")
        #expect(embedded.vault.keyFile == home.path + "/.config/idcard-pipeline/embedded.key")
    }
}
