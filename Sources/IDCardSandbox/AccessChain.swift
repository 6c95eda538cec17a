package import Foundation
package import GRDB
import IDCardCore
import IDCardPipeline

/// The access log as a chain: every line carries the code of itself and of all lines before it.
///
/// A line that is changed, removed, inserted or moved by anyone without the chain key is found, and so is a log whose
/// end was cut off. Whoever holds the key, or puts back an older copy of the whole sandbox, is found only by comparing
/// with a head that was written down elsewhere; every certificate of an erasure holds one.
package struct AccessChain: Sendable {
    /// The last line: its number and code; what to write down elsewhere.
    package struct Head: Hashable, Sendable {
        /// The number of the last line; 0 for an empty log.
        package var number: Int64
        /// Its code, 32 bytes; zeros for an empty log.
        package var code: Data

        /// Before the first line.
        static let none = Head(number: 0, code: Data(count: 32))
    }

    /// What is wrong with the log.
    package enum Finding: Hashable, Sendable {
        /// The line is not what was written, or does not follow the line before it.
        case broken(number: Int64)
        /// Lines are missing before this one.
        case gap(before: Int64)
        /// The log does not end where it ended when it was last written to.
        case endMissing(after: Int64)
    }

    /// What a walk over the whole log comes to.
    package struct Report: Hashable, Sendable {
        /// What is wrong, first lines first; at most `AccessChain.maximumFindings`.
        package var findings: [Finding]
        /// How many lines there are.
        package var lineCount: Int
        /// Where the log ends.
        package var head: Head
    }

    /// After so many findings a walk stops collecting.
    package static let maximumFindings = 100

    private let vault: Vault

    /// Takes the door that holds the chain key.
    package init(vault: Vault) {
        self.vault = vault
    }

    /// Walks the whole log and says what is wrong with it.
    package func verify(in db: Database) throws -> Report {
        var report = Report(findings: [], lineCount: 0, head: .none)
        let rows = try Row.fetchCursor(db, sql: AccessSQL.walk)
        while let row = try rows.next() {
            let number: Int64 = row["number"]
            var findings: [Finding] = []
            if number != report.head.number + 1 { findings.append(.gap(before: number)) }
            if self.code(of: AccessRow(row), after: report.head) != row["mac"] as Data {
                findings.append(.broken(number: number))
            }
            report.findings += findings.prefix(max(0, Self.maximumFindings - report.findings.count))
            report.lineCount += 1
            report.head = Head(number: number, code: row["mac"])
        }
        let seal = try Data.fetchOne(db, cached: AccessSQL.seal)
        // An empty log is sealed, too: one that was wiped together with its seal is found.
        if seal != self.seal(of: report.head) { report.findings.append(.endMissing(after: report.head.number)) }
        return report
    }

    /// The last line.
    package func head(in db: Database) throws -> Head {
        try Row.fetchOne(db, cached: AccessSQL.head).map { Head(number: $0["number"], code: $0["mac"]) } ?? .none
    }

    /// The code of a line as certificates write it: in hexadecimal.
    static func text(of code: Data) -> String {
        code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Adds a line within the transaction of what it tells.
    func append(
        _ action: AccessAction,
        of card: CardID?,
        by origin: AccessOrigin,
        now: Timestamp,
        in db: Database
    ) throws {
        let last = try self.head(in: db)
        let row = AccessRow(
            number: last.number + 1,
            at: now.millisecondsSinceEpoch,
            actor: origin.actor,
            action: action.rawValue,
            purpose: origin.purpose,
            card: card?.rawValue
        )
        let head = Head(number: row.number, code: self.code(of: row, after: last))
        try db.execute(
            cached: AccessSQL.insert,
            arguments: [row.number, row.at, row.actor, row.action, row.purpose, row.card, head.code]
        )
        try db.execute(cached: AccessSQL.setSeal, arguments: [self.seal(of: head)])
    }

    /// Seals the log of a new sandbox, which is empty.
    func begin(in db: Database) throws {
        try db.execute(cached: AccessSQL.setSeal, arguments: [self.seal(of: .none)])
    }

    private func code(of row: AccessRow, after last: Head) -> Data {
        self.vault.chainCode(of: last.code + row.encoded)
    }

    /// What stands beside the log so that a cut end is found; under the same key, but of a form no line has.
    private func seal(of head: Head) -> Data {
        self.vault.chainCode(of: Data("head".utf8) + head.code + Data(String(head.number).utf8))
    }
}
