package import CardModel
import Foundation

// Repeats deliveries that were attempted, byte for byte.
extension SandboxDeliveries {
    /// Claims deliveries that were attempted and are due again, and stores the next attempt of each.
    ///
    /// - Parameters:
    ///   - scope: which deliveries may go.
    ///   - longestAgoFirst: whether the delivery that failed longest ago goes first, not the one with the highest priority; for
    ///     an endpoint that fails.
    /// - Returns: the jobs, and the changes of cards whose delivery is dissolved, or closed because it cannot be unsealed.
    package func claimDeliveries(
        by worker: Worker,
        limit: Int,
        scope: ClaimScope = .all,
        longestAgoFirst: Bool = false,
        now: Timestamp
    ) async throws -> Claimed<DeliveryJob> {
        let order: SQL = longestAgoFirst ? "coalesce(failed_at, formed_at)" : "priority DESC, tries, formed_at"
        let due: SQL =
            scope == .unreadable
            ? """
            FROM delivery WHERE state = \(delivery: .open) AND unreadable = 1 AND NOT EXISTS (
                SELECT 1 FROM delivery AS other WHERE other.state = \(delivery: .open) AND other.unreadable = 1
                AND other.worker IS NOT NULL
            )
            """ : Self.repeats(dueAt: now)
        let (claimed, dissolved) = try await self.write(at: now) { tx in
            try self.sandbox.upkeep.requireLock(of: worker, in: tx)
            return try self.beginRepeats("SELECT id \(due) ORDER BY \(order) LIMIT \(limit)", by: worker, in: tx)
        }
        var jobs = try await self.sandbox.stages.unsealed(claimed, now: now) { claim, tx in
            let delivery = try DeliveryRecord(claim.id, store: self.sandbox, in: tx)
            return delivery.isClaimed(by: worker.id) ? try self.job(delivery, attempt: claim.attempt, in: tx) : nil
        } orEnd: { claim, tx in
            try self.sandbox.stages.endUnsent(claim.attempt, in: tx)
            let delivery = try DeliveryRecord(claim.id, store: self.sandbox, in: tx)
            // Another process that took the delivery over or closed it has stored what follows for the members.
            guard delivery.isClaimed(by: worker.id) else { return [] }
            try delivery.closeDamaged()
            return try delivery.memberStates
        }
        jobs.changes += dissolved
        return jobs
    }

    /// Claims the selected deliveries, and stores the next attempt of each; dissolves one if a newer photo replaces a member.
    private func beginRepeats(
        _ selected: SQL,
        by worker: Worker,
        in tx: Transaction
    ) throws -> (claimed: [(id: DeliveryID, attempt: Int64)], dissolved: [CardChange]) {
        var claimed: [(id: DeliveryID, attempt: Int64)] = []
        var dissolved: [CardChange] = []
        let ids: [DeliveryID] = try tx.values(
            "UPDATE delivery SET worker = \(worker.id) WHERE id IN (\(selected)) RETURNING id"
        )
        for id in ids {
            let delivery = try DeliveryRecord(id, store: self.sandbox, in: tx)
            if try delivery.isOvertaken {
                try delivery.dissolve()
                dissolved += try delivery.memberStates
            } else {
                let (stages, cards) = (self.sandbox.stages, delivery.members)
                claimed.append(
                    (id, try stages.beginAttempt(.deliver, of: id.rawValue, cards: cards, worker: worker, in: tx))
                )
            }
        }
        return (claimed, dissolved)
    }

    /// Selects the deliveries that were attempted and are due again.
    static func repeats(dueAt now: Timestamp) -> SQL {
        "FROM delivery WHERE state = \(delivery: .open) AND worker IS NULL AND \(Wait.isOver(at: now)) AND \(Unreadable.mayGo(.deliver, now: now))"
    }

    /// Dissolves the delivery of a card if none of its attempts can have been applied and none is in progress.
    ///
    /// - Returns: whether it was dissolved.
    func dissolveUnapplied(_ row: CardRow, in tx: Transaction) throws -> Bool {
        guard let delivery = try row.delivery.map({ try DeliveryRecord($0, store: self.sandbox, in: tx) }),
            delivery.isClaimed(by: nil), !delivery.mayBeApplied
        else { return false }
        try delivery.dissolve()
        return true
    }

    /// Counts the open deliveries, without those that failed ``Limits/triesOfUndecided`` times.
    package func undecidedDeliveries() async throws -> Int {
        try await self.read { tx in
            try tx.value(
                "SELECT count(*) FROM delivery WHERE state = \(delivery: .open) AND tries < \(Limits.triesOfUndecided)"
            ) ?? 0
        }
    }

    /// When the next delivery is due again; `nil` if none is.
    package func nextDelivery(now: Timestamp) async throws -> Timestamp? {
        try await self.read { tx in
            // No index is needed, since few deliveries are open at a time.
            try tx.value(
                """
                SELECT min(CASE WHEN NOT \(Unreadable.mayGo(.deliver, now: now)) THEN \(now.advanced(by: Limits.unreadableLook))
                WHEN \(Wait.isOver(at: now)) THEN 0 ELSE due_at END) FROM delivery WHERE state = \(delivery: .open) AND worker IS NULL
                """
            )
        }
    }

    func members(of delivery: DeliveryID, in tx: Transaction) throws -> [CardID] {
        try tx.values("SELECT card FROM delivery_card WHERE delivery = \(delivery) ORDER BY position")
    }

    private func job(_ delivery: DeliveryRecord, attempt: Int64, in tx: Transaction) throws -> DeliveryJob? {
        let (id, members) = (delivery.id, delivery.members)
        let rows = try members.map { try CardRow.require($0, in: tx) }
        guard let key = try rows.first?.key(self.vault) else { throw DatabaseError(.damaged, "a delivery has no card") }
        let material = try self.material(for: members, in: tx)
        return try tx.row(
            "SELECT key, layout, body, boundary, parts FROM delivery WHERE id = \(id)"
        ) { row in
            let outbound = OutboundDelivery(
                idempotencyKey: try row.next(),
                layout: try row.next(),
                body: try row.next(),
                boundary: try row.next(),
                // Empty parts cannot be unsealed, so missing parts are reported as damaged.
                parts: try key.open(json: row.next(Data?.self) ?? Data(), column: .parts),
                images: material.images,
                confidential: material.confidential
            )
            return DeliveryJob(
                id: id,
                members: members,
                numbers: Set(rows.map(\.number)),
                outbound: outbound,
                attempt: attempt,
                tries: delivery.history.tries,
                current: rows.compactMap { self.member($0) },
                mayBeApplied: delivery.mayBeApplied
            )
        }
    }

    /// The values of a card that a form uses; `nil` if its side is not known.
    func member(_ row: CardRow) -> DeliveryMember? {
        guard let side = row.anySide else { return nil }
        // A card that cannot be unsealed is reported when the material is fetched, so the error is ignored here.
        let metadata = (try? row.card(self.vault))?.metadata
        var member = DeliveryMember(
            card: row.id,
            side: side,
            businessNumber: row.number,
            userNumber: metadata?.userNumber,
            isSplit: row.isSplit
        )
        member.givenNumber = metadata?.givenNumber
        return member
    }
}
