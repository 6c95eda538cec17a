package import IDCardCore

/// What an erasure came to: what is gone, and what lies outside and may remain. Free of personal data.
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

    /// What became of the documents of a built-in backend.
    package enum Documents: String, Sendable, Codable {
        /// Its folder holds none of this card any more.
        case erased
        /// Its folder was in use or could not be reached: its documents of this card remain for now.
        case remaining
    }

    /// The card; its tombstone keeps this name.
    package var card: CardID
    /// When it was erased.
    package var erasedAt: Timestamp
    /// Why, as a code.
    package var reason: ReasonCode
    /// Who had it erased.
    package var actor: String
    /// In whose words why.
    package var purpose: String
    /// How many source files are known to have held it. Their paths are not known here, only their fingerprints; the
    /// files themselves are not touched.
    package var sourceFileCount: Int
    /// What the verification service was sent.
    package var verifier: Remote
    /// What the business backend was sent.
    package var backend: Remote
    /// The idempotency keys under which the backend was sent it.
    package var deliveries: [String]
    /// How often it was exported, by the access log; where to is not known here.
    package var exportCount: Int
    /// What became of a built-in backend's documents; `nil` where the backend is somebody else's.
    package var documents: Documents?
    /// The number of the line of the access log that tells of the erasure.
    package var accessNumber: Int64
    /// The code of that line in hexadecimal: where the chain ended then.
    package var accessCode: String
    /// Whether nothing of it is left in the free pages and the write-ahead log of the sandbox.
    package var isScrubbed: Bool

    /// Describes an erasure.
    package init(
        card: CardID,
        erasedAt: Timestamp,
        reason: ReasonCode,
        origin: AccessOrigin,
        sourceFileCount: Int = 0,
        verifier: Remote = .notSent,
        backend: Remote = .notSent,
        deliveries: [String] = [],
        exportCount: Int = 0
    ) {
        self.card = card
        self.erasedAt = erasedAt
        self.reason = reason
        self.actor = origin.actor
        self.purpose = origin.purpose
        self.sourceFileCount = sourceFileCount
        self.verifier = verifier
        self.backend = backend
        self.deliveries = deliveries
        self.exportCount = exportCount
        self.accessNumber = 0
        self.accessCode = ""
        self.isScrubbed = false
    }
}
