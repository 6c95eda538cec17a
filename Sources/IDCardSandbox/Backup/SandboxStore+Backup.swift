import GRDB
import Glibc
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// Copies the sandbox as it is at one moment into a file; others may go on working in it.
    ///
    /// The file appears whole and checked, under its name, or not at all. It holds no leases, owners or pauses: these
    /// belong to processes. What killed backups left in the folder is removed on the way.
    ///
    /// - Parameters:
    ///   - path: the file; not one of the sandbox.
    ///   - replacing: whether a file of that name may be replaced.
    /// - Throws: `StoreError.conflict` if there is such a file, `diskFull` or `unavailable` if it cannot be written,
    ///   `corrupt` if the copy is not whole.
    package func backUp(to path: String, replacing: Bool) async throws -> BackupReport {
        try self.requireTarget(path, replacing: replacing)
        let folder = DurableFile.folder(of: path)
        try Self.requireFolder(folder, of: path)
        // In a folder that cannot be listed they stay.
        BackupPart.removeLeft(in: folder, among: (try? self.directory.entries(of: folder)) ?? [])
        let part = try BackupPart.begin(in: folder)
        defer { part.end() }
        let temporary = part.path
        do {
            let before = try await self.sizes()
            try Self.copyDatabase(self.directory.database, to: temporary)
            let after = try await self.sizes()
            try self.forgetProcesses(in: temporary)
            try DurableFile.synchronise(temporary)
            let report = try await self.verify(temporary, between: before, and: after)
            try DurableFile.rename(temporary, to: path, replacing: replacing)
            return report
        } catch {
            throw Self.translating(error, target: path)
        }
    }

    private func requireTarget(_ path: String, replacing: Bool) throws {
        guard let facts = FileFacts(path) else { return }
        guard !facts.isDirectory else {
            throw StoreError(.conflict, "\(path) is a folder; name the file that the backup becomes")
        }
        guard facts.isRegular else {
            throw StoreError(.conflict, "\(path) is not a plain file; name a file that the backup becomes")
        }
        guard FileFacts(self.directory.database)?.isSameFile(as: facts) == false else {
            throw StoreError(.conflict, "\(path) is the database of the sandbox itself; name another file")
        }
        if !replacing { throw DurableFile.exists(path) }
    }

    /// Names what the person named: the file that is made first has another name.
    private static func requireFolder(_ folder: String, of path: String) throws {
        guard FileCall.access(folder, W_OK | X_OK) == 0 else {
            throw DurableFile.failure("the file \(path) cannot be made")
        }
    }

    /// `VACUUM INTO` reads one state of the database, whatever others write meanwhile, and takes along nothing of pages
    /// that are free.
    static func copyDatabase(_ database: String, to path: String) throws {
        let queue = try DatabaseQueue(path: database, configuration: SandboxCopy.configuration(isReadOnly: true))
        defer { try? queue.close() }  // It was only read from.
        try queue.unsafeRead { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
    }

    private func forgetProcesses(in path: String) throws {
        let copy = try SandboxCopy(path, isReadOnly: false, of: self)
        do {
            try copy.forgetProcesses()
        } catch {
            try? copy.close()  // The error that stopped it is the one to report.
            throw error
        }
        try copy.close()
    }

    /// The numbers of rows that only grow.
    private func sizes() async throws -> [Int] {
        try await self.read { db in
            try ["card", "event", "delivery", "access_log"].map { table in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0
            }
        }
    }

    private func verify(
        _ path: String,
        between before: [Int],
        and after: [Int]
    ) async throws -> BackupReport {
        let copy = try SandboxCopy(path, isReadOnly: true, of: self)
        let report = try await copy.store.checkRows(quick: false)
        let sizes = try await copy.store.sizes()
        try copy.close()
        if let finding = report.findings.first(where: \.makesCopyWorthless) {
            throw StoreError(.corrupt, "the copy is not whole (\(finding.code.rawValue)); `fsck` checks the sandbox")
        }
        let isBetween = zip(sizes, zip(before, after)).allSatisfy { size, bounds in
            bounds.0 <= size && size <= max(bounds.0, bounds.1)
        }
        guard isBetween else { throw StoreError(.corrupt, "the copy has not the rows of the sandbox; try again") }
        return BackupReport(
            byteCount: FileFacts(path)?.size ?? 0,
            cardCount: report.cardCount,
            imageCount: report.imageCount,
            deliveryCount: report.deliveryCount,
            accessLog: report.accessLog,
            isEncrypted: self.vault.mode != .none,
            brokenRuleCount: report.findings.count { $0.severity == .error }
        )
    }

    /// What SQLite says of a full disk is about the disk of the backup here.
    private static func translating(_ error: any Error, target: String) -> any Error {
        let error = StoreError.translating(error)
        guard let full = error as? StoreError, full.code == .diskFull else { return error }
        return StoreError(
            .diskFull,
            "there is no room for \(target); free some space, nothing was left behind",
            cause: full
        )
    }
}
