import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The built command in a home of its own.
final class Tool: Sendable {
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String

        /// Standard output as the report of a run.
        func json() throws -> Report { try self.decoded() }

        /// Standard output as one JSON value, with keys in camel case.
        func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try Tool.decoder.decode(type, from: Data(self.output.utf8))
        }

        var lines: [String] { self.output.split(separator: "\n").map(String.init) }
    }

    /// The object that `run --format json` prints.
    struct Report: Decodable {
        struct Card: Decodable {
            var cardId: String?
            var source: String
            var businessNo: String?
            var side: String?
            var state: String
            var reason: String?
            var message: String?
            var duplicateOf: String?
        }

        var runId: String
        var counts: [String: Int]
        var cards: [Card]
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    /// The home folder; everything the command writes lies below.
    let home: URL

    /// Makes the home, and in it, where it is looked for, a key for sandboxes of real endpoints.
    init(withKey: Bool = true) throws {
        self.home = URL(filePath: NSTemporaryDirectory()).appending(path: "idcard-e2e-\(UUID().uuidString)")
        let folder = self.home.appending(path: ".config/idcard-pipeline")
        try FileManager.default.createDirectory(at: withKey ? folder : self.home, withIntermediateDirectories: true)
        if withKey { _ = try self.secretFile(".config/idcard-pipeline/vault.key", Self.randomKey()) }
    }

    /// A new key as it stands in a key file.
    static func randomKey() -> String {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    deinit {
        // What cannot be removed is left to the system's own clean-up.
        try? FileManager.default.removeItem(at: self.home)
    }

    /// Makes a folder below the home with copies of fixtures: `[target path: fixture path]`.
    func folder(_ name: String, _ files: [String: String]) throws -> URL {
        try self.folder(name, files.mapValues { try Data(contentsOf: Project.fixtures.appending(path: $0)) })
    }

    /// Makes a folder below the home with marked photos, `[target path: photo]`, or an empty one.
    func folder(_ name: String, _ photos: [String: MarkedPhoto] = [:]) throws -> URL {
        try self.folder(name, photos.mapValues(\.jpeg))
    }

    private func folder(_ name: String, _ contents: [String: Data]) throws -> URL {
        let folder = self.home.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (target, content) in contents {
            let url = folder.appending(path: target)
            let parent = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try content.write(to: url)
        }
        return folder
    }

    /// Runs the command to its end, and expects an exit status if one is given.
    @discardableResult
    func run(
        _ arguments: [String],
        _ variables: [String: String] = [:],
        wrapper: [String] = [],
        ends expected: Int32? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let words = wrapper + [Project.binary.path] + arguments
        let result = try await Subprocess.run(
            .path(FilePath(words[0])),
            arguments: Arguments(Array(words.dropFirst())),
            environment: self.environment(variables),
            workingDirectory: FilePath(Project.root.path),
            output: .string(limit: 4 << 20),
            error: .string(limit: 4 << 20)
        )
        let status = Self.status(result.terminationStatus)
        let outcome = Outcome(status: status, output: result.standardOutput, errors: result.standardError)
        let said = Comment("\(arguments): \(outcome.output) \(outcome.errors)")
        if let expected { #expect(status == expected, said, sourceLocation: sourceLocation) }
        return outcome
    }

    /// Runs the command and sends it a signal at the n-th line of its log.
    ///
    /// - Returns: its exit status, or 128 and the signal that ended it.
    func run(_ arguments: [String], sending signal: Signal, atLogLine line: Int) async throws -> Int32 {
        try await self.running(arguments, ["IDCARD_LOG_LEVEL": "debug"]) { errors, send in
            for _ in 1...line {
                guard try await errors.line(containing: " debug ") != nil else { return }
            }
            try send(signal)
        }
    }

    /// Runs the command while a function looks at what it says on standard error and sends it signals.
    ///
    /// - Returns: its exit status, or 128 and the signal that ended it.
    func running(
        _ arguments: [String],
        _ variables: [String: String] = [:],
        wrapper: [String] = [],
        _ body: (_ errors: ErrorLines, _ send: @escaping (Signal) throws -> Void) async throws -> Void
    ) async throws -> Int32 {
        let words = wrapper + [Project.binary.path] + arguments
        let result = try await Subprocess.run(
            .path(FilePath(words[0])),
            arguments: Arguments(Array(words.dropFirst())),
            environment: self.environment(variables),
            input: .none,
            output: .discarded,
            error: .sequence
        ) { execution in
            let lines = ErrorLines(execution.standardError.strings().makeAsyncIterator())
            try await body(lines) { try execution.send(signal: $0) }
            while try await lines.next() != nil {}
        }
        return Self.status(result.terminationStatus)
    }

    /// Starts a command that prints its address first (`verifier`, `backend`), and ends it when the function is done.
    func serving<Value: Sendable>(_ arguments: [String], _ body: (String) async throws -> Value) async throws -> Value {
        let result = try await Subprocess.run(
            .path(FilePath(Project.binary.path)),
            arguments: Arguments(arguments),
            environment: self.environment([:]),
            input: .none,
            output: .sequence,
            error: .discarded
        ) { execution in
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            let address = try #require(try await lines.next()).trimmingCharacters(in: .whitespacesAndNewlines)
            let value: Result<Value, any Error>
            do {
                value = .success(try await body(address))
            } catch {
                value = .failure(error)
            }
            try execution.send(signal: .terminate)
            while try await lines.next() != nil {}
            return try value.get()
        }
        return result.closureResult
    }

    private func environment(_ variables: [String: String]) -> Environment {
        var all = ["HOME": self.home.path, "PATH": Readings.path]
        all.merge(variables) { _, new in new }
        return .custom(Dictionary(uniqueKeysWithValues: all.map { (Environment.Key(stringLiteral: $0.key), $0.value) }))
    }

    private static func status(_ status: TerminationStatus) -> Int32 {
        switch status {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
