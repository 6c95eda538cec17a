package import CardModel
import Foundation
import GRDB

/// Something that is wrong with a sandbox.
package struct SandboxFinding: Hashable, Sendable {
    /// The stable code of the finding.
    package var code: String
    /// The card that the finding is about, if any.
    package var card: CardID?
    /// What is wrong, and what to do.
    package var message: Message
}

extension SandboxFinding {
    /// Creates a finding whose code is the last part of the message's id.
    init(_ message: Message, card: CardID? = nil) {
        self.init(code: String(message.id.trimmingPrefix("fsck.")), card: card, message: message)
    }
}

extension SandboxUpkeep {
    /// Checks the whole sandbox: the file, its references, the rules of the life of a card, the access log, every sealed value.
    /// Nothing is changed. Other processes may work meanwhile: each rule reads a snapshot of its own.
    package func check() async throws -> [SandboxFinding] {
        try await Sandbox.translating {
            let findings = try await self.ruleFindings()
            // In a damaged file, further findings would mean nothing.
            guard !findings.contains(where: { $0.code == "file_damaged" }) else { return findings }
            return try await findings + self.erasureFindings() + self.sealFindings()
        }
    }

    /// Returns the faults of the file, its references, the life of cards, and the access log.
    func ruleFindings() async throws -> [SandboxFinding] {
        do {
            let file = try await self.fileFindings()
            guard file.isEmpty else { return file }
            // A snapshot for each check: while one is open, the write-ahead log cannot be emptied.
            var findings = try await self.sandbox.database.read { tx in try Self.referenceFindings(in: tx) }
            findings += try await self.findings(of: CheckRule.ofWork)
            let wrongCounts = try await self.sandbox.database.read { tx in try Tally.differences(in: tx) }
            findings += wrongCounts.map { _ in SandboxFinding(.fsckCountWrong) }
            findings += try await self.findings(of: CheckRule.ofRemains) + self.caseFindings()
            let log = try await self.sandbox.database.read { tx in try AccessLog.findings(by: self.vault, in: tx) }
            return findings + log.prefix(Limits.findingsPerRule)
        } catch let error as DatabaseError where error.kind == .damaged {
            return [SandboxFinding(.fsckFileDamaged(error.text))]
        }
    }

    private func findings(of rules: [CheckRule]) async throws -> [SandboxFinding] {
        var findings: [SandboxFinding] = []
        for rule in rules {
            // The query selects NULL for a delivery without cards.
            let cards = try await self.sandbox.database.read { tx in
                try tx.values("\(rule.query) LIMIT \(Limits.findingsPerRule)", as: CardID?.self)
            }
            findings += cards.map { SandboxFinding(rule.message, card: $0) }
        }
        return findings
    }

    /// Returns what SQLite itself finds. Uses the writing connection, since a read-only one does not check constraints.
    private func fileFindings() async throws -> [SandboxFinding] {
        try await self.sandbox.database.withWriter { connection in
            try String.fetchAll(connection, sql: "PRAGMA main.integrity_check(100)").filter { $0 != "ok" }
        }.map { SandboxFinding(.fsckFileDamaged($0)) }
    }

    private static func referenceFindings(in tx: Transaction) throws -> [SandboxFinding] {
        try tx.rows("SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT \(Limits.findingsPerRule)") { row in
            SandboxFinding(.fsckReferenceMissing(try row.next(), to: try row.next()))
        }
    }

    /// Returns the cases whose stored status does not follow from their cards.
    private func caseFindings() async throws -> [SandboxFinding] {
        var findings: [SandboxFinding] = []
        var last: String? = ""
        while let after = last, findings.count < Limits.findingsPerRule {
            let page = try await self.sandbox.database.read { tx in
                let page: SQL = "WHERE number > \(after) ORDER BY number LIMIT \(Limits.rowsPerCheck)"
                let cases = try tx.rows("SELECT number, \(CaseRow.columns) FROM cases \(page)") { row in
                    (number: try row.next(BusinessNumber.self), stored: try CaseRow(&row))
                }
                let wrong = try cases.compactMap { number, stored -> SandboxFinding? in
                    let current = try CaseRow.current(of: number, in: tx)
                    let card = current.status?.card ?? stored.status?.card
                    return current == stored ? nil : SandboxFinding(.fsckCaseWrong, card: card)
                }
                return (last: cases.last?.number.rawValue, wrong: wrong)
            }
            findings += page.wrong
            last = page.last
        }
        return Array(findings.prefix(Limits.findingsPerRule))
    }
}

