import Foundation
import GRDB
import IDCardPipeline

extension SandboxStore {
    /// Follows the chain of the access log from its first line.
    ///
    /// - Returns: how many lines there are, the code of the last, and what is wrong.
    func checkAccessLog(in db: Database) throws -> (SandboxReport.AccessLog, [SandboxFinding]) {
        let report = try self.chain.verify(in: db)
        let log = SandboxReport.AccessLog(
            lineCount: report.lineCount,
            head: report.lineCount == 0 ? nil : report.head.code
        )
        return (log, report.findings.map { SandboxFinding(.chainBroken, Self.words(for: $0)) })
    }

    private static func words(for finding: AccessChain.Finding) -> String {
        let remedy = "compare with a backup, and ask who did it"
        return switch finding {
        case .broken(let number): "line \(number) of the access log is not what was written; \(remedy)"
        case .gap(let number): "lines of the access log are missing before line \(number); \(remedy)"
        case .endMissing(let number): "lines of the access log are missing after line \(number); \(remedy)"
        }
    }
}
