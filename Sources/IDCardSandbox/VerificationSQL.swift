import IDCardCore
import IDCardPipeline

/// The questions of verification; apart, so that a test can ask SQLite how it answers them.
enum VerificationSQL {
    static let claim = ClaimSQL.claim(.prepared)

    /// The statements of a claim; the first that finds something counts.
    static func claims(in order: ClaimOrder) -> [String] {
        switch order {
        case .usual: [self.claim]
        case .untriedFirst: [self.claimUntried, self.claimTried]
        case .untriedOnly: [self.claimUntried]
        }
    }

    static let claimUntried = ClaimSQL.claim(.prepared, untriedIn: .verify)

    static let claimTried = ClaimSQL.claimTried(.prepared, in: .verify)

    static let nextDue = ClaimSQL.nextDue(.prepared)

    static let readingOfCard = "SELECT card, content FROM reading WHERE card = ?"

    static let reading = """
        SELECT card, content FROM reading
        WHERE key_fingerprint = ? AND provider = ? AND parameters = ? ORDER BY created_at DESC LIMIT 1
        """
}
