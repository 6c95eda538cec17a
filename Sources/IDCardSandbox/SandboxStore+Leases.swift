import Foundation
import GRDB
package import IDCardCore
import IDCardPipeline

extension SandboxStore {
    package func reclaimLeases(now: Timestamp) async throws -> Int {
        let own = try self.owner
        let (others, someHaveExpired, hasCrashes, announced) = try await self.read { db in
            let others = try String.fetchAll(db, cached: "SELECT id FROM owner WHERE id <> ?", arguments: [own])
            let hasCrashes = try Bool.fetchOne(db, cached: "SELECT EXISTS (SELECT 1 FROM decoder_crash)") ?? true
            let announced = try String.fetchOne(db, cached: "SELECT announced_key_id FROM sandbox")
            return (others, try Self.someHaveExpired(by: now, in: db), hasCrashes, announced)
        }
        try await self.heed(announced)
        // Kept until the end: while their locks are ours, no other process finds the same owners dead.
        let dead = try others.compactMap { try DeadOwner(id: $0, in: self.directory) }
        // What a dead owner had under preparation is counted below.
        self.crashWatch.looked(found: hasCrashes || !dead.isEmpty)
        guard someHaveExpired || !dead.isEmpty else { return 0 }
        let reclaimed = try await self.writer.write { db in
            var count = 0
            for owner in dead {
                try self.noteInterruptedCalls(now: now, in: db, where: "lease_owner = ?", [owner.id])
                count += try Self.clearLeases(in: db, where: "lease_owner = ?", [owner.id])
                try db.execute(cached: "DELETE FROM owner WHERE id = ?", arguments: [owner.id])
                // Another process may have found it dead just before, and buried it since.
                if db.changesCount == 1 { try Self.countCrashes(of: owner, in: db) }
            }
            try self.noteInterruptedCalls(
                now: now,
                in: db,
                where: Self.hasExpired,
                [now.millisecondsSinceEpoch]
            )
            return count
                + (try Self.clearLeases(
                    in: db,
                    where: Self.hasExpired,
                    [now.millisecondsSinceEpoch]
                ))
        }
        for owner in dead { owner.bury() }
        return reclaimed
    }

    package func renewLeases(until expiry: Timestamp) async throws {
        let owner = try self.owner
        try await self.writer.write { db in
            for table in Self.leasedTables {
                try db.execute(
                    cached: "UPDATE \(table) SET lease_expires_at = ? WHERE lease_owner = ?",
                    arguments: [expiry.millisecondsSinceEpoch, owner]
                )
            }
        }
    }

    package func releaseLeases() async throws {
        let owner = try self.owner
        // Handing back is no step of the engine's clock: whatever was cut off is over by now.
        let now = Timestamp(Date())
        try await self.writer.write { db in
            try self.noteInterruptedCalls(now: now, in: db, where: "lease_owner = ?", [owner])
            _ = try Self.clearLeases(in: db, where: "lease_owner = ?", [owner])
        }
    }

    private static let leasedTables = ["card", "delivery"]
    private static let hasExpired = "lease_owner IS NOT NULL AND lease_expires_at <= ?"

    private static func someHaveExpired(by now: Timestamp, in db: Database) throws -> Bool {
        for table in Self.leasedTables {
            let sql = "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(Self.hasExpired))"
            if try Bool.fetchOne(db, cached: sql, arguments: [now.millisecondsSinceEpoch]) == true { return true }
        }
        return false
    }

    private static func clearLeases(
        in db: Database,
        where condition: String,
        _ arguments: StatementArguments
    ) throws -> Int {
        var count = 0
        for table in Self.leasedTables {
            try db.execute(
                cached: "UPDATE \(table) SET lease_owner = NULL, lease_expires_at = NULL WHERE \(condition)",
                arguments: arguments
            )
            count += db.changesCount
        }
        return count
    }
}
