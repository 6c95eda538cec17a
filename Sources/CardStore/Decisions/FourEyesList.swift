package import CardModel

/// An action that two persons must decide alike, by the list of the sandbox.
package struct FourEyesEntry: Hashable, Sendable, Record {
    package let action: DecisionAction
    /// The person who asked to remove it from the list, and when.
    package let droppedBy: String?
    package let droppedAt: Timestamp?

    static let columns: SQL = "action, dropped_by, dropped_at"
    static let tables: SQL = "four_eyes"

    init(_ row: inout Row) throws {
        (self.action, self.droppedBy, self.droppedAt) = (try row.next(), try row.next(), try row.next())
    }
}

/// The outcome of a request to remove an action from the list.
package enum FourEyesDrop: Hashable, Sendable {
    case dropped
    /// Another person must request the same; from this time on the same person may.
    case waits(until: Timestamp)
}

// The list is stored in the sandbox, so that it applies to every process, whatever its configuration says.
extension SandboxDecisions {
    /// The actions that two persons must decide alike.
    package func fourEyes() async throws -> [FourEyesEntry] {
        try await self.read { tx in try FourEyesEntry.all("ORDER BY action", in: tx) }
    }

    /// Adds actions to the list.
    ///
    /// - Returns: those that were not on it.
    @discardableResult
    package func requireSecond(
        for actions: Set<DecisionAction>,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [DecisionAction] {
        let known = Set(try await self.fourEyes().map(\.action))
        let missing = actions.subtracting(known).sorted { $0.rawValue < $1.rawValue }
        guard !missing.isEmpty else { return [] }
        return try await self.write(at: now) { tx in
            let added = try missing.filter {
                try tx.run("INSERT INTO four_eyes (action) VALUES (\($0)) ON CONFLICT DO NOTHING") > 0
            }
            guard !added.isEmpty else { return [] }
            try self.log("adds", added, by: origin, in: tx)
            return added
        }
    }

    /// Removes an action from the list once two persons have requested it, or one person twice, at least seven days apart.
    ///
    /// - Parameter confirming: whether this must be the second request.
    /// - Throws: `card_conflict` if it is not on the list, or there is no request to confirm.
    package func dropFourEyes(
        _ action: DecisionAction,
        confirming: Bool = false,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> FourEyesDrop {
        let isClear = try await self.sandbox.upkeep.recordClock(now).doubted == nil
        return try await self.write(at: now) { tx in
            let entry = try self.entry(of: action, in: tx)
            let mayGo = entry.droppedAt.map { $0.advanced(by: Limits.dropAlone) }
            if let mayGo, entry.droppedBy != origin.decider || isClear && mayGo <= now {
                try tx.run("DELETE FROM four_eyes WHERE action = \(action)")
                let confirmed = entry.droppedBy.map(origin.confirming) ?? origin
                try self.log("drops", [action], by: confirmed, in: tx)
                return .dropped
            }
            if let mayGo { return .waits(until: mayGo) }
            guard !confirming else { throw Self.notAsked(action) }
            let asked: SQL = "dropped_by = \(origin.decider), dropped_at = \(now)"
            try tx.run("UPDATE four_eyes SET \(asked) WHERE action = \(action)")
            try self.log("asks to drop", [action], by: origin, in: tx)
            return .waits(until: now.advanced(by: Limits.dropAlone))
        }
    }

    /// Cancels the request to remove an action from the list.
    ///
    /// - Throws: `card_conflict` if it is not on the list, or there is no such request.
    package func keepFourEyes(_ action: DecisionAction, by origin: AccessOrigin, now: Timestamp) async throws {
        try await self.write(at: now) { tx in
            guard try self.entry(of: action, in: tx).droppedBy != nil else { throw Self.notAsked(action) }
            try tx.run("UPDATE four_eyes SET dropped_by = NULL, dropped_at = NULL WHERE action = \(action)")
            try self.log("keeps", [action], by: origin, in: tx)
        }
    }

    private func entry(of action: DecisionAction, in tx: Transaction) throws -> FourEyesEntry {
        guard let entry = try FourEyesEntry.all("WHERE action = \(action)", in: tx).first else {
            throw CodedError(.cardConflict, .conflict, .fourEyesNotListed(action))
        }
        return entry
    }

    private static func notAsked(_ action: DecisionAction) -> CodedError {
        CodedError(.cardConflict, .conflict, .fourEyesNotAsked(action))
    }

    private func log(_ verb: String, _ actions: [DecisionAction], by origin: AccessOrigin, in tx: Transaction) throws {
        let actor = "\(origin.actor): \(verb) \(actions.map(\.rawValue).joined(separator: ", "))"
        let origin = AccessOrigin(caller: origin.caller, actor, origin.purpose)
        try AccessLog.append(.fourEyes, of: [nil], by: origin, vault: self.vault, in: tx)
    }
}
