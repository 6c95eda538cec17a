import ArgumentParser
import CardModel
import CardStore
import Foundation
import Glibc

struct BackupCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the sandbox as it is at this moment into one file; others may go on working.",
        discussion: """
            The file appears when it is whole and checked, or not at all; one that is there is never replaced. \
            Where root copies another user's sandbox, it is there from the start, empty until the copy is checked. Personal data in \
            it stays encrypted under the keys of the sandbox: keep these too, in another place. Ends with 64 if the file is \
            there already, 74 if the sandbox cannot be read or the file cannot be written, 78 if the key does not open the \
            sandbox.
            """
    )

    @Argument(help: ArgumentHelp("The file that the backup becomes.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: "The form of the report.")
    var format = ReportFormat.text

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard !self.file.isEmpty, self.file != "-", !self.file.hasSuffix("/") else {
            throw ValidationError("A backup is checked after it was written and so needs a file; name one.")
        }
    }

    func execute() async throws -> CommandStatus {
        let (origin, path) = (try SystemUser.origin(of: "backup"), URL(filePath: self.file).path)
        let isThere = access(path, F_OK) == 0
        let files: RootFiles
        do { files = try RootFiles([path], for: self.options) } catch let error as CodedError where isThere {
            throw CodedError(error.code, .usage, error.message)
        }
        defer { files.removeEmpty() }
        return try await self.options.withSandbox { store, configuration in
            // SQLite writes where this user may make files.
            let place = files.areThere ? configuration.sandboxPath + "/backup" : path
            if place != path { unlink(place) }
            let report = try await store.backUp(to: place, by: origin, now: .now)
            if place != path {
                defer { unlink(place) }
                let copy = try FileHandle(forReadingFrom: URL(filePath: place))
                try files.fill(path) { try copy.read(upToCount: 1 << 20) }
            }
            let output = BackupOutput(
                file: self.file,
                bytes: report.byteCount,
                cards: report.cards,
                keyID: report.keyID,
                brokenRules: report.findings.count
            )
            await output.print(self.format)
            if !report.findings.isEmpty {
                let rules = report.findings.count.of("rule")
                Console.standardError("warning: the sandbox breaks \(rules); see: idcard-pipeline fsck")
            }
            return .delivered
        }
    }
}

private struct BackupOutput: Report {
    let file: String
    let bytes: Int64
    let cards: Int
    let keyID: String
    let brokenRules: Int

    var lines: [String] {
        [
            "\(self.cards.of("card")) backed up: \(self.bytes) bytes, checked",
            "only the key \(self.keyID) opens it: keep a copy of that, too, in another place",
        ]
    }
}

struct RestoreCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in the place of the sandbox; nobody may have it open.",
        discussion: """
            Who was erased after the backup was made stays erased: by the sandbox that is replaced, by the list erasures.jsonl \
            in its folder, and by lists named with --erasures. What else happened after the backup is not known, so cards that \
            may have gone on are held (reason restored) for a person to decide. Photos that were taken in after the backup are \
            not known either. The sandbox that is replaced is removed; make a backup of it first to keep it. Ends with 64 if the \
            sandbox holds cards and --force is missing, 66 if there is no such backup, 74 if the backup is not whole, 75 if a \
            process has the sandbox open, 78 if the key does not open the backup.
            """
    )

    @Argument(
        help: ArgumentHelp("The file that `backup` has made.", valueName: "file"),
        completion: .file(),
        transform: path
    )
    var file: String

    @Flag(help: "Replace a sandbox that holds cards, or cannot be read.")
    var force = false

    @Option(
        help: ArgumentHelp("A list of erasures, a JSON object a line; may be given several times.", valueName: "file"),
        completion: .file(),
        transform: path
    )
    var erasures: [String] = []

    @Option(help: "The form of the report.")
    var format = ReportFormat.text

    @OptionGroup var purpose: PurposeOptions

    @OptionGroup var options: GlobalOptions

    func execute() async throws -> CommandStatus {
        let configuration = try self.options.load().configuration
        let report = try await Restore(
            of: URL(filePath: self.file).path,
            into: configuration.sandboxPath,
            kind: configuration.isEmbedded ? .embedded : nil,
            ring: try await configuration.allVaultKeys(),
            replacing: self.force,
            erasures: self.erasures.map { URL(filePath: $0).path },
            by: try self.purpose.origin(of: "restore"),
            now: .now
        ).run()
        await report.print(self.format)
        for warning in Self.warnings(report) { Console.standardError("warning: \(warning)") }
        return .delivered
    }

    private static func warnings(_ report: RestoreReport) -> [String] {
        [
            "what happened after the backup is not known here: photos taken in since would be delivered again",
            report.replacedUnreadable
                ? "the sandbox that was replaced could not be read: who was erased there is known only from lists of erasures"
                : nil,
            report.erasuresUnknown
                ? "no list of erasures was there: whoever was erased after the backup is here again; give --erasures FILE"
                : nil,
            report.replacedKeyMissing
                ? "the keys do not open the sandbox that was replaced: photos erased there are taken in again if they are found"
                : nil,
            report.accessLinesTakenOver == nil && report.replacedCards > 0
                ? "the access log of the sandbox that was replaced could not be taken over: its lines are gone" : nil,
            report.brokenRules > 0
                ? "the backup breaks \(report.brokenRules.of("rule")); see: idcard-pipeline fsck" : nil,
        ].compactMap(\.self)
    }
}

extension RestoreReport: Report {
    var lines: [String] {
        var lines = [self.cards.of("card") + " restored" + (self.lastChange.map { ", last changed \($0)" } ?? "")]
        if self.erased > 0 { lines.append(self.erased.of("card") + " erased again") }
        if self.held > 0 {
            lines.append(self.held.of("card") + " held (restored): see idcard-pipeline cards list --state held")
        }
        return lines
    }
}
