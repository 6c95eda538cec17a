package import CardModel
import Foundation
import Glibc

/// The content of a restored sandbox, and what is unknown about it.
package struct RestoreReport: Encodable, Sendable {
    /// How many cards are in it.
    package var cards = 0
    /// When a card of the backup last changed: photos admitted later are unknown, and would be sent again.
    @UTC package var lastChange: Timestamp?
    /// How many cards are held because their changes since the backup are unknown.
    package var held = 0
    package var erased = 0
    /// How many erased cards that the backup does not have were copied from the replaced sandbox.
    package var tombstonesTakenOver = 0
    /// How many lines of the replaced sandbox's access log were copied; `nil` if its log does not continue the backup's log.
    @Nullable package var accessLinesTakenOver: Int?
    package var replacedCards = 0
    /// Whether the replaced sandbox could not be read, so that only the lists of erasures say which cards were erased.
    package var replacedUnreadable = false
    /// Whether the given keys cannot open the replaced sandbox, so that files of erased cards are not recognised.
    package var replacedKeyMissing = false
    /// Whether neither a sandbox nor a list says which cards were erased.
    package var erasuresUnknown = false
    /// How many findings a check of the restored sandbox has.
    package var brokenRules = 0
}

/// Replaces a sandbox by a backup.
///
/// The new database is made durable beside the old one; then one rename replaces the old one, so that a kill leaves either the
/// old or the new one. SQLite would use a log that the old database leaves as that of the new one. So the old log is first
/// copied into the old database, which succeeds only if no process has it open. If the old database cannot be read, its log is
/// moved aside just before the rename.
package struct Restore: Sendable {
    /// A step of a restore, for tests.
    enum Step: String, CaseIterable, Sendable {
        /// The log of the old sandbox is copied into its database, if that can be read.
        case retired
        /// The copy of the backup is complete and still unchanged.
        case copied
        /// In the copy, cards erased since the backup are erased, and cards whose state is unknown are held.
        case updated
        /// The copy is durable.
        case synchronised
        /// The files beside the old database are moved aside.
        case setAside
        /// The copy is in the place of the old database.
        case renamed
    }

    /// The sandbox that is replaced.
    struct Previous {
        /// The vault; `nil` if the given keys cannot open it.
        let vault: Vault?
    }

    let backup: BackupFile
    let folder: SandboxFolder
    let kind: Sandbox.Kind?
    /// The keys: the current one first, then retired ones.
    let ring: KeyRing
    let isReplacing: Bool
    let origin: AccessOrigin
    let now: Timestamp
    /// Called at each step.
    var reached: @Sendable (Step) -> Void = { _ in }

    /// Describes a restore.
    ///
    /// - Parameters:
    ///   - backup: the backup, with lists of erasures that apply in addition to the folder's own.
    ///   - path: the folder of the sandbox, made if it is missing.
    ///   - kind: which endpoints the cards must go to; `nil` accepts either.
    ///   - ring: the keys that may open the backup; the first one wraps the keys of the restored sandbox.
    ///   - replacing: whether a sandbox that holds cards, or cannot be read, may be replaced.
    ///   - origin: who restores.
    ///   - now: the time.
    package init(
        of backup: BackupFile,
        into path: String,
        kind: Sandbox.Kind? = nil,
        ring: KeyRing,
        replacing: Bool,
        by origin: AccessOrigin,
        now: Timestamp
    ) {
        self.backup = backup
        self.folder = SandboxFolder(path: path)
        (self.kind, self.ring, self.isReplacing, self.origin) = (kind, ring, replacing, origin)
        self.now = now
    }

    var copy: String { self.folder.restoring }

    /// Restores; if this throws, the sandbox is as it was before.
    ///
    /// - Throws: `wrong_sandbox`, `wrong_key` or `sandbox_damaged` if the backup cannot be used; `sandbox_not_empty` if the old
    ///   sandbox holds cards, or cannot be read, and may not be replaced; `sandbox_busy`.
    package func run() async throws -> RestoreReport {
        try await Sandbox.translating {
            try self.folder.requirePlace()
            try self.folder.create()
            let alone = try await SandboxUpkeep.takeAlone(self.folder)
            defer { alone.release() }
            self.folder.cleanUpRestore()
            defer { self.folder.cleanUpRestore() }
            let list = ErasureList(path: self.folder.erasures)
            let lists = try (list.isThere ? [list.entries()] : []) + self.backup.erased
            var report = RestoreReport()
            let previous = try await self.readPrevious(&report)
            report.erasuresUnknown = lists.isEmpty && previous == nil
            if previous != nil {
                let database = self.folder.database
                try await SandboxUpkeep.onThread { try Database.leaveLog(of: database) }
            }
            self.reached(.retired)
            try await SandboxUpkeep.onThread { try self.backup.copy(to: self.copy) }
            self.reached(.copied)
            try await self.bringUpToDate(erased: Array(lists.joined()), previous: previous, &report)
            self.reached(.updated)
            try await SandboxUpkeep.onThread { try self.putInPlace() }
            return report
        }
    }

    // MARK: Files

    /// Makes the copy durable, and puts it in the place of the old database.
    private func putInPlace() throws {
        try Database.leaveLog(of: self.copy)
        try Database.synchronise(self.copy)
        self.reached(.synchronised)
        try self.folder.setLogAside()
        self.reached(.setAside)
        guard rename(self.copy, self.folder.database) == 0 else { throw SandboxFolder.failure(self.folder.database) }
        try DurableFile.synchroniseFolder(self.folder.path)
        self.reached(.renamed)
        for id in try self.folder.workerIDs() { unlink(self.folder.workerLock(id)) }
    }

    // MARK: The old sandbox

    /// Examines the sandbox that is replaced; `nil` if there is none, its creation was interrupted, or it cannot be read.
    private func readPrevious(_ report: inout RestoreReport) async throws -> Previous? {
        guard self.folder.hasDatabase else { return nil }
        let (cards, vault): (Int, Vault?)
        do {
            let file = try Database.marks(of: self.folder.database)
            if file.isEmpty { return nil }
            guard file.isKnown else { throw CodedError.wrongSandbox(.restoreSandboxOtherVersion) }
            let database = try Database(path: self.folder.database)
            defer { try? database.close() }
            cards = try await database.read { tx in try tx.value("SELECT count(*) FROM card") ?? 0 }
            let store = try? await Sandbox.unlock(database, in: self.folder, kind: nil, ring: self.ring)
            try await store?.upkeep.requireNoOtherMachine()
            vault = store?.vault
        } catch let error as DatabaseError where error.kind != .busy {
            guard self.isReplacing else { throw self.notEmpty(self.unreadable(error)) }
            report.replacedUnreadable = true
            return nil
        }
        guard cards == 0 || self.isReplacing else { throw self.notEmpty(.restoreNotEmpty(self.folder.path, cards)) }
        report.replacedCards = cards
        report.replacedKeyMissing = vault == nil
        return Previous(vault: vault)
    }

    private func unreadable(_ error: DatabaseError) -> Message {
        error.mayMeanNoRoom
            ? .restoreUnreadableFull(self.folder.path, error.text) : .restoreUnreadable(self.folder.path, error.text)
    }

    private func notEmpty(_ why: Message) -> CodedError {
        CodedError(ReasonCode(rawValue: "sandbox_not_empty"), .usage, why)
    }
}

// Files of a restore in the folder. If the process is killed, the next opening of the sandbox removes them.
extension SandboxFolder {
    /// The copy of the backup; one rename makes it the database.
    var restoring: String { "\(self.database).restoring" }

    private var replaced: String { "\(self.database).replaced" }

    /// Moves the old database's log files aside, which SQLite would use as those of the new database.
    func setLogAside() throws {
        for suffix in Database.suffixes where rename(self.database + suffix, self.replaced + suffix) != 0 {
            guard errno == ENOENT else { throw Self.failure(self.database + suffix) }
        }
        try DurableFile.synchroniseFolder(self.path)
    }

    /// Removes the files of a restore. If the copy still exists, the old database was not replaced and gets its log back. The
    /// opening lock must be held, so that no restore is in progress.
    func cleanUpRestore() {
        let isInPlace = access(self.restoring, F_OK) != 0
        for suffix in Database.suffixes {
            if isInPlace {
                unlink(self.replaced + suffix)
            } else {
                rename(self.replaced + suffix, self.database + suffix)
            }
        }
        Database.remove(self.restoring)
    }
}
