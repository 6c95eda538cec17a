package import CardModel
import Synchronization

/// Since when a process knows of the decisions on its pages, by a monotonic clock.
final class UndoTimes: Sendable {
    private let since = Mutex<[CardID: (until: Timestamp, steady: Duration)]>([:])

    /// Returns the decisions that can no longer be undone; forgets those that are gone.
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

// Carries out decisions that can no longer be undone.
extension SandboxDecisions {
    /// Carries out decisions that can no longer be undone, and drops those that the rules no longer allow or whose card has moved
    /// since: an event says so, and the person sees it.
    ///
    /// A decision belongs to the process on whose page it was made, by that process's own clock. Others carry it out in time if
    /// that process is gone, else a minute late.
    ///
    /// - Parameters:
    ///   - worker: the calling process.
    ///   - steady: its monotonic clock.
    /// - Returns: the changes of the cards that this moved.
    /// - Throws: an error of the sandbox, if nothing was carried out.
    package func carryOutDecisions(by worker: Worker, steady: Duration, now: Timestamp) async throws -> [CardChange] {
        let waiting = try await self.read { tx in
            try Decision.all("WHERE \(Decision.isUndoable) ORDER BY decision.until LIMIT \(Limits.pageSize)", in: tx)
        }
        let late = now.advanced(by: Limits.undoGrace * -1)
        let mine = self.sandbox.undoTimes.over(waiting.filter { $0.worker == worker.id }, at: steady)
        let others = waiting.filter { decision in
            guard let other = decision.worker, other != worker.id else { return false }
            return decision.until <= late || decision.wait.isOver(at: now) && !self.sandbox.upkeep.isAtWork(other)
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
            // The transaction above was rolled back.
            try await self.write(at: now) { tx in
                if try self.stands(decision, in: tx) { try self.drop(decision, because: error.message, in: tx) }
            }
            return []
        }
    }

    /// Whether the decision can still be undone as it was read: it was neither carried out, undone nor replaced meanwhile.
    private func stands(_ due: Decision, in tx: Transaction) throws -> Bool {
        try Decision.all("WHERE decision.card = \(due.card) AND \(Decision.isUndoable)", in: tx).first == due
    }

    /// Carries out a decision if it still holds: meanwhile another process may have carried it out, the person may have undone it,
    /// or the card may have changed.
    private func carryOut(due decision: Decision, in tx: Transaction) throws -> [CardChange] {
        guard try self.stands(decision, in: tx) else { return [] }
        let row = try CardRow.require(decision.card, in: tx)
        // A decision about a card that is being sent waits for the answer.
        if try self.isUnderWay(row, in: tx) { return [] }
        if try Decision.about(decision.card, in: tx) == nil {
            try self.drop(decision, because: self.moved(row, since: decision.seen, in: tx).message, in: tx)
            return []
        }
        // The person had the permission when the decision was stored.
        let subject = decision.decider
        let caller = Caller(subject: subject, scopes: [.review])
        let actor = "console:\(subject) as \(decision.action)"
        let person = AccessOrigin(caller: caller, actor, decision.secondPurpose ?? decision.purpose)
        // The lists of codes may have changed.
        let (action, origin) = try self.effectiveAction(decision.action, of: row, by: person, in: tx)
        try self.require(action, of: row, in: tx)
        // Since it was stored the card may have become a front of a dispute.
        if try decision.second == nil && self.needsSecond(action, of: row, in: tx) || decision.waitsForSecond {
            let set: SQL = "worker = NULL, needs_second = 1, action = \(action)"
            try tx.run("UPDATE decision SET \(set) WHERE card = \(row.id) AND dropped = 0")
            return []
        }
        if let effect = decision.effect { try self.require(effect, of: row, in: tx) }
        try decision.remove(in: tx)
        let confirmed = decision.second == nil ? origin : origin.confirming(decision.subject)
        let (how, said) = ((action, decision.reason), decision.sealedMessage)
        let detail = decision.reason?.rawValue ?? action.rawValue
        return try self.carryOut(how, of: row, saying: said, by: confirmed, detail: detail, in: tx)
    }

    /// Drops the decisions that a condition selects and whose card has moved since.
    func dropLapsed(_ condition: SQL, in tx: Transaction) throws {
        let lapsed: SQL = "WHERE \(Decision.counts) AND \(condition) AND \(Decision.hasLapsed)"
        for decision in try Decision.all("\(lapsed) LIMIT \(Limits.decisionsPerCall)", in: tx) {
            let row = try CardRow.require(decision.card, in: tx)
            try self.drop(decision, because: self.moved(row, since: decision.seen, in: tx).message, in: tx)
        }
    }

    /// Drops a decision, which releases its card; each person who decided it sees that.
    ///
    /// - Parameter person: the person who withdrew it, and knows.
    func drop(_ decision: Decision, because why: Message, by person: String? = nil, in tx: Transaction) throws {
        let set: SQL = "dropped = 1, worker = NULL, second = NULL, second_purpose = NULL"
        let own: SQL = "card = \(decision.card) AND dropped"
        func dropIt(of subject: String) throws {
            try tx.run("DELETE FROM decision WHERE \(own) = 1 AND subject = \(subject)")
            try tx.run("UPDATE decision SET \(set) WHERE \(own) = 0")
        }
        try dropIt(of: decision.subject)
        if let second = decision.ofSecond {
            try second.write(in: tx)
            try dropIt(of: second.subject)
        }
        try tx.run("DELETE FROM decision WHERE card = \(decision.card) AND dropped = 1 AND subject = \(person)")
        let (row, subject) = (try CardRow.require(decision.card, in: tx), decision.decider)
        let message = Message.decisionRefused(subject, decision.action, why)
        let sealed = try (try? row.key(self.vault))?.seal(json: message, column: .cardMessage)
        let refused = Transition(row.state, .decisionRefused)
        try self.records.log(refused, from: row.state, of: row.id, sealed: sealed, in: tx)
        let actor = AccessOrigin(actor: "dropped: \(subject) as \(decision.action)", purpose: decision.purpose)
        try AccessLog.append(.decide, of: [row.id], by: actor, vault: self.vault, in: tx)
        try self.releaseDisputed(row.number, in: tx)
    }
}
