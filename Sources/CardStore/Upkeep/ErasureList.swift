package import CardModel
import Foundation
import Glibc

/// A certificate of what was erased, and what may remain outside the sandbox. It has nothing personal, and is made on request
/// from the card's tombstone and the access log.
package struct ErasureCertificate: Hashable, Sendable, Codable {
    /// What the verifier or the backend may still hold.
    package enum Remote: String, Sendable, Codable {
        /// The card was never sent.
        case notSent = "not_sent"
        /// The card was sent, and refused.
        case refused = "refused"
        /// The card was sent; whether it arrived is unknown.
        case mayHold = "may_hold"
        /// The card was sent and accepted.
        case holds = "holds"
    }

    private enum CodingKeys: String, CodingKey {
        case card = "card_id"
        case erasedAt = "erased_at"
        case reason = "reason"
        case actor = "actor"
        case purpose = "purpose"
        case verifier = "verifier"
        case backend = "backend"
        case deliveries = "deliveries"
        case sourceFileCount = "source_files"
        case exportCount = "exports"
        case accessNumber = "access_number"
        case accessCode = "access_mac"
        case isScrubbed = "scrubbed"
    }

    package let card: CardID
    /// When the card was erased, in ISO 8601.
    package let erasedAt: String
    package let reason: ReasonCode
    /// Who had the card erased.
    package let actor: String
    /// Why the card was erased, in the words of the caller.
    package let purpose: String
    /// How many source files of the card are known; they are not erased.
    package let sourceFileCount: Int
    package let verifier: Remote
    package let backend: Remote
    /// The idempotency keys under which the card was sent to the backend.
    package let deliveries: [String]
    /// How often the card was exported; the destinations are unknown.
    package let exportCount: Int
    /// The line of the access log that reports the erasure.
    package let accessNumber: Int64
    /// The chain code of that line in hexadecimal, which identifies the access log up to it.
    package let accessCode: String
    /// Whether the write-ahead log was emptied after the erasure.
    package let isScrubbed: Bool
}

extension ErasureCertificate {
    /// What the tombstone of a card keeps of the calls for the card; the calls themselves are deleted.
    struct Remains: Codable {
        let verifier: Remote
        let backend: Remote
        let deliveries: [String]
        /// The line of the access log that reports the erasure.
        let line: Int64

        private enum CodingKeys: String, CodingKey {
            case verifier = "verifier"
            case backend = "backend"
            case deliveries = "deliveries"
            case line = "line"
        }

        /// Collects the facts about a card that is about to be erased.
        init(of row: CardRow, line: Int64, in tx: Transaction) throws {
            self.line = line
            self.verifier = try Remote(after: "subject = \(row.id) AND stage = \(literal: .verify)", in: tx)
            let sent: SQL = "SELECT delivery FROM delivery_card WHERE card = \(row.id)"
            let attempts: SQL = "subject IN (\(sent)) AND stage = \(literal: .deliver)"
            self.backend = row.state == .delivered ? .holds : try Remote(after: attempts, in: tx)
            self.deliveries = try tx.values("SELECT key FROM delivery WHERE id IN (\(sent)) ORDER BY formed_at, id")
        }
    }

    /// Makes the certificate of a card; `nil` if the card is not erased, or its tombstone or line of the log is damaged.
    init?(of card: CardID, in tx: Transaction) throws {
        let erased: SQL = "SELECT reason, remains FROM card WHERE id = \(card) AND state = \(literal: .erased)"
        let tombstone = try tx.row(erased) { (reason: try $0.next(ReasonCode.self), remains: try $0.next(Data?.self)) }
        guard let tombstone,
            let remains = tombstone.remains.flatMap({ try? JSONDecoder().decode(Remains.self, from: $0) })
        else { return nil }
        // The line that the tombstone names: earlier ones may report only deleted images. After a restore, the log may be that of
        // another sandbox and lack this line; then the first line of the card counts.
        let line: SQL = """
            SELECT at, actor, purpose, number, mac, CASE WHEN number <= (SELECT scrubbed FROM store) THEN 1 ELSE 0 END
            FROM access_log WHERE card = \(card) AND action = \(AccessAction.erase)
            ORDER BY CASE WHEN number = \(remains.line) THEN 0 ELSE 1 END, at, number LIMIT 1
            """
        let log = try tx.row(line) { row in
            let at = try row.next(Timestamp.self)
            let (actor, purpose) = (try row.next(String.self), try row.next(String.self))
            let head = AccessLog.Head(number: try row.next(), code: try row.next())
            return (at: at, actor: actor, purpose: purpose, head: head, isScrubbed: try row.next(Bool.self))
        }
        guard let log else { return nil }
        (self.card, self.erasedAt, self.reason) = (card, log.at.description, tombstone.reason)
        (self.actor, self.purpose, self.isScrubbed) = (log.actor, log.purpose, log.isScrubbed)
        (self.verifier, self.backend, self.deliveries) = (remains.verifier, remains.backend, remains.deliveries)
        let files: SQL = "SELECT count(*) FROM input WHERE card = \(card) AND device IS NOT NULL"
        self.sourceFileCount = try tx.value(files) ?? 0
        let exports: SQL = "SELECT count(*) FROM access_log WHERE card = \(card) AND action = \(AccessAction.export)"
        self.exportCount = try tx.value(exports) ?? 0
        (self.accessNumber, self.accessCode) = (log.head.number, log.head.code.hexadecimal)
    }
}

