package import CardModel
package import Foundation

/// A delivery that a worker is about to send.
package struct DeliveryJob: Sendable {
    package var id: DeliveryID
    /// Its cards in order.
    package var members: [CardID]
    package var numbers: Set<BusinessNumber>
    /// The request that is sent.
    package var outbound: OutboundDelivery
    /// The stored attempt.
    package var attempt: Int64
    /// How often it has failed in a row.
    package var tries: Int
    /// Its cards as a form would name them now, if it was attempted before; otherwise empty.
    package var current: [DeliveryMember] = []
    /// Whether an attempt of it may have been applied.
    package var mayBeApplied = false
    /// The changes of other cards when it was formed: those that are superseded, rejected or held.
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

    /// Fails verified cards that cannot be put into any form, so that a person sees why. Cards that do not belong into one form
    /// are held instead: a person knows which of them is right.
    ///
    /// - Parameter failure: why; `nil` fails those whose stored image cannot be unsealed.
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

    /// Returns the first members of a delivery whose images together fit into a number of bytes; at least one, so that a
    /// larger card goes alone. The delivery is full if it uses the bytes up, or leaves a member out.
    package func members(
        _ members: [DeliveryMember],
        within byteCount: Int
    ) async throws -> (members: [DeliveryMember], isFull: Bool) {
        try await self.read { tx in
            var room = byteCount
            for (index, member) in members.enumerated() {
                room -= max(0, try self.records.imageByteCount(of: member.card, in: tx) ?? 0)
                if index > 0, room < 0 { return (Array(members.prefix(index)), true) }
            }
            return (members, room <= 0)
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
    ///   - id: the name under which it is stored.
    ///   - members: its cards in order.
    ///   - proposals: what was decided for their numbers.
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
        // Erasing a member closes the delivery, so the first member's key can unseal the parts for as long as they matter.
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
        // After the moves, each of which marks its number.
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
            // How often a member has failed in a row, in deliveries before this one.
            tries: rows.map(\.history.tries).max() ?? 0,
            changes: changes
        )
    }
}

extension ReasonCode {
    /// Cards of one delivery do not belong into one form: they name different user accounts.
    static let memberMismatch = ReasonCode(rawValue: "member_mismatch")
}
