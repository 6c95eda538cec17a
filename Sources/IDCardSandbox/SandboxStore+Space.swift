import GRDB
package import IDCardPipeline

extension SandboxStore {
    package func space() async -> StoreSpace {
        let maximum = self.disk.storage.maximumBytes
        // Fallback of a sandbox that cannot be read: whoever works on it will be told.
        let used = maximum > 0 ? (try? await self.usedBytes()) ?? 0 : 0
        return self.disk.space(used: used)
    }

    /// Returns the sandbox's own word on whether it can work.
    package func readiness() async throws -> SandboxReadiness {
        let used = try await self.usedBytes()
        let writer = self.writerIfAny
        return SandboxReadiness(
            synchronousLevel: writer == nil ? nil : try await self.synchronousLevel(),
            failure: writer?.failure.map(Self.words),
            checkpointFailure: writer?.log.failure.map(Self.words),
            keyFailure: try await self.keyFailure(),
            erasureFailure: writer == nil ? nil : ErasureJournal(directory: self.directory).obstacle(),
            space: self.disk.space(used: used),
            freeBytes: self.disk.free,
            usedBytes: used,
            maximumBytes: self.disk.storage.maximumBytes,
            logBytes: self.disk.logSize,
            hasReserve: self.disk.hasReserve()
        )
    }

    /// Reads `PRAGMA synchronous` on the connection that writes; 2 (FULL) is what makes a commit outlive a power cut.
    package func synchronousLevel() async throws -> Int {
        try await self.writer.withConnection { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
    }

    /// What is erased leaves free pages behind, which are used again: they do not count.
    private func usedBytes() async throws -> Int {
        let (pages, size) = try await self.read { db in
            let all = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            return (all - free, try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
        return pages * size + self.disk.logSize
    }

    private static func words(_ error: any Error) -> String { (error as? StoreError)?.message ?? Self.refusal }

    /// Of an error that is not ours: its own words might hold more than may be told.
    private static let refusal = "the disk or the database refuses to work"
}
