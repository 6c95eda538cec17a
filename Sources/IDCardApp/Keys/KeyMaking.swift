import Foundation
import Glibc
import IDCardSandbox

/// Makes a key file because somebody asks for it (`keys init`).
struct KeyMaking {
    /// What was made.
    struct Made: Encodable {
        let path: String
        let keyID: String
        /// Whether the file is used without naming it in the configuration.
        let isUsedByDefault: Bool

        enum CodingKeys: String, CodingKey {
            case path = "key_file"
            case keyID = "key_id"
            case isUsedByDefault = "default"
        }

        /// For people.
        var lines: [String] {
            let use =
                self.isUsedByDefault
                ? "It is used without further configuration."
                : "Put into the configuration:\n  vault:\n    key_file: \(self.path)"
            return [
                "made the key file \(self.path) (mode 0600, key \(self.keyID))",
                use,
                "Keep a copy in another place: without the key nobody can read the sandbox.",
            ]
        }
    }

    private let file: KeyFile
    private let isUsedByDefault: Bool

    /// Finds the place: the one named, else that of the configuration, else the usual one.
    ///
    /// - Throws: ``ConfigurationError`` if the configuration cannot be read, or there is no place.
    init(named: String?, config: String?, environment: [String: String]) throws {
        let directories = UserDirectories(environment: environment)
        let configured = try AppConfiguration.writtenKeyFile(file: config, environment: environment)
        let usual = directories.vaultKeyFile(embedded: false)
        guard let path = named.map(directories.expand) ?? configured ?? usual, !path.isEmpty else {
            throw ConfigurationError([
                .init(
                    .missing,
                    key: "vault.key_file",
                    "there is no place for the key because neither HOME nor XDG_CONFIG_HOME is set; give --key-file FILE"
                )
            ])
        }
        let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        let written = try AppConfiguration.writtenSandbox(file: config, environment: environment)
        let sandboxes = [written, directories.sandbox(embedded: false), directories.sandbox(embedded: true)]
        if Self.isInside(absolute, anyOf: sandboxes.compactMap { $0 }) {
            throw ConfigurationError([
                .init(
                    .conflict,
                    key: "vault.key_file",
                    "\(absolute) would lie inside a sandbox, where whoever copies the folder has the key too; name a "
                        + "file elsewhere"
                )
            ])
        }
        self.file = KeyFile(path: absolute)
        self.isUsedByDefault = absolute == (configured ?? usual)
    }

    /// Whether a file would lie in one of the folders, or in any that holds a sandbox.
    private static func isInside(_ file: String, anyOf sandboxes: [String]) -> Bool {
        let roots = Set(sandboxes.map { URL(filePath: $0).standardized.resolvingSymlinksInPath().path })
        var folder = URL(filePath: file).standardized.deletingLastPathComponent()
        while true {
            let path = folder.resolvingSymlinksInPath().path
            if roots.contains(path) || access("\(path)/sandbox.sqlite3", F_OK) == 0 { return true }
            guard path != "/", folder.path != "/" else { return false }
            folder = folder.deletingLastPathComponent()
        }
    }

    /// Makes the file.
    ///
    /// - Throws: ``ConfigurationError`` with the code `conflict` if it is there already, `secretUnwritable` if it cannot
    ///   be made.
    func run() throws(ConfigurationError) -> Made {
        let key = VaultKey.random()
        do throws(ConfigurationError.Problem) {
            guard try self.file.create(key) else {
                throw .init(
                    .conflict,
                    key: "vault.key_file",
                    "\(self.file.path) is there already and is not replaced: its keys may be all that opens a sandbox; "
                        + "`keys rotate` makes a new key for a sandbox that exists"
                )
            }
        } catch {
            throw ConfigurationError([error])
        }
        return Made(path: self.file.path, keyID: key.id, isUsedByDefault: self.isUsedByDefault)
    }
}
