import ArgumentParser
import CardModel
import CardServer
import CardStore
import Foundation
import Glibc

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make or replace the key of the sandbox.",
        discussion: """
            Images and fields in the sandbox are encrypted. Every card has its own key, and one key outside the sandbox encrypts \
            all of these. It is in a file of mode 0600 (vault.key_file), in the environment (IDCARD_VAULT_KEY), or written by a \
            command (vault.key_command). Without it the sandbox cannot be read: keep a copy in another place.
            """,
        subcommands: [Init.self, Rotate.self]
    )

    struct Init: Command {
        static let configuration = CommandConfiguration(
            abstract: "Make a file with a new key.",
            discussion: "The file has mode 0600. An existing file is never replaced."
        )

        @Option(
            path: ArgumentHelp(
                "The file to make.",
                discussion: """
                    By default the file that vault.key_file names, or else $XDG_CONFIG_HOME/idcard-pipeline/vault.key, which \
                    needs no configuration.
                    """,
                valueName: "file"
            )
        )
        var keyFile: String?

        @OptionGroup var report: ReportOptions

        func execute() async throws -> CommandStatus {
            let loaded = try self.report.options.load()
            try await MadeKey(named: self.keyFile, configuration: loaded.configuration, folders: loaded.folders)
                .print(self.report.format)
            return .delivered
        }
    }

    struct Rotate: Command {
        static let configuration = CommandConfiguration(
            abstract: "Replace the key of the sandbox, while no other process uses it.",
            discussion: """
                The key file gets a new key, which then encrypts the keys of all cards. The old key moves to \
                FILE.retired-ID: keep that file as long as you keep earlier backups. With vault.key or \
                vault.key_command, first put the new key before the old one there. An interrupted rotation continues \
                when this is run again.

                Exit status: 0 done · 1 the key of some card was already damaged · 75 another process is at work · 78 there is \
                no new key.
                """
        )

        @OptionGroup var report: ReportOptions

        func execute() async throws -> CommandStatus {
            let origin = try SystemUser.origin(of: "keys rotate")
            return try await self.report.options.withSandbox { store, configuration in
                let (report, isWhole) = try await store.changeKey(in: configuration.keyFile, by: origin)
                await report.print(self.report.format)
                return isWhole ? .delivered : .someNotDelivered
            }
        }
    }
}

/// A new key file, as `keys init` reports it.
struct MadeKey: Report {
    let keyFile: String
    let keyID: String
    /// Whether the file is used without being named in the configuration.
    let `default`: Bool

    var lines: [Message] {
        [.keysMade(self.keyFile, self.keyID), self.default ? .keysUsed : .keysConfigure(self.keyFile), .keysKeepCopy]
    }

    /// Makes the key of a future sandbox: in the named file, else the configured one, else the default one.
    ///
    /// - Throws: `setting_missing` if there is no path, `setting_conflict` if it is in a sandbox or the file exists,
    ///   `file_not_written`.
    init(named: String?, configuration: Configuration, folders: UserFolders) throws(CodedError) {
        let configured = configuration.vault.keyFile.map(Self.absolute)
        let usual = folders.keyFile(embedded: configuration.isEmbedded)
        guard let path = (named.map(folders.expand) ?? configured ?? usual).map(Self.absolute) else {
            throw CodedError(.settingMissing, .configuration, .keysNoPlace)
        }
        let sandboxes = [configuration.sandboxPath] + [false, true].compactMap(folders.sandbox)
        if Self.isInside(path, anyOf: sandboxes) {
            throw CodedError(.settingConflict, .configuration, .keysInSandbox(path))
        }
        let key = VaultKey.random()
        guard try KeyFile(path: path).create(key) else {
            throw CodedError(.settingConflict, .configuration, .keysExist(path))
        }
        (self.keyFile, self.keyID, self.default) = (path, key.id, path == configured)
    }

    /// A path that can be compared with others: each file has one spelling.
    private static func absolute(_ path: String) -> String { URL(filePath: path).standardized.path }

    /// Whether a file is in one of the folders, or in any folder with a sandbox.
    private static func isInside(_ file: String, anyOf sandboxes: [String]) -> Bool {
        func real(_ path: String) -> String { URL(filePath: path).standardized.resolvingSymlinksInPath().path }
        let folder = DurableFile.folder(of: file)
        let isSandbox = sandboxes.map(real).contains(real(folder)) || access("\(folder)/sandbox.sqlite3", F_OK) == 0
        return isSandbox || folder != "/" && self.isInside(folder, anyOf: sandboxes)
    }
}

extension Sandbox {
    /// Changes the key that wraps all others: to a new one in the key file, else to the first one given for the sandbox.
    ///
    /// - Returns: the report, and whether no key of a card was damaged.
    fileprivate func changeKey(
        in file: KeyFile?,
        by origin: AccessOrigin
    ) async throws -> (report: ObjectReport, isWhole: Bool) {
        let (ring, inUse) = (self.upkeep.keyRing, try await self.upkeep.keyInUse())
        // An interrupted rotation: the first key was stored but wraps nothing yet, or the others were not retired.
        let isBegun = inUse != ring.current.id || file != nil && ring.keys.count > 1
        guard isBegun || file != nil else { throw CodedError(.settingMissing, .configuration, .keysNoNewKey) }
        let key = isBegun ? ring.current : VaultKey.random()
        var retired: [String] = []
        let rotation = try await self.upkeep.rotateKeys(to: key, by: origin) {
            // Another rotation may have finished while this one waited for exclusive access; do not overwrite it.
            guard ring.key(inUse) != nil, try file?.read() ?? ring == ring, try await self.upkeep.keyInUse() == inUse
            else {
                throw CodedError(.sandboxUnavailable, .temporary, .keysChangedMeanwhile)
            }
            if !isBegun, let both = KeyRing([key] + ring.keys) { try file?.replace(with: both) }
        } retiring: {
            retired = try file?.retire(ring.keys.filter { $0 != key }, keeping: key) ?? []
        }
        // If the key was in use before, only the retiring of the others was left.
        let isFinished = inUse == rotation.keyID
        var messages: [Message] = [
            isFinished ? .keysFinished(rotation.keyID) : .keysRotated(rotation.rewrapped, rotation.keyID)
        ]
        if rotation.damaged > 0 { messages.append(.keysDamaged(rotation.damaged)) }
        let object: JSONObject = [
            "key_id": rotation.keyID, "rewrapped": rotation.rewrapped, "damaged": rotation.damaged, "retired": retired,
        ]
        return (ObjectReport(object, messages + retired.map { .keysRetired($0) }), rotation.damaged == 0)
    }
}

extension KeyFile {
    /// Moves keys into files of their own, removes them from this one, and returns the paths.
    fileprivate func retire(_ keys: [VaultKey], keeping current: VaultKey) throws(CodedError) -> [String] {
        let files = keys.map { KeyFile(path: "\(self.path).retired-\($0.id)") }
        for (file, key) in zip(files, keys) { _ = try file.create(key) }
        try self.replace(with: KeyRing(current))
        return files.map(\.path)
    }
}
