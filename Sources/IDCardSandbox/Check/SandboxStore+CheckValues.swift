import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// Opens everything sealed but the images, and asks whether it is what it should be.
    func checkValues(in db: Database, quick: Bool) throws -> [SandboxFinding] {
        var findings = try Self.surviving(.valueImpossible) { try Self.checkBusinessNumbers(in: db) }
        guard !quick else { return findings }
        findings += try Self.surviving(.valueUnreadable) { try self.checkCards(in: db) }
        findings += try Self.surviving(.valueUnreadable) { try self.checkReadings(in: db) }
        findings += try Self.surviving(.valueUnreadable) { try self.checkFetches(in: db) }
        findings += try Self.surviving(.valueUnreadable) { try self.checkParts(in: db) }
        findings += try Self.surviving(.mixedAccounts) { try self.checkAccounts(in: db) }
        return findings
    }

    private static func checkBusinessNumbers(in db: Database) throws -> [SandboxFinding] {
        let sql = "SELECT id, business_no FROM card WHERE state <> 'erased'"
        return try self.findings(of: sql, in: db) { row in
            let text: String = row["business_no"]
            guard BusinessNumber(stored: text) != nil else {
                return SandboxFinding(
                    .valueImpossible,
                    row["id"],
                    "the business number cannot be one; restore a backup"
                )
            }
            guard case .failure(let violation) = BusinessNumber.parse(text) else { return nil }
            // Taken in by an earlier version. Under a damaged number several cases lie; the rest is only told of.
            return SandboxFinding(
                .businessNumberRefused,
                row["id"],
                severity: violation == .spreadsheet ? .error : .notice,
                "the business number \(violation.words); erase the card, and send its photo again under its own number"
            )
        }
    }

    private func checkCards(in db: Database) throws -> [SandboxFinding] {
        try Self.findings(of: "SELECT \(CardColumn.list) FROM card WHERE state <> 'erased'", in: db) { row in
            // Told apart above.
            guard BusinessNumber(stored: row["business_no"]) != nil else { return nil }
            return try Self.unreadable(row["id"], "what the sender said of the card") {
                _ = try self.soundCard(from: row, in: db)
            }
        }
    }

    private func checkReadings(in db: Database) throws -> [SandboxFinding] {
        let sql = "SELECT reading.* FROM reading JOIN card ON card.id = reading.card WHERE card.state <> 'erased'"
        return try Self.findings(of: sql, in: db) { row in
            try Self.unreadable(row["card"], "what was read from the card") { _ = try self.reading(from: row, in: db) }
        }
    }

    private func checkFetches(in db: Database) throws -> [SandboxFinding] {
        let sql = "SELECT fetch.* FROM fetch JOIN card ON card.id = fetch.card WHERE card.state <> 'erased'"
        return try Self.findings(of: sql, in: db) { row in
            let card = CardID(rawValue: row["card"])
            return try Self.unreadable(card.rawValue, "the address of the image") {
                _ = try self.vault.openText(row["url"], card: card, column: Self.urlColumn, in: db)
                _ = try self.vault.openText(row["validator"], card: card, column: Self.validatorColumn, in: db)
            }
        }
    }

    private func checkParts(in db: Database) throws -> [SandboxFinding] {
        // Empty ones have a rule of their own.
        let sql = "SELECT id, parts FROM delivery WHERE state IN ('open', 'held') AND length(parts) > 0"
        return try Self.findings(of: sql, in: db) { row in
            let id: String = row["id"]
            return try Self.unreadable(id, "what the delivery sends") {
                let parts = try self.vault.open(row["parts"], delivery: id, column: "delivery.parts", in: db)
                _ = try Self.decode([DeliveryPart].self, from: parts, in: "delivery.parts")
            }
        }
    }

    /// A member without an account goes under the configured one, which may be any.
    private func checkAccounts(in db: Database) throws -> [SandboxFinding] {
        let sql = """
            SELECT delivery.id AS delivery, card.id AS card, user_number FROM delivery
                JOIN delivery_card ON delivery_card.delivery = delivery.id JOIN card ON card.id = delivery_card.card
            WHERE delivery.state = 'open' AND card.state = 'delivering' AND user_number IS NOT NULL
            """
        var accounts: [String: Set<Data>] = [:]
        let rows = try Row.fetchCursor(db, sql: sql)
        while let row = try rows.next() {
            let card: String = row["card"]
            // One that does not open is told above.
            let opened = try? self.vault.open(row["user_number"], card: card, column: "card.user_number", in: db)
            guard let opened, !opened.isEmpty else { continue }
            accounts[row["delivery"], default: []].insert(opened)
        }
        return accounts.filter { $0.value.count > 1 }.keys.sorted().map { delivery in
            SandboxFinding(
                .mixedAccounts,
                delivery,
                "the delivery holds cards of different user accounts; please report this"
            )
        }
    }

    /// Returns what a function finds wrong with the rows of a query, read one by one.
    private static func findings(
        of sql: String,
        in db: Database,
        _ body: (Row) throws -> SandboxFinding?
    ) throws -> [SandboxFinding] {
        var findings: [SandboxFinding] = []
        let rows = try Row.fetchCursor(db, sql: sql)
        while let row = try rows.next() {
            if let finding = try body(row) { findings.append(finding) }
        }
        return findings
    }

    /// Returns a finding if opening a value throws that it cannot be.
    private static func unreadable(
        _ subject: String,
        _ what: String,
        _ body: () throws -> Void
    ) throws -> SandboxFinding? {
        do {
            try body()
            return nil
        } catch let error as StoreError where [.corrupt, .notFound].contains(error.code) {
            return SandboxFinding(.valueUnreadable, subject, "\(what) cannot be opened; restore a backup")
        }
    }
}
