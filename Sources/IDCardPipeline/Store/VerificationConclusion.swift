package import IDCardCore

/// What becomes of a `prepared` card after verification was tried.
package enum VerificationConclusion: Hashable, Sendable {
    /// The service read it: becomes `verified`, `rejected` or `held` by the verdict; the reading is kept either way, and
    /// every warning becomes an event.
    case judged(CardReading, ReadingKey, Verdict, warnings: [VerdictFinding] = [])
    /// A definite no: becomes `rejected`.
    case rejected(ReasonCode, message: String)
    /// Attempts used up: becomes `failed`.
    case failed(ReasonCode, message: String)
    /// Stays `prepared`, to be tried again, at the cost of so many attempts.
    case retry(at: Timestamp, attempts: Int)
    /// Stays `prepared` with a smaller image, to be tried at once.
    case shrunk(PreparedImage)
}

extension VerificationConclusion {
    /// Stays `prepared`, to be tried again, at the cost of one attempt or of none.
    package static func retry(at time: Timestamp, costsAttempt: Bool) -> VerificationConclusion {
        .retry(at: time, attempts: costsAttempt ? 1 : 0)
    }
}
