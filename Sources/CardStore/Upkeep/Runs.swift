package import CardModel
import Foundation

/// A run on demand over a source of the configuration. If its process ends, another one continues the run.
package struct SourceRun: Hashable, Sendable, Record {
    /// The result of a run; codes and counts only.
    package struct Report: Hashable, Sendable, Codable {
        /// Why the source could not be read.
        package var reason: ReasonCode?
        /// The number of inputs by outcome.
        package var counts: [String: Int]
        /// The number of refused inputs by code.
        package var refusals: [String: Int] = [:]

        private enum CodingKeys: String, CodingKey {
            case reason = "reason"
            case counts = "counts"
            case refusals = "refusals"
        }

        package init(reason: ReasonCode? = nil, counts: [String: Int]) {
            self.reason = reason
            self.counts = counts
        }
    }

    package let id: String
    package let source: String
    package let submitter: String
    package let createdAt: Timestamp
    package let endedAt: Timestamp?
    /// The result; `nil` until the run ends, and if a restore ended it.
    package let report: Report?

    static let columns: SQL = "id, source, submitter, created_at, ended_at, report"
    static let tables: SQL = "run"

    init(_ row: inout Row) throws {
        (self.id, self.source, self.submitter) = (try row.next(), try row.next(), try row.next())
        (self.createdAt, self.endedAt) = (try row.next(), try row.next())
        self.report = try row.next(Data?.self).map { try JSONDecoder().decode(Report.self, from: $0) }
    }
}

extension SandboxUpkeep {
    /// Requests a run over a source; returns the queued run if there is one already. Deletes ended runs, except the newest
    /// ``Limits/runsKept``.
    package func askForRun(over source: String, by origin: AccessOrigin, now: Timestamp) async throws -> SourceRun {
        let submitter = (origin.caller ?? .process).subject
        return try await self.write(at: now) { tx in
            try AccessLog.append(.run, of: [nil], by: origin, vault: self.vault, in: tx)
            let waiting: SQL = "WHERE source = \(source) AND state = \(literal: .queued) ORDER BY created_at, id"
            if let first = try SourceRun.all(waiting, in: tx).first { return first }
            try tx.run(
                """
                DELETE FROM run WHERE state = \(literal: .ended) AND id NOT IN (
                    SELECT id FROM run WHERE state = \(literal: .ended) ORDER BY created_at DESC, id DESC LIMIT \(Limits.runsKept)
                )
                """
            )
            let new = try tx.row(
                """
                INSERT INTO run (id, state, submitter, source, created_at)
                VALUES (\(UUID().uuidString.lowercased()), \(literal: .queued), \(submitter), \(source), \(now))
                RETURNING \(SourceRun.columns)
                """
            ) { try SourceRun(&$0) }
            guard let new else { throw DatabaseError(.damaged, "a run was not written down") }
            return new
        }
    }

    /// Begins the oldest run over a source that is queued, or that a process left unfinished; `nil` if there is none, or if a
    /// process is performing a run over the source.
    package func beginRun(over source: String, by worker: String) async throws -> SourceRun? {
        try await self.write { tx in
            try tx.row(
                """
                UPDATE run SET state = \(literal: .running), worker = \(worker) WHERE id = (
                    SELECT id FROM run WHERE source = \(source) AND state <> \(literal: .ended) AND worker IS NULL
                    ORDER BY created_at, id LIMIT 1
                ) AND NOT EXISTS (SELECT 1 FROM run WHERE source = \(source) AND worker IS NOT NULL)
                RETURNING \(SourceRun.columns)
                """
            ) { try SourceRun(&$0) }
        }
    }

    /// Ends a run that a worker has begun.
    package func finish(_ run: SourceRun, as report: SourceRun.Report, by worker: String, now: Timestamp) async throws {
        let report = try JSONEncoder().encode(report)
        try await self.write(at: now) { tx in
            try tx.one(
                """
                UPDATE run SET state = \(literal: .ended), worker = NULL, report = \(report), ended_at = \(now)
                WHERE id = \(run.id) AND worker = \(worker)
                """
            )
        }
    }

    /// Ends the runs without a worker over other sources than `sources`, unless another server works, which may know the source.
    package func endRuns(
        exceptOver sources: [String],
        by worker: String,
        as report: SourceRun.Report,
        now: Timestamp
    ) async throws {
        let report = try JSONEncoder().encode(report)
        let isUnlisted: SQL = sources.isEmpty ? "" : "AND source NOT IN \(list: sources)"
        try await self.write(at: now) { tx in
            _ = try tx.run(
                """
                UPDATE run SET state = \(literal: .ended), report = \(report), ended_at = \(now)
                WHERE state <> \(literal: .ended) AND worker IS NULL \(isUnlisted)
                AND NOT EXISTS (SELECT 1 FROM worker WHERE command = 'serve' AND id <> \(worker))
                """
            )
        }
    }

    package func run(_ id: String) async throws -> SourceRun? {
        try await self.read { tx in try SourceRun.all("WHERE id = \(id)", in: tx).first }
    }

    package func runs() async throws -> [SourceRun] {
        try await self.read { tx in
            try SourceRun.all("ORDER BY created_at DESC, id DESC LIMIT \(2 * Limits.runsKept)", in: tx)
        }
    }
}
