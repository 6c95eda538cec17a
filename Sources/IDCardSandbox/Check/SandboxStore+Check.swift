import GRDB
import IDCardPipeline

extension SandboxStore {
    /// Checks the whole sandbox; others may go on working in it.
    ///
    /// The rows are looked at in one consistent state, so that nothing under way looks broken. Images are opened a few
    /// at a time, each few in a state of its own, so that the write-ahead log of a running service can be emptied.
    ///
    /// - Parameter quick: whether to leave images and other sealed values unopened.
    /// - Throws: `StoreError.unavailable` if the disk refuses to be read.
    package func check(quick: Bool = false) async throws -> SandboxReport {
        var report = try await self.checkRows(quick: quick)
        report.findings += try await self.checkImages(quick: quick)
        report.findings += try await self.checkSources(quick: quick)
        report.findings += try await self.checkOwners()
        report.findings += try await self.checkFiles()
        return report.withoutRepetitions
    }

    /// Checks the rows in one state of the database.
    func checkRows(quick: Bool) async throws -> SandboxReport {
        try await self.read { db in
            var report = SandboxReport(isQuick: quick)
            report.findings += try Self.surviving(.databaseDamaged) { try Self.checkDatabase(db, quick: quick) }
            report.findings += try Self.surviving(.databaseDamaged) { try Self.checkSchema(db) }
            report.findings += try Self.surviving(.databaseDamaged) { try Self.checkReferences(db) }
            for rule in SandboxRule.all {
                report.findings += try Self.surviving(rule.code) { try rule.findings(in: db) }
            }
            report.findings += try self.checkValues(in: db, quick: quick)
            report.findings += try Self.surviving(.chainBroken) {
                let (log, findings) = try self.checkAccessLog(in: db)
                report.accessLog = log
                return findings
            }
            report.findings += try Self.surviving(.keyAnnounced) { try Self.checkKeys(in: db) }
            report.findings += try Self.surviving(.erasureUnlogged) { try self.checkCertificates(in: db) }
            try Self.count(into: &report, in: db)
            return report
        }
    }

    /// Runs a part of the check; one that meets a damaged page ends with a finding, and the others go on.
    static func surviving(
        _ part: SandboxFinding.Code,
        _ body: () throws -> [SandboxFinding]
    ) throws -> [SandboxFinding] {
        do {
            return try body()
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            let unchecked = part == .databaseDamaged ? "" : ", \(part.rawValue) could not be checked"
            return [
                SandboxFinding(.databaseDamaged, "a page of the database is damaged\(unchecked); restore a backup")
            ]
        }
    }

    private static func count(into report: inout SandboxReport, in db: Database) throws {
        do {
            report.cardCount = try Int.fetchOne(db, sql: "SELECT count(*) FROM card") ?? 0
            report.imageCount = try Int.fetchOne(db, sql: "SELECT count(*) FROM image") ?? 0
            report.deliveryCount = try Int.fetchOne(db, sql: "SELECT count(*) FROM delivery") ?? 0
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return  // Said already by the check of the database.
        }
    }
}

extension SandboxReport {
    /// The report with every finding once.
    fileprivate var withoutRepetitions: SandboxReport {
        var report = self
        var seen: Set<SandboxFinding> = []
        report.findings = self.findings.filter { seen.insert($0).inserted }
        return report
    }
}
