import GRDB
import IDCardPipeline

extension SandboxStore {
    /// Looks at the folder of the sandbox: who may look into it, and what lies in it.
    func checkFiles() async throws -> [SandboxFinding] {
        try self.directory.openModes().map { path in
            SandboxFinding(
                .modeOpen,
                path,
                isRepairable: true,
                "others may look into it; a repair closes it to them (0700 for folders, 0600 for files)"
            )
        } + self.filesOfOtherUsers() + self.foreignFiles() + self.leftCopies() + self.upgradeBackups()
            + (try await self.leftLog())
    }

    private func filesOfOtherUsers() throws -> [SandboxFinding] {
        try self.directory.foreignPaths().map { path in
            SandboxFinding(.userDiffers, path, self.directory.words(path))
        }
    }

    private func upgradeBackups() throws -> [SandboxFinding] {
        try self.directory.upgradeBackups().map { name in
            SandboxFinding(
                .upgradeBackupLeft,
                name,
                severity: .notice,
                "the backup from before an upgrade is still there; the first erasure removes it, or: "
                    + "rm '\(self.directory.path)/\(name)'"
            )
        }
    }

    private func foreignFiles() throws -> [SandboxFinding] {
        try self.directory.entries(of: self.directory.path).filter { !SandboxDirectory.isOurs($0) }.map { _ in
            // The name is somebody else's, and may be that of a person.
            SandboxFinding(
                .fileForeign,
                severity: .notice,
                "a file in the folder of the sandbox is not the sandbox's; move it elsewhere"
            )
        }
    }

    private func leftCopies() throws -> [SandboxFinding] {
        let copies = try self.directory.entries(of: self.directory.path).filter(SandboxDirectory.isRestoring)
        // Whoever restores holds the lock.
        guard !copies.isEmpty, FileLock.probe(self.directory.openingLock) != .held else { return [] }
        return copies.map { name in
            SandboxFinding(
                .restoreLeft,
                name,
                severity: .notice,
                isRepairable: true,
                "a restore was killed and left its copy; a repair removes it"
            )
        }
    }

    /// What was erased may still stand in the log; whoever works with the sandbox empties it now and then.
    private func leftLog() async throws -> [SandboxFinding] {
        guard let size = FileFacts(self.directory.database + "-wal")?.size, size > 0 else { return [] }
        let hasTombstones = try await self.read { db in
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM card WHERE state = 'erased')") ?? false
        }
        guard hasTombstones else { return [] }
        let owners = try self.directory.entries(of: self.directory.owners)
        let isBusy = owners.contains { FileLock.probe(self.directory.ownerFile(of: $0)) == .held }
        guard !isBusy, FileLock.probe(self.directory.openingLock) != .held else { return [] }
        return [
            SandboxFinding(
                .logLeft,
                severity: .notice,
                isRepairable: true,
                "the write-ahead log holds \(size) bytes, among them maybe some of erased cards; a repair empties it"
            )
        ]
    }
}
