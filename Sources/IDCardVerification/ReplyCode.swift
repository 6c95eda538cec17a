/// The codes that we give to replies in which the vendor gives none.
enum ReplyCode: String, CaseIterable, Sendable {
    /// A status of success, and no reading.
    case unusableReply = "unusable_reply"
    /// A reading in another dialect than the configured one.
    case wrongDialect = "wrong_dialect"
    /// A reply that broke off before an error string could be read.
    case truncatedReply = "truncated_reply"
    /// An error string that does not have the shape of a code.
    case unknownError = "unknown_error"
}
