package import CardModel
import Foundation
import Glibc

/// The result of an erasure: what is gone, and what may remain outside. It holds nothing personal.
///
/// As JSON it is a line of `erasures.jsonl`.
package struct ErasureCertificate: Hashable, Sendable, Codable {
    /// What the other side of a call may still hold.
    package enum Remote: String, Sendable, Codable {
        /// The card was never sent there.
        case notSent = "not_sent"
        /// It was sent there, and refused for good.
        case refused = "refused"
        /// It was sent there; whether it arrived is unknown.
        case mayHold = "may_hold"
        /// It was sent there and accepted.
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

    /// The card; its tombstone has this id.
    package let card: CardID
    /// When it was erased, in ISO 8601.
    package let erasedAt: String
    /// Why, as a code.
    package let reason: ReasonCode
    /// Who had it erased.
    package let actor: String
    /// Why, in the words of the caller.
    package let purpose: String
    /// How many source files are known to have held it; they are not touched.
    package let sourceFileCount: Int
    package let verifier: Remote
    package let backend: Remote
    /// The idempotency keys under which it was sent to the backend.
    package let deliveries: [String]
    /// How often it was exported; the destinations are unknown.
    package let exportCount: Int
    /// The line of the access log that reports the erasure.
    package let accessNumber: Int64
    /// The code of that line in hexadecimal: where the log ended then.
    package let accessCode: String
    /// Whether the write-ahead log was emptied since; not yet when its line was written.
    package var isScrubbed = false

    /// The certificate as one line of JSON.
    var line: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }
}

extension ErasureCertificate {
    /// Collects the known facts about a card that is about to be erased.
    init(
        of row: CardRow,
        reason: ReasonCode,
        by origin: AccessOrigin,
        logged head: AccessLog.Head,
        in tx: Transaction
    ) throws {
        let card = row.id
        (self.card, self.erasedAt, self.reason, self.actor) = (card, tx.now.description, reason, origin.actor)
        self.purpose = origin.purpose
        self.sourceFileCount =
            try tx.value("SELECT count(*) FROM input WHERE card = \(card) AND device IS NOT NULL") ?? 0
        self.exportCount =
            try tx.value("SELECT count(*) FROM access_log WHERE card = \(card) AND action = 'export'") ?? 0
        self.verifier = try Remote(after: "subject = \(card) AND stage = \(literal: .verify)", in: tx)
        let sent: SQL = "SELECT delivery FROM delivery_card WHERE card = \(card)"
        let attempts: SQL = "subject IN (\(sent)) AND stage = \(literal: .deliver)"
        self.backend = row.state == .delivered ? .holds : try Remote(after: attempts, in: tx)
        self.deliveries = try tx.values("SELECT key FROM delivery WHERE id IN (\(sent)) ORDER BY formed_at, id")
        self.accessNumber = head.number
        self.accessCode = head.code.hexadecimal
    }
}

extension ErasureCertificate.Remote {
    /// Judges by how the attempts ended; one that is in progress may arrive.
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

/// `erasures.jsonl` beside the database, which it outlives: erased cards stay erased when a backup is restored.
///
/// A line is durable before the transaction of its erasure is committed. So there is no erased card without its line; `fsck`
/// finds a line without its erasure, which a kill in between left, and a restore erases that card, too.
struct ErasureList: Sendable {
    /// The facts of an erasure that are needed to repeat it.
    struct Entry: Decodable, Hashable, Sendable {
        let card: CardID
        let reason: ReasonCode?

        private enum CodingKeys: String, CodingKey {
            case card = "card_id"
            case reason = "reason"
        }

        /// Whether its card is there and not erased.
        func isAlive(in tx: Transaction) throws -> Bool {
            try tx.exists("SELECT 1 FROM card WHERE id = \(self.card) AND state <> \(literal: .erased)")
        }
    }

    let path: String

    var isThere: Bool { access(self.path, F_OK) == 0 }

    /// Adds lines; they are durable when it returns.
    ///
    /// - Throws: `DatabaseError` of kind `full` if there is no room, else `CodedError` `sandbox_unavailable`.
    func append(_ lines: [Data]) throws {
        guard !lines.isEmpty else { return }
        let isNew = !self.isThere
        let descriptor = open(self.path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw self.failure }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw self.failure }
        var content = Data()
        var last: UInt8 = 0
        let end = lseek(descriptor, 0, SEEK_END)
        // A line that a crash cut off must not swallow the next one.
        if end > 0, pread(descriptor, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") {
            content.append(UInt8(ascii: "\n"))
        }
        for line in lines { content += line + [UInt8(ascii: "\n")] }
        while !content.isEmpty {
            let count = content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw self.failure }
            content = Data(content.dropFirst(count))
        }
        guard fsync(descriptor) == 0 else { throw self.failure }
        if isNew { try DurableFile.synchroniseFolder(DurableFile.folder(of: self.path)) }
    }

    /// Reads the list; of two lines of one card the later counts. A line that was cut off counts for the card that it names:
    /// better erased twice than not at all.
    ///
    /// - Throws: `CodedError` `erasures_unreadable` if a line is not an erasure, or the file cannot be read.
    func entries() throws -> [Entry] {
        var entries: [CardID: Entry] = [:]
        for (_, entry) in try self.read() { entries[entry.card] = entry }
        return entries.values.sorted { $0.card.rawValue < $1.card.rawValue }
    }

    /// Reads the lines in the order of their cards' ids, as bytes; nothing if there is no list.
    ///
    /// - Throws: As ``entries()``.
    func lines() throws -> [(card: CardID, text: Data)] {
        guard self.isThere else { return [] }
        return try self.read().map { (card: $1.card, text: $0) }
            .sorted { $0.card.rawValue.utf8.lexicographicallyPrecedes($1.card.rawValue.utf8) }
    }

    private func read() throws -> [(text: Data, entry: Entry)] {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: self.path), options: .mappedIfSafe) } catch {
            throw CodedError(Self.unreadable, .storage, .erasuresUnreadable(self.path))
        }
        return try data.split(separator: UInt8(ascii: "\n")).enumerated().compactMap { index, line in
            if let entry = try? JSONDecoder().decode(Entry.self, from: line) { return (line, entry) }
            if let match = String(decoding: line, as: UTF8.self).firstMatch(of: #/"card_id":"([^"\\]+)"/#) {
                return (line, Entry(card: CardID(rawValue: String(match.1)), reason: nil))
            }
            guard line.first != UInt8(ascii: "{"), !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else {
                return nil
            }
            throw CodedError(Self.unreadable, .storage, .erasuresBadLine(index + 1, of: self.path))
        }
    }

    private static let unreadable = ReasonCode(rawValue: "erasures_unreadable")

    private var failure: any Error {
        if [ENOSPC, EDQUOT, EFBIG].contains(errno) { return DatabaseError(.full, "the list of erasures cannot grow") }
        return CodedError.unavailable(.erasuresNotWritten(self.path, errno))
    }
}
