import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    @discardableResult
    package func see(_ now: Timestamp, believing isBelieved: Bool) async throws -> SeenTime {
        let known = try await self.read { try Self.seenTime(in: $0) }
        var seen = known
        seen.see(now)
        if isBelieved { seen.believe(now) }
        // Just opened, or seen a moment ago: nothing that is worth a commit.
        let isNews =
            (seen.doubted == nil) != (known.doubted == nil) || known.isBehind(now)
            || seen.latest > known.latest.advanced(by: SeenTime.smallestStep)
        guard isNews else { return seen }
        return try await self.writer.write { try Self.see(now, believing: isBelieved, in: $0) }
    }

    /// Writes down the time that the clock says, and corrects what was written while it was ahead.
    @discardableResult
    static func see(_ now: Timestamp, believing isBelieved: Bool = false, in db: Database) throws -> SeenTime {
        let known = try self.seenTime(in: db)
        var seen = known
        seen.see(now)
        if isBelieved { seen.believe(now) }
        try db.execute(
            cached: ClockSQL.keep,
            arguments: [
                seen.last.millisecondsSinceEpoch, seen.doubted?.lowerBound.millisecondsSinceEpoch,
                seen.doubted?.upperBound.millisecondsSinceEpoch,
            ]
        )
        try self.correctTimes(now: now, wasAhead: known.isBehind(now), in: db)
        try self.correctAges(from: known, to: seen, in: db)
        return seen
    }

    /// Restarts retention for what ended while the clock was behind, once it is right: its times are too old.
    private static func correctAges(from known: SeenTime, to seen: SeenTime, in db: Database) throws {
        let (last, now) = (known.last.millisecondsSinceEpoch, seen.last.millisecondsSinceEpoch)
        guard seen.last >= known.last else {
            return try db.execute(cached: ClockSQL.goBack, arguments: ["now": now, "last": last])
        }
        try db.execute(cached: ClockSQL.restartAges, arguments: ["now": now, "last": last])
        try db.execute(cached: ClockSQL.comeForward, arguments: [now])
    }

    /// Ends waits that only a wrong clock can have set.
    ///
    /// - Parameter wasAhead: whether the clock was ahead when it was last seen: then every time that lies ahead is in doubt,
    ///   else only those further ahead than any wait is long.
    private static func correctTimes(now: Timestamp, wasAhead: Bool, in db: Database) throws {
        let longest = now.advanced(by: SeenTime.longestWait).millisecondsSinceEpoch
        let limit = wasAhead ? now.millisecondsSinceEpoch : longest
        for sql in ClockSQL.endWaits { try db.execute(cached: sql, arguments: [limit]) }
        try db.execute(cached: WaitSQL.endWaits, arguments: [limit])
        for sql in ClockSQL.endLeases { try db.execute(cached: sql, arguments: ["limit": longest]) }
        let changed = now.advanced(by: SeenTime.smallestStep).millisecondsSinceEpoch
        for sql in ClockSQL.restartWaits {
            try db.execute(cached: sql, arguments: ["now": now.millisecondsSinceEpoch, "limit": changed])
        }
    }

    static func seenTime(in db: Database) throws -> SeenTime {
        guard let row = try Row.fetchOne(db, cached: ClockSQL.seen) else { throw Self.corrupt("sandbox.last_seen_at") }
        let since = (row["doubted_since"] as Int64?).map(Timestamp.init(millisecondsSinceEpoch:))
        let until = (row["doubted_until"] as Int64?).map(Timestamp.init(millisecondsSinceEpoch:))
        var doubted: ClosedRange<Timestamp>?
        if let since, let until, since <= until { doubted = since...until }
        return SeenTime(last: Timestamp(millisecondsSinceEpoch: row["last_seen_at"]), doubted: doubted)
    }
}
