import Foundation
import GRDB
import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func keep(_ run: SourceRun) async throws {
        let refusals = run.refusals.map { (Self.refusalPrefix + $0, $1) }
        let figures = run.counts.merging(refusals) { $1 }
        let counts = String(decoding: try Self.encode(figures), as: UTF8.self)
        try await self.writer.write { db in
            try db.execute(
                cached: ReceptionSQL.keepRun,
                arguments: [
                    run.id, run.source, run.state.rawValue, run.reason?.rawValue, counts,
                    run.startedAt.millisecondsSinceEpoch, run.endedAt?.millisecondsSinceEpoch,
                ]
            )
        }
    }

    package func run(_ id: String) async throws -> SourceRun? {
        try await self.read { db in
            try Row.fetchOne(db, cached: ReceptionSQL.run, arguments: [id]).map(Self.run(from:))
        }
    }

    package func openRuns() async throws -> [SourceRun] {
        try await self.read { db in try Row.fetchAll(db, cached: ReceptionSQL.openRuns).map(Self.run(from:)) }
    }

    /// What stands before the code of refusals among the counts.
    private static let refusalPrefix = "refused:"

    private static func run(from row: Row) throws -> SourceRun {
        let counts = Data((row["counts"] as String).utf8)
        let figures = try self.decode([String: Int].self, from: counts, in: "source_run.counts")
        let refusals = figures.filter { $0.key.hasPrefix(self.refusalPrefix) }
        return SourceRun(
            id: row["id"],
            source: row["source"],
            state: try self.word(row["state"], in: "source_run.state"),
            reason: (row["reason"] as String?).map(ReasonCode.init),
            counts: figures.filter { refusals[$0.key] == nil },
            refusals: Dictionary(
                uniqueKeysWithValues: refusals.map { (String($0.dropFirst(self.refusalPrefix.count)), $1) }
            ),
            startedAt: Timestamp(millisecondsSinceEpoch: row["started_at"]),
            endedAt: (row["ended_at"] as Int64?).map(Timestamp.init(millisecondsSinceEpoch:))
        )
    }
}
