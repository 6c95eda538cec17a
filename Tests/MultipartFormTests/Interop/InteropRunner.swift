import Foundation
import MultipartForm
import Subprocess
import SystemPackage
import Testing

/// Runs other people's multipart programs on a folder of cases.
struct InteropRunner {
    /// What keeps an interop test from running; never a reason to skip it.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// One form as one parser read it.
    struct Parsed: Decodable {
        struct Part: Decodable, Hashable {
            let name: String
            let filename: String?
            let type: String?
            let sha256: String
        }

        let `case`: String
        let parser: String
        let ordered: Bool
        let parts: [Part]
        let error: String?
    }

    /// The project's root, found from this file and not from the current directory.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    let folder = try? ScratchFolder()

    /// Whether a program lies in the search path.
    static func isInstalled(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    /// Writes the cases where the programs look for them.
    func write(_ cases: [InteropCase]) throws {
        guard let folder = self.folder else { throw Failure(description: "No folder for temporary files.") }
        var described: [[String: Any]] = []
        for item in cases {
            var parts: [[String: Any]] = []
            for (index, field) in item.fields.enumerated() {
                let content = "\(item.name).\(index).content"
                _ = try folder.file(content, field.data)
                parts.append([
                    "name": field.name, "filename": field.filename ?? NSNull(), "type": field.type ?? NSNull(),
                    "content": content,
                ])
            }
            described.append(["case": item.name, "boundary": item.boundary, "parts": parts])
        }
        _ = try folder.file("cases.json", JSONSerialization.data(withJSONObject: described))
    }

    /// Runs the Python programs.
    func python(_ mode: String) async throws {
        let python = Self.root.appending(path: ".venv/bin/python3").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Failure(
                description: "The Python environment .venv is missing in the project's root: run scripts/setup."
            )
        }
        try await self.run(.path(FilePath(python)), script: "multipart_interop.py", mode: mode)
    }

    /// Runs node.
    func node(_ mode: String) async throws {
        try await self.run(.name("node"), script: "multipart_interop.mjs", mode: mode)
    }

    /// The bytes another encoder wrote; `nil` when it cannot express the case.
    func encoded(_ item: InteropCase, by encoder: String) -> Data? {
        self.folder.flatMap { try? Data(contentsOf: $0.url.appending(path: "\(item.name).\(encoder).body")) }
    }

    /// The digests of the described contents, by coreutils: neither ours nor the parsers' word.
    func digests(of item: InteropCase) async throws -> [String] {
        guard let folder = self.folder else { throw Failure(description: "No folder for temporary files.") }
        let paths = item.fields.indices.map { folder.url.appending(path: "\(item.name).\($0).content").path }
        let result = try await Subprocess.run(
            .name("sha256sum"),
            arguments: Arguments(["--"] + paths),
            output: .string(limit: 65_536)
        )
        return result.standardOutput.split(separator: "\n").map { String($0.prefix(64)) }
    }

    /// What the parsers wrote.
    func parsed(_ file: String) throws -> [Parsed] {
        guard let folder = self.folder else { throw Failure(description: "No folder for temporary files.") }
        return try JSONDecoder().decode([Parsed].self, from: Data(contentsOf: folder.url.appending(path: file)))
    }

    private func run(_ executable: Executable, script: String, mode: String) async throws {
        guard let folder = self.folder else { throw Failure(description: "No folder for temporary files.") }
        let path = Self.root.appending(path: "scripts/interop/\(script)").path
        let result = try await Subprocess.run(
            executable,
            arguments: [path, mode, folder.url.path],
            output: .string(limit: 65_536),
            error: .string(limit: 262_144)
        )
        guard result.terminationStatus.isSuccess else {
            throw Failure(
                description: "\(script) \(mode) ended with \(result.terminationStatus): \(result.standardError)"
            )
        }
    }
}
