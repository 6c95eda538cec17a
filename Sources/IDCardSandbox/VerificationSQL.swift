import IDCardCore

/// The questions of verification; apart, so that a test can ask SQLite how it answers them.
enum VerificationSQL {
    static let claim = ClaimSQL.claim(.prepared)

    static let nextDue = ClaimSQL.nextDue(.prepared)

    static let readingOfCard = "SELECT card, content FROM reading WHERE card = ?"

    static let reading = """
        SELECT card, content FROM reading
        WHERE key_fingerprint = ? AND provider = ? AND parameters = ? ORDER BY created_at DESC LIMIT 1
        """
}
