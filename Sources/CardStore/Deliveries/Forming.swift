package import CardModel
package import Foundation

/// A delivery that a worker is about to send.
package struct DeliveryJob: Sendable {
    package var id: DeliveryID
    /// The cards in order.
    package var members: [CardID]
    package var numbers: Set<BusinessNumber>
    /// The request that is sent.
    package var outbound: OutboundDelivery
    /// The stored attempt.
    package var attempt: Int64
    /// How often the delivery has failed in a row.
    package var tries: Int
    /// The cards with the values that a form would have now; empty for a new delivery.
    package var current: [DeliveryMember] = []
    /// Whether the backend may have applied an attempt.
    package var mayBeApplied = false
    /// The changes of other cards that the same proposals caused: superseded, rejected or held.
    package var changes: [CardChange] = []
}

/// The outcome of forming a delivery.
package enum DeliveryBeginning: Sendable {
    case begun(DeliveryJob)
    /// Nothing was stored: these numbers have changed since the proposal was made.
    case moved(Set<BusinessNumber>)
}

/// The images and personal values of a delivery's cards.
package struct DeliveryMaterial: Sendable {
    /// The prepared JPEG of each card.
    package var images: [CardID: Data]
    /// Personal values that no message may repeat.
    package var confidential: [Redacted<String>]
}

// MARK: Forming

extension SandboxDeliveries {
    /// Fetches images and personal values of cards.
    ///
    /// - Throws: `stored_image_unreadable` if an image cannot be unsealed.
    package func material(for cards: [CardID]) async throws -> DeliveryMaterial {
        try await self.read { tx in try self.material(for: cards, in: tx) }
    }

    /// Fails verified cards that cannot be put into any form, so that a person sees why. Holds cards instead that contradict
    /// each other, since only a person knows which of them is right.
    ///
    /// - Parameter failure: the cause; `nil` if it is a stored image that cannot be unsealed: only the cards with such an image
    ///   fail then.
    @discardableResult
    package func failForming(
        _ cards: [CardID],
        because failure: RemoteFailure?,
        now: Timestamp
    ) async throws -> [CardChange] {
        try await self.write(at: now) { tx in
            try cards.compactMap { id in
                let row = try CardRow.require(id, in: tx)
                guard row.state == .verified else { return nil }
                guard let failure else {
                    let opened = try CardRecords.nilIfUnreadable { try self.records.unseal(row, in: tx) }
                    return opened == nil ? try self.records.failUnreadable(row, in: tx) : nil
                }
                let isMismatch = failure.code == ReasonCode.memberMismatch.rawValue
                let held = Transition(.held, .memberMismatch, failure.message)
                return try self.records.move(
                    row,
                    isMismatch ? held : Transition(.failed, .refusedByRemote, failure),
                    in: tx
                )
            }
        }
    }

    /// Returns the first members of a delivery whose images together fit into a number of bytes; at least one, so that a card
    /// that exceeds the number goes alone. The delivery is full if it uses the bytes up, or leaves a member out.
    package func members(
        _ members: [DeliveryMember],
        within byteCount: Int
    ) async throws -> (members: [DeliveryMember], isFull: Bool) {
        try await self.read { tx in
            var bytesLeft = byteCount
            for (index, member) in members.enumerated() {
                bytesLeft -= max(0, try self.records.imageByteCount(of: member.card, in: tx) ?? 0)
                if index > 0, bytesLeft < 0 { return (Array(members.prefix(index)), true) }
            }
            return (members, bytesLeft <= 0)
        }
    }

    func material(for cards: [CardID], in tx: Transaction) throws -> DeliveryMaterial {
        var material = DeliveryMaterial(images: [:], confidential: [])
        for id in cards {
            let row = try CardRow.require(id, in: tx)
            let (card, image) = try self.records.unseal(row, in: tx)
            material.images[id] = image.jpeg
            let metadata = card.metadata
            material.confidential += [metadata.expectedIDNumber, metadata.expectedName, metadata.userNumber]
                .compactMap(\.self)
            let stored = try CardRecords.nilIfUnreadable { try self.records.storedReading(of: row, in: tx) }
            material.confidential += stored?.reading.fields.all ?? []
        }
        return material
    }

    /// Forms a delivery as proposed, and stores its first attempt, in one commit.
    ///
    /// - Parameters:
    ///   - id: the id of the new delivery.
    ///   - members: the cards in order.
    ///   - proposals: the proposals for the numbers of the cards.
    ///   - outbound: the request to send.
    package func begin(
        _ id: DeliveryID,
        of members: [DeliveryMember],
        proposed proposals: [DeliveryProposal],
        as outbound: OutboundDelivery,
        by worker: Worker,
        now: Timestamp
    ) async throws -> DeliveryBeginning {
        let cards = members.map(\.card)
        let beginning = try await self.write(at: now, locking: proposals.map(\.number)) { tx -> DeliveryBeginning in
            try self.sandbox.upkeep.requireLock(of: worker, in: tx)
            let moved = try proposals.filter { try !$0.isCurrent(in: tx) }
            guard moved.isEmpty else { return .moved(Set(moved.map(\.number))) }
            return .begun(try self.form(id, of: cards, as: outbound, proposed: proposals, worker: worker, in: tx))
        }
        if case .begun = beginning { self.sandbox.preparedImages.drop(cards) }
        return beginning
    }

    /// Stores a delivery with its members and first attempt, and applies the proposals to other cards of the numbers.
    private func form(
        _ id: DeliveryID,
        of members: [CardID],
        as outbound: OutboundDelivery,
        proposed proposals: [DeliveryProposal],
        worker: Worker,
        in tx: Transaction
    ) throws -> DeliveryJob {
        let rows = try members.map { id in
            guard let row = proposals.lazy.compactMap({ $0.rows[id] }).first else { throw CardRow.missing(id) }
            return row
        }
        // The key of the first member suffices: when any member is erased, the delivery is closed and needs no parts.
        let parts = try rows[0].key(self.vault).seal(json: outbound.parts, column: .parts)
        try tx.run(
            """
            INSERT INTO delivery (id, key, layout, body, boundary, parts, state, worker, priority, formed_at, changed_at)
            VALUES (\(id), \(outbound.idempotencyKey), \(outbound.layout), \(outbound.body), \(outbound.boundary),
            \(parts), \(DeliveryState.open), \(worker.id), \(rows.map(\.metadata.priority).max() ?? 0), \(tx.now), \(tx.now))
            """
        )
        for (position, row) in rows.enumerated() {
            try tx.run("INSERT INTO delivery_card (delivery, position, card) VALUES (\(id), \(position), \(row.id))")
            try self.records.move(row, Transition(.delivering), also: ", delivery = \(id), due_at = NULL", in: tx)
        }
        // After the moves, since each marks its number for decision, which a proposal then overrides.
        let changes = try proposals.flatMap { try $0.apply(forming: members, by: self.sandbox, in: tx) }
        return DeliveryJob(
            id: id,
            members: members,
            numbers: Set(rows.map(\.number)),
            outbound: outbound,
            attempt: try self.sandbox.stages.beginAttempt(
                .deliver,
                of: id.rawValue,
                cards: members,
                worker: worker,
                in: tx
            ),
            // The new delivery inherits the failures of its members in earlier deliveries.
            tries: rows.map(\.history.tries).max() ?? 0,
            changes: changes
        )
    }
}
