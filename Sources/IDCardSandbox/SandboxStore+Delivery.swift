import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func claimDeliveries(
        limit: Int,
        order: ClaimOrder,
        until expiry: Timestamp,
        now: Timestamp
    ) async throws -> [Delivery] {
        guard limit > 0 else { return [] }
        let owner = try self.owner
        let arguments: StatementArguments = [
            owner, expiry.millisecondsSinceEpoch, now.millisecondsSinceEpoch, limit,
        ]
        return try await self.writer.write { db in
            try Self.firstRows(of: DeliverySQL.claims(in: order), arguments: arguments, in: db)
                // `RETURNING` promises no order.
                .sorted { Self.claimRank(of: $0) < Self.claimRank(of: $1) }
                .compactMap { try self.claimedDelivery(from: $0, owner: owner, now: now, in: db) }
        }
    }

    package func beginAttempt(of delivery: DeliveryID, after last: Int, now: Timestamp) async throws -> Int {
        let owner = try self.owner
        return try await self.writer.write { db in
            try self.requireLeased(delivery, by: owner, lastAttempt: last, in: db)
            let interruption = AttemptRecord(
                failureClass: .unknown,
                code: Self.interrupted,
                httpStatus: nil,
                startedAt: now
            )
            if try self.endOpenAttempt(of: delivery, as: interruption, now: now, in: db) {
                try self.tellMembers(of: delivery, code: interruption.code, now: now, in: db)
            }
            try db.execute(
                cached: "INSERT INTO attempt (delivery, ordinal, started_at) VALUES (?, ?, ?)",
                arguments: [delivery.rawValue, last + 1, now.millisecondsSinceEpoch]
            )
            try self.noteSending(of: delivery, by: owner, now: now, in: db)
            return last + 1
        }
    }

    package func postpone(_ delivery: DeliveryID, after last: Int, until time: Timestamp) async throws {
        let owner = try self.owner
        try await self.writer.write { db in
            try self.requireLeased(delivery, by: owner, lastAttempt: last, in: db)
            try self.postpone(delivery, until: time, attempts: 0, owner: owner, in: db)
        }
    }

    package func conclude(
        _ delivery: DeliveryID,
        as conclusion: DeliveryConclusion,
        attempt: AttemptRecord,
        number: Int,
        now: Timestamp
    ) async throws -> [Card] {
        let owner = try self.owner
        let cards = try await self.writer.write { db in
            try self.requireLeased(delivery, by: owner, lastAttempt: number, in: db)
            let acting = try self.actingMembers(of: delivery, in: db)
            try self.record(attempt, of: delivery, now: now, in: db)
            switch conclusion {
            case .delivered(let code):
                try self.close(delivery, as: .delivered, owner: owner, now: now, in: db)
                try self.moveMembers(of: delivery, to: .delivered, code: code, now: now, in: db)
            case .items(let endings):
                try self.close(delivery, as: Self.ending(of: endings), owner: owner, now: now, in: db)
                try self.endMembers(of: delivery, as: endings, now: now, in: db)
            case .rejected(let reason, let message):
                try self.close(delivery, as: .rejected, owner: owner, now: now, in: db)
                try self.moveMembers(of: delivery, to: .rejected, reason: reason, message: message, now: now, in: db)
            case .failed(let reason, let message):
                try self.close(delivery, as: .rejected, owner: owner, now: now, in: db)
                try self.moveMembers(of: delivery, to: .failed, reason: reason, message: message, now: now, in: db)
            case .held(let reason, let message):
                try self.close(delivery, as: .held, owner: owner, now: now, in: db)
                try self.moveMembers(of: delivery, to: .held, reason: reason, message: message, now: now, in: db)
            case .dissolved:
                try self.close(delivery, as: .dissolved, owner: owner, now: now, in: db)
                try self.moveMembers(of: delivery, to: .verified, now: now, in: db)
                try db.execute(
                    cached: "UPDATE card SET delivery = NULL WHERE delivery = ?",
                    arguments: [delivery.rawValue]
                )
            case .retry(let time, let attempts):
                try self.postpone(delivery, until: time, attempts: attempts, owner: owner, in: db)
            }
            try self.note(attempt, of: acting, endingAs: conclusion, now: now, in: db)
            return try acting.map { try self.requireCard($0, in: db) }
        }
        self.recent.forget(cards.lazy.filter { !$0.state.isRunnable }.map(\.id))
        return cards
    }

    /// The code of an attempt that has no outcome because its process ended.
    static let interrupted = "interrupted"

    private static func claimRank(of row: Row) -> (Int, Int64) {
        (-(row["priority"] as Int), row["number"])
    }
}
