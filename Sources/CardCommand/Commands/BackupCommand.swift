import ArgumentParser
import CardModel
import CardServer
import CardStore
import Foundation
import Glibc

struct BackupCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the sandbox into one file, also while other processes work on it.",
        discussion: """
            The file appears once it is complete and checked. An existing file is never replaced. If root copies the sandbox of \
            another user, an empty file is there from the start. Personal data in the backup stays encrypted with the keys of \
            the sandbox: keep a copy of the keys in another place. Ends with 64 if the file exists, 74 if the sandbox cannot be \
            read or the file cannot be written, 78 if the key does not open the sandbox.
            """
    )

    @Argument(help: ArgumentHelp("The backup file to write.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard !self.file.isEmpty, self.file != "-", !self.file.hasSuffix("/") else {
            throw ValidationError(.backupNeedsFile)
        }
    }

    func execute() async throws -> CommandStatus {
        let (origin, path) = (try SystemUser.origin(of: "backup"), URL(filePath: self.file).path)
        let isThere = access(path, F_OK) == 0
        let files: RootFiles
        do { files = try RootFiles([path], for: self.report.options) } catch let error as CodedError where isThere {
            throw CodedError(error.code, .usage, error.message)
        }
        defer { files.removeEmpty() }
        return try await self.report.options.withSandbox { store, configuration in
            // SQLite needs a folder where this user may create files; the file of root is filled from the copy there.
            let target = files.areThere ? configuration.sandboxPath + "/backup" : path
            if target != path { unlink(target) }
            let copied = try await store.upkeep.backUp(to: target, by: origin, now: .now)
            if target != path {
                defer { unlink(target) }
                let copy = try FileHandle(forReadingFrom: URL(filePath: target))
                try files.fill(path) { try copy.read(upToCount: 1 << 20) }
            }
            let output = ObjectReport(
                [
                    "file": self.file, "bytes": copied.byteCount, "cards": copied.cards, "key_id": copied.keyID,
                    "broken_rules": copied.findings.count,
                ],
                [.backupDone(copied.cards, size: copied.byteCount), .backupKey(copied.keyID)]
            )
            await output.print(self.report.format)
            if !copied.findings.isEmpty { Console.warn(.fsckFound(copied.findings.count)) }
            return .delivered
        }
    }
}

struct RestoreCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replace the sandbox with a backup, while no process has it open.",
        discussion: """
            Cards erased after the backup stay erased. The replaced sandbox, the list erasures.jsonl in its folder, and lists \
            given with --erasures tell which. Nothing else after the backup is known: cards that may have changed since are held \
            (reason restored) for a person to decide, and photos imported since are unknown. The replaced sandbox is removed; \
            to keep it, make a backup of it first. Ends with 64 if the sandbox holds cards and --force is missing, 66 if there \
            is no such backup, 74 if the backup is damaged, 75 if a process has the sandbox open, 78 if the key does not open \
            the backup.
            """
    )

    @Argument(help: ArgumentHelp("The backup file to read.", valueName: "file"), completion: .file(), transform: path)
    var file: String

    @Flag(help: "Replace the sandbox even if it holds cards or cannot be read.")
    var force = false

    @Option(
        help: ArgumentHelp("A list of erasures, one JSON object a line; repeatable.", valueName: "file"),
        completion: .file(),
        transform: path
    )
    var erasures: [String] = []

    @OptionGroup var upkeep: UpkeepOptions

    func execute() async throws -> CommandStatus {
        let lists = self.erasures.map { URL(filePath: $0).path }
        let backup = try BackupFile(URL(filePath: self.file).path, erasures: lists)
        let configuration = try self.upkeep.options.loadAsOwner()
        let report = try await Restore(
            of: backup,
            into: configuration.sandboxPath,
            kind: configuration.isEmbedded ? .embedded : nil,
            ring: try await configuration.allVaultKeys(),
            replacing: self.force,
            by: try self.upkeep.purpose.origin(of: "restore"),
            now: .now
        ).run()
        await report.print(self.upkeep.format)
        for warning in Self.warnings(report) { Console.warn(warning) }
        return .delivered
    }

    private static func warnings(_ report: RestoreReport) -> [Message] {
        [
            .restoreLaterUnknown,
            report.replacedUnreadable ? .restoreReplacedUnreadable : nil,
            report.erasuresUnknown ? .restoreNoErasures : nil,
            report.replacedKeyMissing ? .restoreOtherKey : nil,
            report.accessLinesTakenOver == nil && report.replacedCards > 0 ? .restoreNoAccessLog : nil,
            report.brokenRules > 0 ? .fsckFound(report.brokenRules) : nil,
        ].compactMap(\.self)
    }
}

extension RestoreReport: Report {
    var lines: [Message] {
        let lines: [Message?] = [
            self.lastChange.map { .restoreDoneSince(self.cards, $0) } ?? .restoreDone(self.cards),
            self.erased > 0 ? .restoreErased(self.erased) : nil, self.held > 0 ? .restoreHeldCards(self.held) : nil,
        ]
        return lines.compactMap(\.self)
    }
}
