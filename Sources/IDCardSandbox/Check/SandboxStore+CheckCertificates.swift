import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// Compares what the certificates of erasures say of the access log with the log.
    ///
    /// Each names the line that tells of its erasure, and where the chain ended then. So a log that was cut off, wiped or
    /// written anew is found although the rest of it is a whole chain, sealed with an older seal.
    func checkCertificates(in db: Database) throws -> [SandboxFinding] {
        var findings: [SandboxFinding] = []
        let rows = try Row.fetchCursor(db, sql: ErasureSQL.loggedErasures)
        while let row = try rows.next() {
            if let finding = Self.finding(about: row) { findings.append(finding) }
        }
        return findings
    }

    private static func finding(about row: Row) -> SandboxFinding? {
        let card: String = row["card"]
        let text = Data((row["certificate"] as String).utf8)
        guard let certificate = try? self.decode(ErasureCertificate.self, from: text, in: "erasure.certificate"),
            certificate.card.rawValue == card
        else {
            return SandboxFinding(
                .valueUnreadable,
                card,
                "the certificate of the erasure is none; `erasures.jsonl` has it as it was written, restore a backup"
            )
        }
        guard let code = row["mac"] as Data?, AccessChain.text(of: code) == certificate.accessCode else {
            return SandboxFinding(
                .erasureUnlogged,
                card,
                "the access log has another line \(certificate.accessNumber), or none, than the one that the certificate "
                    + "of the erasure names: it was cut off or written anew; compare with a backup, and ask who did it"
            )
        }
        return nil
    }
}
