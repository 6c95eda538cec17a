import GRDB
import Glibc
import IDCardCore
package import IDCardPipeline

/// Puts a backup in the place of a sandbox.
///
/// The old sandbox stays as it is until the new one is whole, checked and durable beside it; then one rename(2) puts it
/// in place. A process that is killed on the way leaves the one or the other. The write-ahead log needs care: SQLite
/// takes whatever lies beside a database under the right name for its own. So the old log is moved into the old database
/// and removed by SQLite itself (`journal_mode = DELETE`, which only succeeds if nobody else has the file open) *before*
/// the rename; from then on there is none that could be taken for that of the new database.
package struct SandboxRestore: Sendable {
    /// A point on the way, for tests.
    enum Step: String, CaseIterable, Sendable {
        /// The copy of the backup is there, as it came.
        case copied
        /// What was erased since is erased in it, and what is unknown is put aside.
        case settled
        /// It is durable.
        case synchronised
        /// The log of the old sandbox is gone; the next thing is the rename.
        case retired
        /// The new sandbox is in place.
        case renamed
    }

    /// The backup.
    let backup: String
    let directory: SandboxDirectory
    /// What the sandbox must be, and its key.
    let options: SandboxOptions
    /// Whether a sandbox that holds cards may be replaced.
    let isReplacing: Bool
    /// Whether cards go on where the backup has them.
    let isResuming: Bool
    /// Lists of erasures besides that of the folder.
    let erasures: [String]
    /// Who restores, for the access log.
    let origin: AccessOrigin
    /// Called at each point on the way.
    var reached: @Sendable (Step) throws -> Void = { _ in }

    /// Describes a restore.
    ///
    /// - Parameters:
    ///   - backup: the file that `SandboxStore.backUp` has made.
    ///   - directory: the folder of the sandbox; made if it is not there.
    ///   - options: what the sandbox must be, its key, and the time.
    ///   - isReplacing: whether a sandbox that holds cards may be replaced.
    ///   - isResuming: whether cards without an end go on where the backup has them, instead of being held.
    ///   - erasures: lists of erasures, a JSON object a line, besides that of the folder.
    ///   - origin: who restores, for the access log.
    package init(
        of backup: String,
        into directory: String,
        options: SandboxOptions,
        isReplacing: Bool,
        isResuming: Bool,
        erasures: [String],
        origin: AccessOrigin
    ) throws {
        self.backup = backup
        self.directory = try SandboxDirectory(directory)
        self.options = options
        self.isReplacing = isReplacing
        self.isResuming = isResuming
        self.erasures = erasures
        self.origin = origin
    }

    /// Restores.
    ///
    /// - Throws: `StoreError.conflict` if the sandbox holds cards and may not be replaced, `unavailable` if a process has
    ///   it open, `wrongKey`, `wrongSandbox`, `unsupportedVersion` or `corrupt` if the backup cannot become it. The
    ///   sandbox is as before then.
    package func run() async throws -> RestoreReport {
        do {
            try self.requireBackup()
            try self.directory.createFolders()
            let opening = try self.excludeOthers()
            defer { opening.release() }
            return try await self.replace()
        } catch {
            throw self.directory.explaining(StoreError.translating(error))
        }
    }

    private func replace() async throws -> RestoreReport {
        var report = RestoreReport()
        let previous = try self.readPrevious(into: &report)
        var tombstones = previous.tombstones
        let lists = try self.erasureLists()
        report.knowsNoErasures = lists.isEmpty && (FileFacts(self.directory.database)?.size ?? 0) == 0
        for list in lists { tombstones += try ErasureList.tombstones(in: list) }
        try self.directory.removeRestoring()
        var random = SystemRandomNumberGenerator()
        let temporary = "\(self.directory.database).restore-\(UUIDText.version4(using: &random))"
        try DurableFile.create(temporary)
        defer { FileCall.unlink(temporary) }
        try DurableFile.copy(self.backup, into: temporary)
        try self.reached(.copied)
        try await self.prepare(temporary, tombstones: tombstones, previous: previous, report: &report)
        try self.reached(.settled)
        try DurableFile.synchronise(temporary)
        try self.reached(.synchronised)
        try self.retirePrevious(canBeRead: !report.couldNotReadReplaced)
        try self.reached(.retired)
        try DurableFile.rename(temporary, to: self.directory.database, replacing: true)
        try self.reached(.renamed)
        for owner in try self.directory.entries(of: self.directory.owners) {
            FileCall.unlink(self.directory.ownerFile(of: owner))
        }
        return report
    }

    /// Makes of the copy what the sandbox will be, and checks it before and after.
    private func prepare(
        _ path: String,
        tombstones: [Tombstone],
        previous: PreviousSandbox,
        report: inout RestoreReport
    ) async throws {
        let copy = try self.openCopy(path)
        do {
            try await self.requireWhole(copy, quick: false)
            try copy.forgetProcesses()
            let changed = report
            report = try copy.change { db in
                var report = changed
                try self.settle(copy.store, tombstones: tombstones, previous: previous, report: &report, in: db)
                return report
            }
            let whole = try await self.requireWhole(copy, quick: true)
            report.cardCount = whole.cardCount
            report.imageCount = whole.imageCount
            report.deliveryCount = whole.deliveryCount
            report.brokenRuleCount = whole.findings.count { $0.severity == .error }
        } catch {
            try? copy.close()  // The error that stopped it is the one to report.
            throw error
        }
        try copy.close()
    }

    private func openCopy(_ path: String) throws -> SandboxCopy {
        do {
            try self.bringUpToDate(path)
            return try SandboxCopy(path, isReadOnly: false, directory: self.directory, options: self.options)
        } catch let error as StoreError where error.code == .wrongKey {
            let name = error.message.firstMatch(of: #/the id ([^;\s]+);/#).map { " \($0.1)" } ?? ""
            throw StoreError(
                .wrongKey,
                "the keys given do not open the backup \(self.backup), whatever opens the sandbox: it needs the key\(name) "
                    + "of the time it was made; give that key after the present one (after a rotation it is in the file "
                    + "`….retired-ID` beside the key file)",
                cause: error
            )
        }
    }

    @discardableResult
    private func requireWhole(_ copy: SandboxCopy, quick: Bool) async throws -> SandboxReport {
        var report = try await copy.store.checkRows(quick: quick)
        if !quick {
            report.findings += try await copy.store.checkImages(quick: false)
            report.findings += try await copy.store.checkSources(quick: false)
        }
        if let finding = report.findings.first(where: \.makesCopyWorthless) {
            throw StoreError(
                .corrupt,
                "the backup is not whole (\(finding.code.rawValue): \(finding.message)); use another backup"
            )
        }
        return report
    }

    /// Brings the backup of an older program to the version of this one.
    private func bringUpToDate(_ path: String) throws {
        let queue = try DatabaseQueue(path: path, configuration: SandboxCopy.configuration(isReadOnly: false))
        defer { try? queue.close() }  // What it was to write is checked afterwards.
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = MEMORY")
            let version = try SandboxSchema.check(db)
            guard version > 0 else { throw StoreError(.corrupt, "the backup is empty; use another backup") }
            guard version < SandboxSchema.version else { return }
            // Before anything is changed for a key that does not fit.
            let name = try String.fetchOne(db, sql: "SELECT endpoints FROM sandbox")
            guard name.flatMap(SandboxOptions.Endpoints.init) != nil else { throw SandboxStore.corrupt("sandbox") }
        }
        let endpoints = try queue.read { try String.fetchOne($0, sql: "SELECT endpoints FROM sandbox") }
            .flatMap(SandboxOptions.Endpoints.init)
        guard let endpoints else { throw SandboxStore.corrupt("sandbox.endpoints") }
        try SandboxSchema.migrator(endpoints: endpoints, vault: self.options.vault, now: self.options.now)
            .migrate(queue)
    }
}