extension SandboxUpkeep {
    /// Returns the sealed values that cannot be unsealed; unseals card by card, so that memory holds one image at a time.
    func sealFindings() async throws -> [SandboxFinding] {
        var findings: [SandboxFinding] = []
        var last: Int64 = 0
        while true {
            let after = last
            let page = try await self.read { tx in
                let rows = try CardRow.all(
                    """
                    WHERE card.intake_order > \(after) AND card.state <> \(literal: .erased)
                    ORDER BY card.intake_order LIMIT \(Limits.cardsPerCheck)
                    """,
                    in: tx
                )
                return (last: rows.last?.order, columns: try rows.map { ($0.id, try self.unopenable(of: $0, in: tx)) })
            }
            guard let end = page.last else { return findings }
            last = end
            for (card, columns) in page.columns {
                findings += columns.map { SandboxFinding(.fsckSealBroken($0), card: card) }
            }
        }
    }

    /// Returns the names of a card's sealed values that cannot be unsealed.
    private func unopenable(of row: CardRow, in tx: Transaction) throws -> [String] {
        // Another rule reports a card without a key.
        guard row.hasKey else { return [] }
        guard let key = try? row.key(self.vault) else { return [SealedColumn.cardKey.name] }
        var broken: Set<String> = []
        func record(_ column: SealedColumn, _ opens: Bool) { if !opens { broken.insert(column.name) } }
        func check<Value: Decodable>(_ column: SealedColumn, _ sealed: [Data], as type: Value.Type) {
            record(column, sealed.allSatisfy { (try? key.open(json: $0, as: type, column: column)) != nil })
        }
        check(.cardMetadata, [row.sealedMetadata].compactMap(\.self), as: SealedMetadata.self)
        var messages = [row.sealedMessage].compactMap(\.self)
        messages += try tx.values("SELECT message FROM event WHERE card = \(row.id) AND message IS NOT NULL")
        check(.cardMessage, messages, as: Message.self)
        let comments: [Data] = try tx.values(
            "SELECT message FROM decision WHERE card = \(row.id) AND message IS NOT NULL"
        )
        check(.decisionMessage, comments, as: Redacted<String>.self)
        if try self.records.hasImage(row.id, in: tx) {
            record(.image, (try? self.records.image(of: row.id, key: key, in: tx)) != nil)
        }
        if try self.records.hasReading(row.id, in: tx) {
            record(.reading(provider: "", parameters: ""), (try? self.records.storedReading(of: row, in: tx)) != nil)
        }
        let parts: [Data] = try tx.values(
            """
            SELECT delivery.parts FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
            WHERE delivery_card.card = \(row.id) AND delivery_card.position = 0 AND delivery.state IN \(deliveries: .open, .kept)
            AND delivery.parts IS NOT NULL
            """
        )
        check(.parts, parts, as: [DeliveryPart].self)
        return broken.sorted()
    }
}

// Checks that the list of erasures has a line for each erased card, and for no other card.
extension SandboxUpkeep {
    func erasureFindings() async throws -> [SandboxFinding] {
        do {
            let unerased = self.erasureList.isThere ? try await self.unerased() : []
            let unlisted = try await self.unlisted(limit: Limits.findingsPerRule)
            return unerased.map { SandboxFinding(.fsckErasureCutOff($0.card), card: $0.card) }
                + unlisted.map { SandboxFinding(.fsckErasureLineMissing, card: $0.card) }
        } catch let error as CodedError {
            return [SandboxFinding(code: error.code.rawValue, message: error.message)]
        }
    }

