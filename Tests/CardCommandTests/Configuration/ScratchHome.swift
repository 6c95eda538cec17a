import Foundation

@testable import CardCommand

/// A home folder of its own, removed in the end.
final class ScratchHome: Sendable {
    let path: String

    init() throws {
        self.path = NSTemporaryDirectory() + "idcard-home-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit {
        // What cannot be removed is left to the system's own clean-up.
        try? FileManager.default.removeItem(atPath: self.path)
    }

    func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = self.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: URL(filePath: path).deletingLastPathComponent().path,
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Loads a configuration as the command line does, with this home and nothing else in the environment.
    func load(
        _ yaml: String? = nil,
        _ variables: [String: String] = [:],
        options: [String: String] = [:],
        embedded: Bool = false,
        requiringRemotes: Bool = false
    ) throws -> LoadedConfiguration {
        try LoadedConfiguration(
            file: try yaml.map { try self.file("c.yaml", $0) },
            environment: ["HOME": self.path].merging(variables) { $1 },
            options: options,
            embedded: embedded,
            requiringRemotes: requiringRemotes
        )
    }

    func checked(_ yaml: String, embedded: Bool = false) async throws -> CheckedConfiguration {
        let file = try self.file("c.yaml", yaml)
        return try await CheckedConfiguration {
            try LoadedConfiguration(file: file, environment: ["HOME": self.path], embedded: embedded)
        }
    }

    /// The mistakes of a configuration; none if it can be used.
    func mistakes(_ yaml: String?, _ variables: [String: String] = [:]) throws -> [ConfigurationError.Mistake] {
        do {
            _ = try self.load(yaml, variables)
            return []
        } catch let error as ConfigurationError {
            return error.mistakes
        }
    }
}
