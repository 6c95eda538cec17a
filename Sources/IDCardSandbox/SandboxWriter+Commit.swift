import GRDB
import IDCardPipeline
import Synchronization

extension SandboxWriter {
    /// How a transaction ended for one of its changes; to be called once that is durable.
    private typealias Ending = @Sendable () -> Void

    /// Makes changes, and tells each caller what became of its own.
    func commit(_ group: [QueuedChange], in db: Database) {
        let group = self.admissible(group)
        guard !group.isEmpty else { return }
        do {
            for ending in try self.transaction(of: group, in: db) { ending() }
        } catch {
            if self.disk.isExhaustion(error) {
                self.commitInNeed(group, in: db, cause: error)
            } else {
                let error = self.judge(error)
                for change in group { change.refuse(error) }
            }
        }
        self.tidy(db)
    }

    /// Refuses what cannot be tried: everything once the door is shut, what only begins work while there is no reserve.
    private func admissible(_ group: [QueuedChange]) -> [QueuedChange] {
        if let failure = self.failure {
            for change in group { change.refuse(failure) }
            return []
        }
        guard group.contains(where: { !$0.mayUseReserve }), !self.disk.hasReserve() else { return group }
        for change in group where !change.mayUseReserve { change.refuse(StoreError.diskIsFull(because: nil)) }
        return group.filter(\.mayUseReserve)
    }

    /// Gives the reserve up and makes the changes that may use it, one by one: what ends cards must find room.
    private func commitInNeed(_ group: [QueuedChange], in db: Database, cause: any Error) {
        let hadReserve = group.contains(where: \.mayUseReserve) && self.disk.giveUpBallast()
        // What the log holds twice or more makes room once it is moved into the database.
        if hadReserve { self.emptyLog(of: db, waiting: .zero) }
        for change in group {
            let mayTry = hadReserve ? change.mayUseReserve : group.count > 1
            guard mayTry, self.failure == nil else {
                change.refuse(self.failure ?? StoreError.diskIsFull(because: cause))
                continue
            }
            do {
                for ending in try self.transaction(of: [change], in: db) { ending() }
            } catch {
                change.refuse(
                    self.disk.isExhaustion(error) ? StoreError.diskIsFull(because: error) : self.judge(error)
                )
            }
        }
    }

    /// Makes changes in one transaction and commits it.
    ///
    /// - Returns: how it ended for each change, in their order.
    /// - Throws: if it ended as a whole.
    private func transaction(of group: [QueuedChange], in db: Database) throws -> [Ending] {
        try self.turn.hold {
            guard group.count > 1 else { return [try self.inTransaction(db) { try self.makeAlone(group[0], in: db) }] }
            // Nearly always all succeed, and none needs a savepoint of its own; if one fails, all are made once more.
            if let endings = try self.inTransaction(db, { try self.makeTogether(group, in: db) }) { return endings }
            return try self.inTransaction(db) {
                let rowsBefore = db.totalChangesCount
                let endings = try group.map { try self.makeAmongOthers($0, in: db) }
                try db.commit()
                self.count(changes: group, rows: db.totalChangesCount - rowsBefore)
                return endings
            }
        }
    }

    /// Begins a transaction, and rolls it back if it is not committed in the end.
    private func inTransaction<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        try db.beginTransaction(.immediate)
        do {
            return try body()
        } catch {
            // Fallback of a rollback that fails: SQLite has rolled back by itself.
            if db.isInsideTransaction { try? db.rollback() }
            throw error
        }
    }

    /// Makes and commits several changes; `nil`, and nothing is changed, if one of them fails for a reason of its own.
    private func makeTogether(_ group: [QueuedChange], in db: Database) throws -> [Ending]? {
        let rowsBefore = db.totalChangesCount
        let endings: [Ending]
        do {
            endings = try group.map { try $0.make(db) }
        } catch {
            guard db.isInsideTransaction, !(error as? DatabaseError).isAboutTheDisk else { throw error }
            try db.rollback()
            return nil
        }
        try db.commit()
        self.count(changes: group, rows: db.totalChangesCount - rowsBefore)
        return endings
    }

    /// Makes and commits the only change of a transaction.
    private func makeAlone(_ change: QueuedChange, in db: Database) throws -> Ending {
        let rowsBefore = db.totalChangesCount
        let ending: Ending
        do {
            ending = try change.make(db)
        } catch {
            if (error as? DatabaseError).isAboutTheDisk { throw error }
            if db.isInsideTransaction { try db.rollback() }
            let translated = self.judge(error)
            return { change.refuse(translated) }
        }
        try db.commit()
        self.count(changes: [change], rows: db.totalChangesCount - rowsBefore)
        return ending
    }

    /// Makes one change of several so that, if it fails, it fails alone.
    private func makeAmongOthers(_ change: QueuedChange, in db: Database) throws -> Ending {
        var ending: Ending?
        do {
            try db.inSavepoint {
                ending = try change.make(db)
                return .commit
            }
        } catch {
            // SQLite ended the transaction, or the disk refuses: the others cannot go on as if nothing had happened.
            guard db.isInsideTransaction, !(error as? DatabaseError).isAboutTheDisk else { throw error }
            let translated = self.judge(error)
            return { change.refuse(translated) }
        }
        return ending ?? { change.refuse(StoreError(.unavailable, "the change did not run; please report this")) }
    }

    private func count(changes: [QueuedChange], rows: Int) {
        guard rows > 0 else { return }
        self.log.grew(by: changes.reduce(0) { $0 + $1.byteCount }, rows: rows)
        self.state.withLock { state in
            state.statistics.commits += 1
            state.statistics.changes += changes.count
        }
    }
}

extension DatabaseError? {
    /// Whether what failed was the disk, not the change.
    fileprivate var isAboutTheDisk: Bool {
        guard let code = self?.resultCode else { return false }
        return [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_CORRUPT, .SQLITE_READONLY].contains(code)
    }
}