    /// Returns the lines that the list of erasures lacks.
    private func unlisted(limit: Int = .max) async throws -> [ErasureList.Entry] {
        // The list is read below, before the cards: it lacks the cards erased in between, whose log lines come after `last`.
        let last: Int64 =
            try await self.sandbox.database.read { try $0.value("SELECT max(number) FROM access_log") } ?? 0
        let listed = Set(self.erasureList.isThere ? try self.erasureList.entries().map(\.card) : [])
        // The last line of a card reports the erasure; earlier ones may report that only the image was deleted.
        let logged: SQL = "SELECT max(number) FROM access_log WHERE card = card.id AND action = \(AccessAction.erase)"
        var (missing, order): ([ErasureList.Entry], Int64?) = ([], 0)
        while let after = order, missing.count < limit {
            let page = try await self.sandbox.database.read { tx in
                try tx.rows(
                    """
                    SELECT id, reason, (\(logged)), number, intake_order FROM card
                    WHERE state = \(literal: .erased) AND remains IS NOT NULL AND intake_order > \(after)
                    ORDER BY intake_order LIMIT \(Limits.rowsPerCheck)
                    """
                ) { row in
                    var entry = try ErasureList.Entry(card: row.next(), reason: row.next(), accessNumber: row.next())
                    let number: BusinessNumber = try row.next()
                    entry.number = number.isDigest ? number : nil
                    return (entry, order: try row.next(Int64.self))
                }
            }
            missing += page.map(\.0).filter { !listed.contains($0.card) && $0.accessNumber.map { $0 <= last } ?? true }
            order = page.last?.order
        }
        return Array(missing.prefix(limit))
    }

    func writeMissingErasureLines() async throws { try self.erasureList.append(await self.unlisted()) }

    /// Returns the cards that are listed as erased and are not: a process was killed between listing and erasing.
    func unerased() async throws -> [ErasureList.Entry] {
        let entries = try self.erasureList.entries()
        return try await self.sandbox.database.read { tx in try entries.filter { try $0.isAlive(in: tx) } }
    }
}

extension SandboxFinding {
    /// Whether ``SandboxUpkeep/repair(by:now:)`` can repair the finding.
    package var isMendable: Bool {
        CheckRule.all.contains { $0.code == self.code && !$0.mends.isEmpty }
            || [
                "erased_with_remains", "erasure_cut_off", "erasure_line_missing", "reading_missing", "case_wrong",
                "count_wrong",
            ]
            .contains(self.code)
    }
}

extension SandboxUpkeep {
    /// Repairs what can be repaired without a risk: no repair sends a card twice, loses a card, or releases a held one.
    ///
    /// Marks cases that no process would decide, closes kept deliveries without held cards, and corrects wrong values of cases
    /// and counts. Treats calls of unregistered workers as calls that may have arrived. Deletes what is left of erased cards,
    /// finishes interrupted erasures, has cards without a reading read again, and adds missing lines to the list of erasures.
    ///
    /// - Returns: what was repaired, and what is left for a person.
    package func repair(
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> (mended: [SandboxFinding], left: [SandboxFinding]) {
        let before = try await self.check()
        guard before.contains(where: \.isMendable), !before.contains(where: { $0.code == "file_damaged" }) else {
            return ([], before)
        }
        let codes = Set(before.map(\.code))
        try await self.write(at: now) { tx in
            for rule in CheckRule.all where codes.contains(rule.code) {
                for mend in rule.mends { try tx.run(mend) }
            }
            if codes.contains("count_wrong") { try Tally.repair(in: tx) }
            for finding in before {
                guard let card = finding.card else { continue }
                let row = try CardRow.require(card, in: tx)
                switch finding.code {
                case "erased_with_remains" where row.state == .erased: try Erasure.destroy(card, in: tx)
                case "reading_missing" where row.state == .verified:
                    try self.records.move(row, Transition(.prepared), in: tx)
                default: break
                }
            }
        }
        var last: String? = ""
        while let after = last {
            last = try await self.write(at: now) { try CaseRow.setCaseStates(after: after, in: $0) }
        }
        if codes.contains("erased_with_remains") { await self.emptyLog() }
        if codes.contains("erasure_cut_off") { try await self.finishErasures(by: origin, now: now) }
        if codes.contains("erasure_line_missing") { try await self.writeMissingErasureLines() }
        let left = try await self.check()
        return (before.filter { !left.contains($0) }, left)
    }

    /// Erases the cards that are listed as erased and are not.
    private func finishErasures(by origin: AccessOrigin, now: Timestamp) async throws {
        for entry in try await self.unerased() {
            let reason = entry.reason ?? .requested
            let withNumber = entry.number != nil
            try await self.erase([entry.card], because: reason, withNumber: withNumber, by: origin, now: now)
        }
    }

    /// Checks the whole access log, as `fsck` does; returns the numbers of lines and findings.
    package func checkAccessLog() async throws -> (lines: Int, findings: Int) {
        try await self.read { tx in
            let lines: Int = try tx.value("SELECT count(*) FROM access_log") ?? 0
            return (lines, try AccessLog.findings(by: self.vault, in: tx).count)
        }
    }
}
