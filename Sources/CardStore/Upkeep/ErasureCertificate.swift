package import CardModel
import Foundation

/// What an erasure came to: what is gone, and what lies outside and may remain. It holds nothing personal.
///
/// As JSON it is a line of `erasures.jsonl`.
package struct ErasureCertificate: Hashable, Sendable, Codable {
    /// What the other side of a call may still hold.
    package enum Remote: String, Sendable, Codable {
        /// The card was never sent there.
        case notSent = "not_sent"
        /// It was sent there, and refused for good.
        case refused
        /// It was sent there; nobody knows whether it arrived.
        case mayHold = "may_hold"
        /// It was sent there and taken.
        case holds
    }

    private enum CodingKeys: String, CodingKey {
        case card = "card_id"
        case erasedAt = "erased_at"
        case reason, actor, purpose, verifier, backend, deliveries
        case sourceFileCount = "source_files"
        case exportCount = "exports"
        case accessNumber = "access_number"
        case accessCode = "access_mac"
        case isScrubbed = "scrubbed"
    }

    /// The card; its tombstone keeps this name.
    package let card: CardID
    /// When it was erased, in ISO 8601.
    package let erasedAt: String
    /// Why, as a code.
    package let reason: ReasonCode
    /// Who had it erased.
    package let actor: String
    /// Why, in the words of whoever asked.
    package let purpose: String
    /// How many source files are known to have held it; they are not touched.
    package let sourceFileCount: Int
    /// What the verification service was sent.
    package let verifier: Remote
    /// What the business backend was sent.
    package let backend: Remote
    /// The idempotency keys under which the backend was sent it.
    package let deliveries: [String]
    /// How often it was exported; where to is not known here.
    package let exportCount: Int
    /// The line of the access log that tells of the erasure.
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
    /// Writes down what is known of a card that is about to be erased.
    init(
        of row: CardRow,
        reason: ReasonCode,
        by origin: AccessOrigin,
        logged head: AccessLog.Head,
        in tx: Transaction
    ) throws {
        let card = row.id
        self.card = card
        self.erasedAt = tx.now.description
        self.reason = reason
        self.actor = origin.actor
        self.purpose = origin.purpose
        self.sourceFileCount =
            try tx.value("SELECT count(*) FROM input WHERE card = \(card) AND device IS NOT NULL") ?? 0
        self.exportCount =
            try tx.value("SELECT count(*) FROM access_log WHERE card = \(card) AND action = 'export'") ?? 0
        self.verifier = try Remote(
            classes: "SELECT DISTINCT class FROM attempt WHERE subject = \(card) AND stage = 'verify'",
            in: tx
        )
        let sent: SQL = "SELECT delivery FROM delivery_card WHERE card = \(card)"
        self.backend =
            row.state == .delivered
            ? .holds
            : try Remote(
                classes: "SELECT DISTINCT class FROM attempt WHERE subject IN (\(sent)) AND stage = 'deliver'",
                in: tx
            )
        self.deliveries = try tx.values("SELECT key FROM delivery WHERE id IN (\(sent)) ORDER BY formed_at, id")
        self.accessNumber = head.number
        self.accessCode = head.code.hexadecimal
    }
}

extension ErasureCertificate.Remote {
    /// Judges by how the attempts ended; one that is under way may arrive.
    fileprivate init(classes sql: SQL, in tx: Transaction) throws {
        let classes = Set(try tx.rows(sql) { try $0.next(FailureClass?.self) ?? .unknown })
        if classes.contains(.accepted) {
            self = .holds
        } else if classes.contains(.unknown) || classes.contains(.transient) {
            self = .mayHold
        } else {
            self = classes.subtracting([.notSent]).isEmpty ? .notSent : .refused
        }
    }
}
