import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func record(_ action: AccessAction, of card: CardID?, by origin: AccessOrigin, now: Timestamp) async throws
    {
        try await self.writer.write { db in
            if let card { _ = try self.requireCard(card, in: db) }
            try self.chain.append(action, of: card, by: origin, now: now, in: db)
        }
    }

    package func accessLog(of card: CardID?, after number: Int64, limit: Int) async throws -> [AccessLine] {
        try await self.read { db in
            let rows =
                if let card {
                    try Row.fetchAll(
                        db,
                        cached: AccessSQL.linesOfCard,
                        arguments: [card.rawValue, number, max(0, limit)]
                    )
                } else {
                    try Row.fetchAll(db, cached: AccessSQL.lines, arguments: [number, max(0, limit)])
                }
            // After a restore the log may speak of cards that are not there.
            if let card, rows.isEmpty { _ = try Self.requireRow(of: card, in: db) }
            return try rows.map(Self.line(from:))
        }
    }

    /// The chain of the access log.
    package var chain: AccessChain { AccessChain(vault: self.vault) }

    /// Writes down that the images of a delivery's members are about to be sent.
    func noteSending(of delivery: DeliveryID, by owner: String, now: Timestamp, in db: Database) throws {
        let origin = AccessOrigin.engine(owner, purpose: AccessPurpose.deliver)
        // All of them: what went before is sent along.
        for card in try self.members(of: delivery.rawValue, in: db) {
            try self.chain.append(.deliver, of: card, by: origin, now: now, in: db)
        }
    }

    /// Writes down that images may have been sent to the verification service by calls that were cut off: those of
    /// `prepared` cards whose lease meets a condition.
    func noteInterruptedCalls(
        now: Timestamp,
        in db: Database,
        where condition: String,
        _ arguments: StatementArguments
    ) throws {
        let rows = try Row.fetchAll(
            db,
            cached: """
                SELECT id, lease_owner FROM card WHERE state = 'prepared' AND lease_owner IS NOT NULL AND (\(condition))
                ORDER BY intake_order, id
                """,
            arguments: arguments
        )
        for row in rows {
            let origin = AccessOrigin.engine(row["lease_owner"], purpose: AccessPurpose.verifyInterrupted)
            try self.chain.append(.verify, of: CardID(rawValue: row["id"]), by: origin, now: now, in: db)
        }
    }

    private static func line(from row: Row) throws -> AccessLine {
        AccessLine(
            number: row["number"],
            at: Timestamp(millisecondsSinceEpoch: row["at"]),
            action: try Self.word(row["action"], in: "access_log.action"),
            origin: AccessOrigin(actor: row["actor"], purpose: row["purpose"]),
            card: (row["card"] as String?).map(CardID.init)
        )
    }
}