extension ErasureCertificate.Remote {
    /// Judges by the results of attempts; an attempt in progress counts as one that may arrive.
    fileprivate init(after attempts: SQL, in tx: Transaction) throws {
        let ended: SQL = "SELECT DISTINCT class FROM attempt WHERE \(attempts)"
        let classes = Set(try tx.rows(ended) { try $0.next(FailureClass?.self) ?? .unknown })
        if classes.contains(.accepted) {
            self = .holds
        } else if classes.contains(.unknown) || classes.contains(.transient) {
            self = .mayHold
        } else {
            self = classes.subtracting([.notSent]).isEmpty ? .notSent : .refused
        }
    }
}

/// `erasures.jsonl` beside the database. A restore does not replace this file, so erased cards stay erased. A line is durable
/// before the transaction of the erasure is committed, so each erased card has one. If the process is killed between the two, a
/// card has a line and is not erased: `fsck` reports it, and a restore erases it.
struct ErasureList: Sendable {
    /// What is needed to repeat an erasure, as a line of JSON.
    struct Entry: Codable, Hashable, Sendable {
        let card: CardID
        let reason: ReasonCode?
        /// The line of the access log that reports the erasure; `nil` if a crash cut the line of this list off.
        var accessNumber: Int64?
        /// The digest that replaced the business number, if this was the last card under one that is erased.
        var number: BusinessNumber?

        private enum CodingKeys: String, CodingKey {
            case card = "card_id"
            case reason = "reason"
            case accessNumber = "access_number"
            case number = "business_no"
        }

        /// Whether the sandbox has the card, and the card is not erased.
        func isAlive(in tx: Transaction) throws -> Bool {
            try tx.exists("SELECT 1 FROM card WHERE id = \(self.card) AND state <> \(literal: .erased)")
        }
    }

    let path: String

    var isThere: Bool { access(self.path, F_OK) == 0 }

    /// Adds lines; they are durable when this returns.
    ///
    /// - Throws: `DatabaseError` of kind `full` if there is no room, else `CodedError` `sandbox_unavailable`.
    func append(_ entries: [Entry]) throws {
        guard !entries.isEmpty else { return }
        let isNew = !self.isThere
        let descriptor = open(self.path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw self.failure }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw self.failure }
        var content: [UInt8] = []
        var last: UInt8 = 0
        let end = lseek(descriptor, 0, SEEK_END)
        // A line that a crash cut off must not swallow the next one.
        if end > 0, pread(descriptor, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") {
            content.append(UInt8(ascii: "\n"))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for entry in entries { content += try encoder.encode(entry) + [UInt8(ascii: "\n")] }
        guard DurableFile.write(content, to: descriptor), fsync(descriptor) == 0 else { throw self.failure }
        if isNew { try DurableFile.synchroniseFolder(DurableFile.folder(of: self.path)) }
    }

    /// Reads the list, sorted by card; if a card has two lines, the later one counts. A line that was cut off counts, too, if it
    /// names a card: that card must not come back.
    ///
    /// - Throws: `CodedError` `erasures_unreadable` if a line is not an erasure, or the file cannot be read.
    func entries() throws -> [Entry] {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: self.path), options: .mappedIfSafe) } catch {
            throw CodedError(Self.unreadable, .storage, .erasuresUnreadable(self.path))
        }
        var entries: [CardID: Entry] = [:]
        for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
            if let entry = try? JSONDecoder().decode(Entry.self, from: line) {
                entries[entry.card] = entry
            } else if let match = String(decoding: line, as: UTF8.self).firstMatch(of: #/"card_id":"([^"\\]+)"/#) {
                let card = CardID(rawValue: String(match.1))
                entries[card] = Entry(card: card, reason: nil)
            } else if line.first != UInt8(ascii: "{"), !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                throw CodedError(Self.unreadable, .storage, .erasuresBadLine(index + 1, of: self.path))
            }
        }
        return entries.values.sorted { $0.card.rawValue < $1.card.rawValue }
    }

    private static let unreadable = ReasonCode(rawValue: "erasures_unreadable")

    private var failure: any Error {
        if [ENOSPC, EDQUOT, EFBIG].contains(errno) { return DatabaseError(.full, "the list of erasures cannot grow") }
        return CodedError.unavailable(.erasuresNotWritten(self.path, errno))
    }
}
