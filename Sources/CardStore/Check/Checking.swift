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
                findings += try await self.database.read { tx in try Self.findings(of: rule, in: tx) }
            }
            return try await findings + self.database.read { tx in try self.logFindings(in: tx) }
        } catch let error as DatabaseError where error.kind == .damaged {
            return [Self.fileDamaged(error.text)]
        }
    }

    private static func fileDamaged(_ text: String) -> SandboxFinding {
        SandboxFinding(
            code: "file_damaged",
            message: "the file of the sandbox is damaged (\(text)); check the disk and restore a backup"
        )
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
            SandboxFinding(
                code: "reference_missing",
                message: "a row of the table \(table) names a row of \(parent) that is not there; restore a backup"
            )
        }
    }

    private static func findings(of rule: CheckRule, in tx: Transaction) throws -> [SandboxFinding] {
        // A delivery without any card has none to name.
        let cards = try tx.rows(rule.query + "LIMIT \(Limits.findingsPerRule)") { try $0.next(CardID?.self) }
        return cards.map { card in
            var message = rule.message
            if let command = rule.command, let card {
                message = message + ": idcard-pipeline cards \(command) \(card.rawValue)"
            }
            return SandboxFinding(code: rule.code, card: card, message: message)
        }
    }

    private func logFindings(in tx: Transaction) throws -> [SandboxFinding] {
        try AccessLog.findings(by: self.vault, in: tx).prefix(Limits.findingsPerRule).map { finding in
            switch finding {
            case .broken(let number):
                SandboxFinding(
                    code: "log_broken",
                    message:
                        "line \(number) of the access log was changed; whoever may write the file did it, so ask who"
                )
            case .gap(let number):
                SandboxFinding(
                    code: "log_gap",
                    message:
                        "lines of the access log before line \(number) were removed; whoever may write the file did it"
                )
            case .endMissing(let number):
                SandboxFinding(
                    code: "log_end_missing",
                    message:
                        "lines of the access log after line \(number) were removed; whoever may write the file did it"
                )
            }
        }
    }
}
