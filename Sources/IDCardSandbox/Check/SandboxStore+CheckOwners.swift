import GRDB
import IDCardPipeline

extension SandboxStore {
    /// Looks for owners whose process is gone, and for files of owners that are not known.
    func checkOwners() async throws -> [SandboxFinding] {
        let suspects = try await self.owners().filter { FileLock.probe(self.directory.ownerFile(of: $0)) != .held }
        // One that left between the two looks took its row along.
        let dead = suspects.isEmpty ? [] : try await self.owners().filter(suspects.contains)
        return dead.map { owner in
            SandboxFinding(
                .ownerDead,
                owner,
                severity: .notice,
                isRepairable: true,
                "a process ended without leaving; the next run takes its leases back"
            )
        }
            + (try await self.staleOwnerFiles()).map { owner in
                SandboxFinding(
                    .ownerFileStale,
                    owner,
                    severity: .notice,
                    isRepairable: true,
                    "a process ended before it was known and left its file; a repair removes it"
                )
            }
    }

    /// The files of owners that are neither known nor alive.
    func staleOwnerFiles() async throws -> [String] {
        let files = try self.directory.entries(of: self.directory.owners)
        let known = Set(try await self.owners())
        let suspects = files.filter { !known.contains($0) && self.isUnlocked($0) }
        // Somebody who is just opening makes the file, locks it, and then writes the row, all under the opening lock.
        guard !suspects.isEmpty, FileLock.probe(self.directory.openingLock) != .held else { return [] }
        return suspects.filter(self.isUnlocked)
    }

    private func isUnlocked(_ owner: String) -> Bool {
        FileLock.probe(self.directory.ownerFile(of: owner)) == .free
    }

    private func owners() async throws -> [String] {
        try await self.read { db in try String.fetchAll(db, sql: "SELECT id FROM owner ORDER BY id") }
    }
}
