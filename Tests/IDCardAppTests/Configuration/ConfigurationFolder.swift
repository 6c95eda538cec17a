import Foundation
import IDCardApp

/// A folder of its own for one test, as home directory and as a place for files; removed with the last reference.
final class ConfigurationFolder: Sendable {
    let path: String

    init() throws {
        let base = FileManager.default.temporaryDirectory
        self.path = base.appendingPathComponent("idcard-configuration-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    /// Writes a file and gives its path.
    func write(_ text: String, to name: String = "idcard-pipeline.yaml", mode: Int = 0o600) throws -> String {
        let file = self.path + "/" + name
        let folder = (file as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    /// Loads a configuration that sees nothing of the machine but this folder.
    func load(
        yaml: String? = nil,
        overrides: [String: String] = [:],
        environment: [String: String] = [:],
        embedded: Bool = false,
        requiringRemotes: Bool = false
    ) throws -> AppConfiguration {
        try AppConfiguration.load(
            file: try yaml.map { try self.write($0) },
            overrides: overrides,
            environment: ["HOME": self.path].merging(environment) { $1 },
            embedded: embedded,
            requiringRemotes: requiringRemotes,
            processorCount: 3
        )
    }

    /// The error of a configuration that must be refused; `nil` if it was not.
    func refusal(
        yaml: String? = nil,
        overrides: [String: String] = [:],
        environment: [String: String] = [:],
        embedded: Bool = false,
        requiringRemotes: Bool = false
    ) throws -> ConfigurationError? {
        do {
            _ = try self.load(
                yaml: yaml,
                overrides: overrides,
                environment: environment,
                embedded: embedded,
                requiringRemotes: requiringRemotes
            )
            return nil
        } catch let error as ConfigurationError {
            return error
        }
    }
}

extension AppConfiguration {
    /// The entry of a key.
    func entry(_ path: String) -> ConfigurationEntry? { self.entries.first { $0.key.path == path } }
}
