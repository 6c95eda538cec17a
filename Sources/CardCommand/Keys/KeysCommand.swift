import ArgumentParser
import CardModel
import CardStore
import Foundation
import Glibc

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

    struct Init: Command {
        static let configuration = CommandConfiguration(
            abstract: "Make a file with a new key.",
            discussion: "The file has mode 0600; one that is there already is never replaced."
        )

        @Option(
            path: ArgumentHelp(
                "Where to make it.",
                discussion: """
                    Without it: where vault.key_file says, else $XDG_CONFIG_HOME/idcard-pipeline/vault.key, which is used \
                    without further configuration.
                    """,
                valueName: "file"
            )
        )
        var keyFile: String?

        @Option(help: "The form of the report.")
        var format = ReportFormat.text

        @OptionGroup var options: GlobalOptions

        func execute() async throws -> CommandStatus {
            let loaded = try self.options.load(readingFiles: false)
            try await MadeKey(named: self.keyFile, configuration: loaded.configuration, folders: loaded.folders)
                .print(self.format)
            return .delivered
        }
    }
}

/// A new key file, as `keys init` reports it.
struct MadeKey: Report {
    let keyFile: String
    let keyID: String
    /// Whether the file is used without naming it in the configuration.
    let `default`: Bool

    var lines: [String] {
        [
            "made the key file \(self.keyFile) (mode 0600, key \(self.keyID))",
            self.default
                ? "It is used without further configuration."
                : "Put into the configuration:\n  vault:\n    key_file: \(self.keyFile)",
            "Keep a copy in another place: without the key nobody can read the sandbox.",
        ]
    }

    /// Makes the key of a sandbox that is to come, in the file named, else that of the configuration, which is the usual one
    /// where it names none.
    ///
    /// - Throws: `setting_missing` if there is no place, `setting_conflict` if it lies in a sandbox or the file is there already,
    ///   `file_not_written`.
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
        let sandboxes = [configuration.sandboxPath] + [false, true].compactMap(folders.sandbox)
        if Self.isInside(path, anyOf: sandboxes) {
            throw Self.conflict(
                path,
                "would lie inside a sandbox, where whoever copies the folder has the key too; name a file elsewhere"
            )
        }
        let key = VaultKey.random()
        guard try KeyFile(path: path).create(key) else {
            throw Self.conflict(
                path,
                """
                is there already and is not replaced: its keys may be all that opens a sandbox; name another file by \
                --key-file
                """
            )
        }
        (self.keyFile, self.keyID, self.default) = (path, key.id, path == configured)
    }

    private static func conflict(_ path: String, _ what: Message) -> CodedError {
        CodedError(.settingConflict, .configuration, "\(Redacted(path)) " + what)
    }

    /// A path that can be compared with others: two spellings of one file are one.
    private static func absolute(_ path: String) -> String { URL(filePath: path).standardized.path }

    /// Whether a file would lie in one of the folders, or in any that holds a sandbox.
    private static func isInside(_ file: String, anyOf sandboxes: [String]) -> Bool {
        func real(_ path: String) -> String { URL(filePath: path).standardized.resolvingSymlinksInPath().path }
        let folder = DurableFile.folder(of: file)
        let isSandbox = sandboxes.map(real).contains(real(folder)) || access("\(folder)/sandbox.sqlite3", F_OK) == 0
        return isSandbox || folder != "/" && self.isInside(folder, anyOf: sandboxes)
    }
}

extension KeysCommand {
    struct Rotate: Command {
        static let configuration = CommandConfiguration(
            abstract: "Replace the key of the sandbox, while no other process works on it.",
            discussion: """
                A new key goes into the key file first, the keys of all cards are wrapped with it, and the old one moves to \
                FILE.retired-ID: keep that as long as backups from before. With vault.key or vault.key_command, let these give \
                the new key first and the old one second, then run this. What was cut short goes on when it is run again.

                Exit status: 0 done · 1 the key of some card was damaged before · 75 another process is at work · 78 there is \
                no key to change to.
                """
        )

        @Option(help: "The form of the report.")
        var format = ReportFormat.text

        @OptionGroup var options: GlobalOptions

        func execute() async throws -> CommandStatus {
            let origin = try SystemUser.origin(of: "keys rotate")
            return try await self.options.withSandbox { store, configuration in
                let report = try await store.changeKey(in: configuration.keyFile, by: origin)
                await report.print(self.format)
                return report.damaged == 0 ? .delivered : .someNotDelivered
            }
        }
    }
}

private struct KeyReport: Report {
    let keyID: String
    let rewrapped: Int
    let damaged: Int
    let retired: [String]
    /// Whether another key wrapped everything before.
    let isNew: Bool

    private enum CodingKeys: CodingKey { case keyID, rewrapped, damaged, retired }

    var lines: [String] {
        var lines = [
            self.isNew
                ? "\(self.rewrapped.of("card key")) wrapped with the key \(self.keyID) now"
                : "everything was wrapped with the key \(self.keyID) already: what an earlier rotation left was ended; "
                    + "to change the key, run this again"
        ]
        if self.damaged > 0 {
            lines.append("\(self.damaged) were damaged before, and no key opens them; see idcard-pipeline fsck")
        }
        return lines + self.retired.map { "the old key is in \($0): keep it as long as backups from before" }
    }
}

extension CardStore {
    /// Changes the key that wraps all others: to a new one in the key file, else to the first that the sandbox was opened with.
    fileprivate func changeKey(in file: KeyFile?, by origin: AccessOrigin) async throws -> KeyReport {
        let (ring, inUse) = (self.keyRing, try await self.keyInUse())
        // Cut off earlier: the first key was stored and wraps nothing yet, or the others were not retired.
        let isBegun = inUse != ring.current.id || file != nil && ring.keys.count > 1
        guard isBegun || file != nil else { throw Self.noNewKey }
        let key = isBegun ? ring.current : VaultKey.random()
        var retired: [String] = []
        let rotation = try await self.rotateKeys(to: key, by: origin) {
            // A change of the key that ended while this one waited to be alone must not be written over.
            guard ring.key(inUse) != nil, try file?.read() ?? ring == ring, try await self.keyInUse() == inUse else {
                throw Self.changedMeanwhile
            }
            if !isBegun, let both = KeyRing([key] + ring.keys) { try file?.replace(with: both) }
        } retiring: {
            retired = try file?.retire(ring.keys.filter { $0 != key }, keeping: key) ?? []
        }
        return KeyReport(
            keyID: rotation.keyID,
            rewrapped: rotation.rewrapped,
            damaged: rotation.damaged,
            retired: retired,
            isNew: inUse != rotation.keyID
        )
    }

    private static let changedMeanwhile = CodedError(
        .sandboxUnavailable,
        .temporary,
        "another process changed the key meanwhile, so nothing was changed here; look at the key file, and run this again"
    )

    private static let noNewKey = CodedError(
        .settingMissing,
        .configuration,
        """
        there is no key to change to; let vault.key or vault.key_command give a new key before the one that holds now \
        (openssl rand -base64 32), then run this again
        """
    )
}

extension KeyFile {
    /// Moves keys into files of their own, and then out of this one.
    ///
    /// - Returns: the paths of these files.
    fileprivate func retire(_ keys: [VaultKey], keeping current: VaultKey) throws(CodedError) -> [String] {
        let files = keys.map { KeyFile(path: "\(self.path).retired-\($0.id)") }
        for (file, key) in zip(files, keys) { _ = try file.create(key) }
        try self.replace(with: KeyRing(current))
        return files.map(\.path)
    }
}
