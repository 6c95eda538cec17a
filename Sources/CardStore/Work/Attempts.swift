import CardModel
import Foundation

/// How a failed attempt is to be repeated; the delay is drawn by the engine.
package struct RetryTerms: Sendable {
    /// The most failures that count.
    package var maxAttempts: Int
    /// How long the card waits.
    package var delay: Duration

    /// Describes terms.
    package init(maxAttempts: Int, delay: Duration) {
        self.maxAttempts = maxAttempts
        self.delay = delay
    }
}

/// A call to an outside service.
enum AttemptStage: String {
    case fetch
    case verify
    case deliver
}

/// What a card or a delivery remembers of its failures.
struct FailureHistory {
    /// Failures that count towards the most attempts.
    var failures: Int
    /// All failures, which make the backoff grow.
    var tries: Int
    /// When the last one ended.
    var failedAt: Timestamp?
}

// MARK: Attempts

extension CardStore {
    /// Writes an attempt down before its first byte is sent.
    func beginAttempt(
        _ stage: AttemptStage,
        of subject: String,
        worker: String,
        now: Timestamp,
        in tx: Transaction
    ) throws -> Int64 {
        let id: Int64? = try tx.value(
            """
            INSERT INTO attempt (stage, subject, worker, started_at)
            VALUES (\(stage.rawValue), \(subject), \(worker), \(now)) RETURNING id
            """
        )
        guard let id else { throw DatabaseError(.damaged, "an attempt got no number") }
        return id
    }

    /// Writes down how an attempt ended.
    ///
    /// - Returns: whether it was under way; `false` if its worker was taken for dead meanwhile.
    @discardableResult
    func endAttempt(
        _ id: Int64,
        as failureClass: FailureClass,
        code: String?,
        httpStatus: Int?,
        now: Timestamp,
        in tx: Transaction
    ) throws -> Bool {
        let status = httpStatus.map(Int64.init)
        let wasOpen = try tx.exists("SELECT 1 FROM attempt WHERE id = \(id) AND ended_at IS NULL")
        try tx.one(
            """
            UPDATE attempt SET ended_at = \(now), class = \(failureClass), code = \(code), http_status = \(status)
            WHERE id = \(id)
            """
        )
        return wasOpen
    }

    /// Counts a failure: it counts only if the endpoint took another card since the last one, so that an outage fails nobody.
    func counting(
        _ history: FailureHistory,
        stage: AttemptStage,
        subject: String,
        now: Timestamp,
        in tx: Transaction
    ) throws -> FailureHistory {
        var counts = true
        if let failedAt = history.failedAt {
            counts = try tx.exists(
                """
                SELECT 1 FROM attempt WHERE stage = \(stage.rawValue) AND class = 'accepted' AND ended_at >= \(failedAt)
                AND subject <> \(subject)
                """
            )
        }
        return FailureHistory(
            failures: history.failures + (counts ? 1 : 0),
            tries: history.tries + 1,
            failedAt: now
        )
    }

    /// A due time: never so far ahead that a clock that was wrong once does harm.
    static func due(after delay: Duration, from now: Timestamp) -> Timestamp {
        now.advanced(by: min(delay, .milliseconds(Limits.longestWait)))
    }
}
