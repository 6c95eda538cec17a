import Foundation
import IDCardApp
import Testing

@Suite("Written forms of the table of keys")
struct ConfigurationDocumentTests {
    private static let sample = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("config/idcard-pipeline.yaml")

    @Test("The sample file is what the table renders; UPDATE_DOCUMENTS=1 writes it anew")
    func sampleIsCurrent() throws {
        if ProcessInfo.processInfo.environment["UPDATE_DOCUMENTS"] == "1" {
            try Data(ConfigurationDocument.yaml().utf8).write(to: Self.sample)
        }
        let text = try String(contentsOf: Self.sample, encoding: .utf8)
        #expect(text == ConfigurationDocument.yaml())
    }

    @Test("The README holds the table of keys between its markers; UPDATE_DOCUMENTS=1 writes it anew")
    func readmeIsCurrent() throws {
        let url = Self.sample.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "README.md"
        )
        let text = try String(contentsOf: url, encoding: .utf8)
        let begin = try #require(text.range(of: ConfigurationDocument.beginMarker)).lowerBound
        let end = try #require(text.range(of: ConfigurationDocument.endMarker + "\n")).upperBound
        if ProcessInfo.processInfo.environment["UPDATE_DOCUMENTS"] == "1" {
            let current = text.replacingCharacters(in: begin..<end, with: ConfigurationDocument.markdown())
            return try Data(current.utf8).write(to: url)
        }
        #expect(text[begin..<end] == ConfigurationDocument.markdown())
    }

    @Test("The sample file loads clean and sets nothing")
    func sampleSetsNothing() throws {
        let configuration = try ConfigurationFolder().load(yaml: try String(contentsOf: Self.sample, encoding: .utf8))
        #expect(configuration.entries.allSatisfy { $0.source == .builtIn })
    }

    @Test("The sample file without its first comment signs sets every default, and only to itself")
    func uncommented() throws {
        let text = try String(contentsOf: Self.sample, encoding: .utf8)
        let body = text.split(separator: "\n\n", omittingEmptySubsequences: true).dropFirst().joined(separator: "\n\n")
        let lines = body.split(separator: "\n").map { line in
            #expect(line.hasPrefix("# "))
            return line.dropFirst(2)
        }
        let folder = try ConfigurationFolder()
        let configuration = try folder.load(yaml: lines.joined(separator: "\n") + "\n")
        let defaults = try folder.load()
        #expect(configuration.notices == defaults.notices)
        for (entry, builtIn) in zip(configuration.entries, defaults.entries) {
            #expect(entry.value == builtIn.value, "\(entry.key.path)")
            let isWritten = if case .value = entry.key.fallback { true } else { false }
            #expect(entry.source == (isWritten ? .file : .builtIn), "\(entry.key.path)")
        }
    }

    @Test("The sample file explains every key once")
    func everyKeyOnce() throws {
        let text = try String(contentsOf: Self.sample, encoding: .utf8)
        for key in ConfigurationKey.all {
            #expect(text.components(separatedBy: "# \(key.summary) [").count == 2, "\(key.path)")
        }
    }

    @Test("The README table has one row per key between its markers, with four cells")
    func markdown() {
        let lines = ConfigurationDocument.markdown().split(separator: "\n").map(String.init)
        #expect(lines.first == "<!-- configuration:begin -->")
        #expect(lines.last == "<!-- configuration:end -->")
        let rows = lines.dropFirst(3).dropLast()
        #expect(rows.count == ConfigurationKey.all.count)
        for (row, key) in zip(rows, ConfigurationKey.all) {
            #expect(row.hasPrefix("| `\(key.path)` | "))
            #expect(row.split(separator: "|").count == 4, "\(key.path)")
        }
        #expect(rows.contains { $0.contains("| `aes-256-gcm`, `none` | `aes-256-gcm` |") })
        #expect(rows.contains { $0.contains("| `faceid-v1`, `facepp-v1`, `faceid-v3` | `faceid-v1` |") })
    }
}
