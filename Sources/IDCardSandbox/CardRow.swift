import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

/// What the row of a new card says.
struct CardRow {
    var id: CardID
    var state: CardState
    var metadata: CardMetadata
    /// The fingerprint of its source bytes.
    var content: Data
    /// Its place among all inputs; `nil` for the next one.
    var intakeOrder: Int64?
    var reason: ReasonCode?
    var message: String?
}

extension SandboxStore {
    /// Writes the row of a new card and the first line of its history.
    func insert(_ row: CardRow, kind: String, now: Timestamp, in db: Database) throws {
        let (id, metadata) = (row.id, row.metadata)
        try db.execute(
            cached: IntakeSQL.insertCard,
            arguments: [
                "id": id.rawValue, "state": row.state.rawValue, "businessNumber": metadata.businessNumber.rawValue,
                "content": row.content, "priority": metadata.priority,
                "intakeOrder": try row.intakeOrder ?? Self.reserveIntakeOrders(1, in: db),
                "userNumber": try self.vault.seal(metadata.userNumber, card: id, column: "card.user_number", in: db),
                "expectedIDNumber": try self.vault
                    .seal(metadata.expectedIDNumber, card: id, column: "card.expected_id_number", in: db),
                "expectedName": try self.vault.seal(
                    metadata.expectedName,
                    card: id,
                    column: "card.expected_name",
                    in: db
                ),
                "expectedSide": metadata.side?.rawValue, "reason": row.reason?.rawValue,
                "message": try self.vault
                    .seal(row.message.map(Redacted.init), card: id, column: "card.message", in: db),
                "now": now.millisecondsSinceEpoch,
            ]
        )
        try self.append(CardEvent(at: now, kind: kind, state: row.state, code: row.reason?.rawValue), to: id, in: db)
    }

    /// Draws consecutive places in the intake order, and returns the first.
    static func reserveIntakeOrders(_ count: Int, in db: Database) throws -> Int64 {
        let next = try Int64.fetchOne(
            db,
            cached: "UPDATE sandbox SET next_intake_order = next_intake_order + ? RETURNING next_intake_order",
            arguments: [count]
        )
        guard let next else { throw Self.corrupt("sandbox") }
        return next - Int64(count)
    }
}

extension Data {
    /// Random bytes of the system's generator.
    static func random(count: Int) -> Data {
        var random = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}
