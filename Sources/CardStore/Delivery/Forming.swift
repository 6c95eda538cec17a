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

/// The images and personal values of a delivery's cards.
package struct DeliveryMaterial: Sendable {
    /// The prepared JPEG of each card.
    package var images: [CardID: Data]
    /// Personal values that no message may repeat.
    package var confidential: [Redacted<String>]
}

// MARK: Forming

extension CardStore {
    /// Fetches images and personal values of cards.
    ///
    /// - Throws: `stored_image_unreadable` if an image cannot be unsealed.
    package func material(for cards: [CardID]) async throws -> DeliveryMaterial {
        try await self.read { tx in try self.material(for: cards, in: tx) }
    }

    /// Fails verified cards whose stored image cannot be unsealed: they cannot go, and a person sees why.
    package func failUnreadable(_ cards: [CardID], now: Timestamp) async throws -> [CardChange] {
        try await self.write(at: now) { tx in
            try cards.compactMap { id in
                let row = try CardRow.require(id, in: tx)
                let opened = try Self.nilIfUnreadable { try self.open(row, in: tx) }
                return row.state == .verified && opened == nil ? try self.failUnreadable(row, in: tx) : nil
            }
        }
    }

    /// Fails verified cards that cannot be put into any form, so that a person sees why. Cards that do not belong into one form
    /// are held instead: a person knows which of them is right.
    @discardableResult
    package func failForming(
        _ cards: [CardID],
        because failure: RemoteFailure,
        now: Timestamp
    ) async throws -> [CardChange] {
        let end =
            failure.code == ReasonCode.memberMismatch.rawValue
            ? Transition(.held, .memberMismatch, failure.message) : Transition(.failed, .refusedByRemote, failure)
        return try await self.write(at: now) { tx in
            try cards.compactMap { id in
                let row = try CardRow.require(id, in: tx)
                return row.state == .verified ? try self.move(row, end, in: tx) : nil
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
                room -= max(0, try self.imageByteCount(of: member.card, in: tx) ?? 0)
                if index > 0, room < 0 { return (Array(members.prefix(index)), true) }
            }
            return (members, room <= 0)
        }
    }

    func material(for cards: [CardID], in tx: Transaction) throws -> DeliveryMaterial {
        var material = DeliveryMaterial(images: [:], confidential: [])
        for id in cards {
            let row = try CardRow.require(id, in: tx)
            let (card, image) = try self.open(row, in: tx)
            material.images[id] = image.jpeg
            let metadata = card.metadata
            material.confidential += [metadata.expectedIDNumber, metadata.expectedName, metadata.userNumber]
                .compactMap(\.self)
            let stored = try Self.nilIfUnreadable { try self.storedReading(of: row, in: tx) } ?? nil
            material.confidential += stored?.reading.fields.all ?? []
        }
        return material
    }

    /// Decides once more, forms a delivery, and stores its first attempt, in one commit.
    ///
    /// - Parameters:
    ///   - id: the name under which it is stored.
    ///   - members: its cards in order.
    ///   - outbound: the request to send.
    /// - Returns: the job; `nil` if its cards may no longer go as proposed.
    package func begin(
        _ id: DeliveryID,
        of members: [DeliveryMember],
        as outbound: OutboundDelivery,
        by worker: Worker,
        terms: DecidingTerms,
        now: Timestamp
    ) async throws -> DeliveryJob? {
        let numbers = Set(members.map(\.businessNumber))
        let job = try await self.write(at: now, locking: Array(numbers)) { tx -> DeliveryJob? in
            try self.require(worker, in: tx)
            let applications = try numbers.map { try Application($0, terms: terms, store: self, in: tx) }
            guard Self.mayGo(members, by: applications) else { return nil }
            let cards = members.map(\.card)
            return try self.form(id, of: cards, as: outbound, by: applications, worker: worker, in: tx)
        }
        if let job { self.preparedImages.drop(job.members) }
        return job
    }

    /// Whether every group of cards in a delivery may still go as when its form was built: the submitter may have named another
    /// account since, or the side of a card may have changed.
    private static func mayGo(_ members: [DeliveryMember], by applications: [Application]) -> Bool {
        func form(_ members: [DeliveryMember]) -> Set<DeliveryMember> {
            var members = members
            // Whether a card goes alone does not change what its form says of it.
            for index in members.indices { members[index].isSplit = false }
            return Set(members)
        }
        var rest = form(members)
        var joined: [[DeliveryMember]] = []
        for group in applications.flatMap(\.groups) where form(group).isSubset(of: rest) {
            rest.subtract(form(group))
            joined.append(group)
        }
        return rest.isEmpty && !joined.isEmpty && (joined.count == 1 || !joined.joined().contains(where: \.isSplit))
    }

    private func form(
        _ id: DeliveryID,
        of members: [CardID],
        as outbound: OutboundDelivery,
        by applications: [Application],
        worker: Worker,
        in tx: Transaction
    ) throws -> DeliveryJob {
        let rows = try members.map { try CardRow.require($0, in: tx) }
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
            try self.move(row, Transition(.delivering), also: ", delivery = \(id), due_at = NULL", in: tx)
        }
        // After the moves, each of which marks its number.
        let changes = try applications.flatMap { try $0.apply(forming: members) }
        return DeliveryJob(
            id: id,
            members: members,
            numbers: Set(rows.map(\.number)),
            outbound: outbound,
            attempt: try self.beginAttempt(.deliver, of: id.rawValue, cards: members, worker: worker, in: tx),
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
