package import Foundation

/// A copy of `fixtures/sandbox`: a sandbox that an earlier build filled (scripts/make-sandbox), with its key and what is in it.
package final class FixtureSandbox: Sendable {
    package let folder: String
    /// The text of its key.
    package let key: String
    /// What `expected.json` says.
    package let expected: Data

    package init() throws {
        let root = (1...3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let fixture = root.appending(path: "fixtures/sandbox")
        let lines = try String(contentsOf: fixture.appending(path: "vault.key"), encoding: .utf8).split(separator: "\n")
        self.key = String(lines.first { !$0.hasPrefix("#") } ?? "")
        self.expected = try Data(contentsOf: fixture.appending(path: "expected.json"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "fixture-\(UUID().uuidString)")
        let workers = folder.appending(path: "workers")
        try FileManager.default.createDirectory(at: workers, withIntermediateDirectories: true)
        for file in ["sandbox.sqlite3", "erasures.jsonl"] {
            try FileManager.default.copyItem(at: fixture.appending(path: file), to: folder.appending(path: file))
        }
        self.folder = folder.path
    }

    /// A photo of `fixtures/cards`.
    package static func photo(_ path: String) throws -> Data {
        let root = (1...3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return try Data(contentsOf: root.appending(path: "fixtures/\(path)"))
    }

    deinit { try? FileManager.default.removeItem(atPath: self.folder) }
}
