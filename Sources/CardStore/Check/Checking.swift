package import CardModel
import Foundation
import GRDB

/// Something that is wrong with a sandbox.
package struct SandboxFinding: Hashable, Sendable {
    /// Its stable code.
    package var code: String
    /// The card that it concerns, if it is about one.
    package var card: CardID?
    /// What is wrong, and what to do.
    package var message: Message
}

extension CardStore {
    /// Checks the whole sandbox: the file, its references, the rules of the life of a card, the access log, every sealed value.
    ///
    /// Nothing is changed. Other processes may go on: each rule looks at one moment.
    package func check() async throws -> [SandboxFinding] {
        try await Self.translating {
            let findings = try await self.ruleFindings()
            // What does not even hold together as a file says nothing about cards.
            guard !findings.contains(where: { $0.code == "file_damaged" }) else { return findings }
            return try await findings + self.erasureFindings() + self.sealFindings()
        }
    }

    /// What is wrong with the file, its references, the life of cards, and the access log.
    func ruleFindings() async throws -> [SandboxFinding] {
        do {
            let file = try await self.fileFindings()
            guard file.isEmpty else { return file }
            // Each by itself: while one looks at a moment, the log of the changes since cannot be emptied.
            var findings = try await self.database.read { tx in try Self.referenceFindings(in: tx) }
            for rule in CheckRule.all {
                // A delivery without any card has none to name.
                let cards = try await self.database.read { tx in
                    try tx.rows(rule.query + "LIMIT \(Limits.findingsPerRule)") { try $0.next(CardID?.self) }
                }
                findings += cards.map { SandboxFinding(code: rule.code, card: $0, message: rule.message) }
            }
            findings += try await self.database.read { tx in try Self.caseFindings(in: tx) }
            return try await findings + self.database.read { tx in try self.logFindings(in: tx) }
        } catch let error as DatabaseError where error.kind == .damaged {
            return [Self.fileDamaged(error.text)]
        }
    }

    static let caseWrong = "case_wrong"

    private static func fileDamaged(_ text: String) -> SandboxFinding {
        SandboxFinding(code: "file_damaged", message: .fsckFileDamaged(text))
    }

    /// What SQLite itself finds, broken CHECK constraints included: a connection that only reads would pass over these.
    private func fileFindings() async throws -> [SandboxFinding] {
        try await self.database.withWriter { connection in
            try String.fetchAll(connection, sql: "PRAGMA main.integrity_check(100)").filter { $0 != "ok" }
        }.map(Self.fileDamaged)
    }

    private static func referenceFindings(in tx: Transaction) throws -> [SandboxFinding] {
        let tables = try tx.rows("PRAGMA foreign_key_check") { row in
            let table = try row.next(String.self)
            _ = try row.next(Int64?.self)
            return (table: table, parent: try row.next(String.self))
        }
        return tables.prefix(Limits.findingsPerRule).map { table, parent in
            SandboxFinding(code: "reference_missing", message: .fsckReferenceMissing(table, to: parent))
        }
    }

    private static func caseFindings(in tx: Transaction) throws -> [SandboxFinding] {
        let cases = try tx.rows("SELECT number, state, cause_card, cause FROM cases") { row in
            let number = try row.next(BusinessNumber.self)
            return (number, try CaseStanding(noted: &row))
        }
        var findings: [SandboxFinding] = []
        for (number, noted) in cases where findings.count < Limits.findingsPerRule {
            let standing = try Self.standing(of: number, in: tx)
            guard standing != noted else { continue }
            findings.append(
                SandboxFinding(code: Self.caseWrong, card: standing?.card ?? noted?.card, message: .fsckCaseWrong)
            )
        }
        return findings
    }

    private func logFindings(in tx: Transaction) throws -> [SandboxFinding] {
        try AccessLog.findings(by: self.vault, in: tx).prefix(Limits.findingsPerRule).map { finding in
            switch finding {
            case .broken(let number): SandboxFinding(code: "log_broken", message: .fsckLogBroken(number))
            case .gap(let number): SandboxFinding(code: "log_gap", message: .fsckLogGap(number))
            case .endMissing(let number):
                SandboxFinding(code: "log_end_missing", message: .fsckLogEndMissing(number))
            }
        }
    }
}
