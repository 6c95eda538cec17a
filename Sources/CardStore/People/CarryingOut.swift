package import CardModel
import Synchronization

/// Since when a process knows of the decisions on its pages, by a clock that no one sets.
final class UndoTimes: Sendable {
    private let since = Mutex<[CardID: (until: Timestamp, steady: Duration)]>([:])

    /// Returns those whose time to take them back is over; forgets the ones that are gone.
    func over(_ decisions: [Decision], at steady: Duration) -> [Decision] {
        self.since.withLock { since in
            let known = since
            since = [:]
            return decisions.filter { decision in
                let start = known[decision.card].flatMap { $0.until == decision.until ? $0.steady : nil } ?? steady
                since[decision.card] = (decision.until, start)
                return steady - start >= Limits.undoTime
            }
        }
    }
}

// Decisions whose time to take them back is over are carried out.
extension CardStore {
    /// Carries out what can no longer be taken back, and drops what the rules no longer allow or was decided about a card that
    /// has moved since: an event says so, and the person is told.
    ///
    /// A decision belongs to the process whose page it was made on, by that process's own clock. Others carry it out in its time
    /// if that process is gone, else a minute late.
    ///
    /// - Parameters:
    ///   - worker: the process that looks.
    ///   - steady: its own clock.
    /// - Returns: where cards stand that this moved.
    /// - Throws: what the sandbox throws, if nothing was carried out.
    package func carryOutDecisions(by worker: Worker, steady: Duration, now: Timestamp) async throws -> [CardChange] {
        let waiting = try await self.read { tx in
            try Decision.all("WHERE \(Decision.isUndoable) ORDER BY decision.until LIMIT \(Limits.pageSize)", in: tx)
        }
        let late = now.advanced(by: Limits.undoGrace * -1)
        let mine = self.undoTimes.over(waiting.filter { $0.worker == worker.id }, at: steady)
        let others = waiting.filter { decision in
            guard let other = decision.worker, other != worker.id else { return false }
            return decision.until <= late || decision.wait.isOver(at: now) && !self.isAtWork(other)
        }
        let lapsed: SQL = "\(Decision.waits) AND decision.worker IS NULL"
        if try await self.read({ tx in
            try !Decision.all("WHERE \(lapsed) AND \(Decision.hasLapsed) LIMIT 1", in: tx).isEmpty
        }) {
            try await self.write(at: now) { tx in try self.dropLapsed(lapsed, in: tx) }
        }
        var changes: [CardChange] = []
        var failure: (any Error)?
        for decision in (mine + others).prefix(Limits.decisionsPerCall) {
            do { changes += try await self.carryOut(due: decision, now: now) } catch { failure = error }
        }
        if let failure, changes.isEmpty { throw failure }
        return changes
    }

    private func carryOut(due decision: Decision, now: Timestamp) async throws -> [CardChange] {
        do {
            return try await self.write(at: now, locking: [decision.number]) { tx in
                try self.carryOut(due: decision, in: tx)
            }
        } catch let error as CodedError where error.kind == .conflict {
            // All of it is undone by then.
            try await self.write(at: now) { tx in
                if try self.stands(decision, in: tx) { try self.drop(decision, because: error.message, in: tx) }
            }
            return []
        }
    }

    private func stands(_ due: Decision, in tx: Transaction) throws -> Bool {
        try Decision.all("WHERE decision.card = \(due.card) AND \(Decision.isUndoable)", in: tx).first == due
    }

    /// Asks everything again: another process may have carried it out, the person taken it back, the card moved.
    private func carryOut(due decision: Decision, in tx: Transaction) throws -> [CardChange] {
        guard try self.stands(decision, in: tx) else { return [] }
        let row = try CardRow.require(decision.card, in: tx)
        // What is being sent is carried out on its answer.
        if try self.isUnderWay(row, in: tx) { return [] }
        if try self.decision(about: decision.card, in: tx) == nil {
            try self.drop(decision, because: self.moved(row, since: decision.seen, in: tx).message, in: tx)
            return []
        }
        // It was permitted when it was written down.
        let subject = decision.decider
        let caller = Caller(subject: subject, scopes: [.review])
        let actor = "console:\(subject) as \(decision.action)"
        let person = AccessOrigin(caller: caller, actor, decision.secondPurpose ?? decision.purpose)
        // The lists may be others by now.
        let (action, origin) = try self.meant(decision.action, of: row, by: person, in: tx)
        try self.require(action, of: row, in: tx)
        let isNew = action != decision.action && decision.second == nil
        if try decision.waitsForSecond || isNew && self.needsSecond(action, of: row, in: tx) {
            let set: SQL = "worker = NULL, needs_second = 1, action = \(action)"
            try tx.run("UPDATE decision SET \(set) WHERE card = \(row.id) AND dropped = 0")
            return []
        }
        try decision.remove(in: tx)
        let confirmed = decision.second == nil ? origin : origin.confirming(decision.subject)
        return try self.carryOut(action, of: row, saying: decision.sealedMessage, by: confirmed, in: tx)
    }

    /// Drops what waits for a second person although its card has moved on.
    func dropLapsed(_ condition: SQL, in tx: Transaction) throws {
        let lapsed: SQL = "WHERE \(Decision.counts) AND \(condition) AND \(Decision.hasLapsed)"
        for decision in try Decision.all("\(lapsed) LIMIT \(Limits.decisionsPerCall)", in: tx) {
            let row = try CardRow.require(decision.card, in: tx)
            try self.drop(decision, because: self.moved(row, since: decision.seen, in: tx).message, in: tx)
        }
    }

    /// Lets the card go on without what was decided; each person who decided it is told.
    ///
    /// - Parameter person: who took it back, and knows.
    func drop(_ decision: Decision, because why: Message, by person: String? = nil, in tx: Transaction) throws {
        let set: SQL = "dropped = 1, worker = NULL, second = NULL, second_purpose = NULL"
        let dropping: SQL = "UPDATE OR REPLACE decision SET \(set) WHERE card = \(decision.card) AND dropped = 0"
        try tx.run(dropping)
        if let second = decision.ofSecond {
            try second.write(in: tx)
            try tx.run(dropping)
        }
        try tx.run("DELETE FROM decision WHERE card = \(decision.card) AND dropped = 1 AND subject = \(person)")
        let (row, subject) = (try CardRow.require(decision.card, in: tx), decision.decider)
        let message = Message.decisionRefused(subject, decision.action, why)
        let sealed = try (try? row.key(self.vault))?.seal(json: message, column: .cardMessage)
        try self.note(Transition(row.state, .decisionRefused), of: row.id, sealed: sealed, in: tx)
        let actor = AccessOrigin(actor: "dropped: \(subject) as \(decision.action)", purpose: decision.purpose)
        try AccessLog.append(.decide, of: [row.id], by: actor, vault: self.vault, in: tx)
        try Transition.markForDecision(row.number, in: tx)
    }
}
