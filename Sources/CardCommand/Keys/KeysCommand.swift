import ArgumentParser
import CardModel
import CardStore
import Foundation
import Glibc

/// `keys init` and `keys rotate`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make the key of the sandbox, or replace it.",
        discussion: """
            Images and fields in the sandbox are encrypted: every card has a key of its own, and these are wrapped by a key that \
            lies outside the sandbox, in a file of mode 0600 (vault.key_file), in the environment (IDCARD_VAULT_KEY), or with a \
            command (vault.key_command). Without it nobody can read the sandbox: keep a copy in another place.
            """,
        subcommands: [Init.self, Rotate.self]
    )

    /// Makes a key file.
    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Make a file with a new key.",
            discussion: "The file has mode 0600; one that is there already is never replaced."
        )

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Where to make it.",
                discussion: """
                    Without it: where vault.key_file says, else $XDG_CONFIG_HOME/idcard-pipeline/vault.key, which is used \
                    without further configuration.
                    """,
                valueName: "file"
            ),
            completion: .file()
        )
        var keyFile: String?

        @Option(name: .long, help: "The form of the report.")
        var format = ReportFormat.text

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await CommandRunner.run {
                let configuration = try self.options.loadConfiguration(requiringRemotes: false)
                let folders = UserFolders(environment: ProcessInfo.processInfo.environment)
                try await KeyMaking(named: self.keyFile, configuration: configuration, folders: folders).run()
                    .print(self.format)
                return .delivered
            }
        }
    }
}

/// Makes the key of a sandbox that is to come.
struct KeyMaking {
    /// What was made.
    struct Made: Report {
        let path: String
        let keyID: String
        /// Whether the file is used without naming it in the configuration.
        let isUsedAlready: Bool

        enum CodingKeys: String, CodingKey {
            case path = "key_file"
            case keyID = "key_id"
            case isUsedAlready = "default"
        }

        var lines: [String] {
            let use =
                self.isUsedAlready
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
    private let isUsedAlready: Bool

    /// Finds the place: the one named, else that of the configuration, which is the usual one where it names none.
    ///
    /// - Throws: `setting_missing` if there is no place, `setting_conflict` if it lies in a sandbox.
    init(named: String?, configuration: Configuration, folders: UserFolders) throws(CodedError) {
        let configured = configuration.vault.keyFile.map(Self.absolute)
        let usual = folders.keyFile(embedded: configuration.isEmbedded)
        guard let path = (named.map(folders.expand) ?? configured ?? usual).map(Self.absolute) else {
            throw CodedError(
                .settingMissing,
                .configuration,
                "neither HOME nor XDG_CONFIG_HOME says where the key belongs; give --key-file FILE"
            )
        }
        let sandboxes = [configuration.sandboxPath, folders.sandbox(embedded: false), folders.sandbox(embedded: true)]
        if Self.isInside(path, anyOf: sandboxes.compactMap { $0 }.filter { !$0.isEmpty }) {
            throw CodedError(
                .settingConflict,
                .configuration,
                """
                \(Redacted(path)) would lie inside a sandbox, where whoever copies the folder has the key too; name a \
                file elsewhere
                """
            )
        }
        self.file = KeyFile(path: path)
        self.isUsedAlready = path == configured
    }

    /// Makes the file.
    ///
    /// - Throws: `setting_conflict` if it is there already, `file_not_written` if it cannot be made.
    func run() throws(CodedError) -> Made {
        let key = VaultKey.random()
        guard try self.file.create(key) else {
            throw CodedError(
                .settingConflict,
                .configuration,
                """
                \(Redacted(self.file.path)) is there already and is not replaced: its keys may be all that opens a \
                sandbox; name another file by --key-file
                """
            )
        }
        return Made(path: self.file.path, keyID: key.id, isUsedAlready: self.isUsedAlready)
    }

    /// A path that can be compared with others: two spellings of one file are one.
    private static func absolute(_ path: String) -> String { URL(filePath: path).standardized.path }

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
}
