import Foundation
import GRDB
import IDCardPipeline

extension SandboxStore {
    /// Follows the chain of the access log from its first line.
    ///
    /// - Returns: how many lines there are, the HMAC of the last, and what is broken.
    func checkAccessLog(in db: Database) throws -> (SandboxReport.AccessLog, [SandboxFinding]) {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM access_log") ?? 0
        let last = try Row.fetchOne(db, sql: "SELECT number, mac FROM access_log ORDER BY number DESC LIMIT 1")
        let log = SandboxReport.AccessLog(lineCount: count, head: last?["mac"])
        guard let last, last["number"] as Int != count else { return (log, []) }
        return (
            log,
            [
                SandboxFinding(
                    .chainBroken,
                    "lines of the access log are missing; compare with a backup, and ask who did it"
                )
            ]
        )
    }
}
