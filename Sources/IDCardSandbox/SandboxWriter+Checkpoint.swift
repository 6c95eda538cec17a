import GRDB
import IDCardPipeline
import Synchronization

extension SandboxWriter {
    /// Moves what has gathered in the write-ahead log into the database, when it is time.
    func tidy(_ db: Database) {
        guard self.failure == nil else { return }
        switch self.log.due(size: self.disk.logSize) {
        case .nothing: break
        case .checkpoint: self.checkpoint(db)
        case .emptying(let wait):
            let wasEmptied = self.emptyLog(of: db, waiting: wait)
            self.log.tried(emptied: wasEmptied, size: self.disk.logSize)
        }
    }

    /// Empties the write-ahead log, so that no earlier version of a page is left in any file.
    ///
    /// - Parameter wait: how long to wait for those who read an earlier state; nobody writes meanwhile.
    /// - Returns: `false` if somebody still reads an earlier state.
    func emptyLog(waiting wait: Duration) async throws -> Bool {
        try await self.withConnection { db in
            let wasEmptied = self.emptyLog(of: db, waiting: wait)
            if let failure = self.failure { throw failure }
            return wasEmptied
        }
    }

    /// Empties the write-ahead log; a busy one is left as it is.
    @discardableResult
    func emptyLog(of db: Database, waiting wait: Duration) -> Bool {
        do {
            try self.turn.hold {
                let milliseconds = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
                try db.execute(sql: "PRAGMA busy_timeout = \(wait / .milliseconds(1))")
                // Fallback of a pragma that cannot fail on an open connection: SQLite waits for a shorter time.
                defer { try? db.execute(sql: "PRAGMA busy_timeout = \(milliseconds)") }
                _ = try db.checkpoint(.truncate)
            }
            self.noteCheckpoint()
            return true
        } catch {
            self.note(error)
            return false
        }
    }

    /// Moves what nobody needs in the log any more; waits for nobody.
    func checkpoint(_ db: Database) {
        do {
            let (frames, moved) = try db.checkpoint(.passive)
            self.log.checkpointed(wholly: frames == moved)
            if frames == moved { self.noteCheckpoint() }
        } catch {
            self.log.checkpointed(wholly: false)
            self.note(error)
        }
    }

    private func noteCheckpoint() {
        self.log.note(nil)
        self.state.withLock { $0.statistics.checkpoints += 1 }
    }

    /// What was committed is durable in the log, so a checkpoint that fails is told, and tried again; unless the disk
    /// failed to store it: then nothing is certain any more and the door is shut.
    private func note(_ error: any Error) {
        if let error = error as? DatabaseError, error.resultCode == .SQLITE_BUSY { return }
        self.log.note(self.judge(error))
    }
}
