import CardModel

/// How a failed attempt is repeated; the engine draws the delay.
package struct RetryTerms: Sendable {
    /// The most failures that count.
    package var maxAttempts: Int
    /// How long the card waits.
    package var delay: Duration

    package init(maxAttempts: Int, delay: Duration) {
        self.maxAttempts = maxAttempts
        self.delay = delay
    }
}

/// When one more failure uses up an attempt.
enum AttemptRule {
    /// Never: it only makes the backoff grow.
    case never
    case always
    /// Once the endpoint of a stage has accepted another subject since the first failure: then the earlier ones count as one.
    ///
    /// So a failure counts only once it is known not to be the endpoint's: an outage uses up no attempts, even if one failure
    /// is the most, and a card that fails while others pass is finished. About a first failure nothing is known yet. A call
    /// that was in progress when the card failed, or was accepted at the time of a fast clock, proves nothing; but for a
    /// refused request (`stop`), an accepted one proves the difference whenever it began.
    ///
    /// `own` selects the subjects of the card's own attempts.
    case onceOthersPass(Stage, after: FailureClass, own: SQL)
}

/// The failures of a card or a delivery.
struct FailureHistory {
    /// Failures that count towards the most attempts.
    var failures: Int
    /// All failures, which make the backoff grow.
    var tries: Int
    var failedAt: Timestamp?
    /// When the first failure ended that may yet prove to count.
    var countsFrom: Timestamp?
    /// Whether the last failure used up an attempt.
    private var hasCounted = false

    /// Reads `failures, tries, failed_at, counts_from`.
    init(_ row: inout Row) throws {
        (self.failures, self.tries) = (try row.next(), try row.next())
        (self.failedAt, self.countsFrom) = (try row.next(), try row.next())
    }

    /// The assignments that store it.
    var assignments: SQL {
        """
        failures = \(self.failures), tries = \(self.tries), failed_at = \(self.failedAt), counts_from = \(self.countsFrom)
        """
    }

    /// Whether the last failure used up the last of the attempts.
    func isUsedUp(by most: Int) -> Bool { self.hasCounted && self.failures >= most }

    /// Returns the history after one more failure.
    func adding(_ rule: AttemptRule, in tx: Transaction) throws -> FailureHistory {
        var next = self
        next.tries += 1
        next.failedAt = tx.now
        // The first failure, or a time in the future, which a fast clock wrote.
        if self.failedAt == nil || self.countsFrom.map({ $0 > tx.now }) ?? false { next.countsFrom = tx.now }
        switch rule {
        case .never: next.hasCounted = false
        case .always: next.hasCounted = true
        case .onceOthersPass(let stage, let failureClass, let own):
            let began = failureClass == .stop ? Timestamp(millisecondsSinceEpoch: 0) : next.countsFrom
            next.hasCounted =
                try self.failedAt != nil
                && tx.exists(
                    """
                    SELECT 1 FROM attempt WHERE stage = \(stage) AND class = \(failure: .accepted) AND \(Unreadable.isUnderstood)
                    AND ended_at >= \(next.countsFrom) AND ended_at <= \(tx.now) AND started_at > \(began)
                    AND subject NOT IN (\(own))
                    """
                )
            if next.hasCounted { next.countsFrom = tx.now }
        }
        if next.hasCounted { next.failures += 1 }
        return next
    }
}

// MARK: Attempts

extension SandboxStages {
    /// Stores an attempt, and its cards in the access log, before its first byte is sent.
    func beginAttempt(
        _ stage: Stage,
        of subject: String,
        cards: [CardID],
        worker: Worker,
        in tx: Transaction
    ) throws -> Int64 {
        let origin = AccessOrigin(actor: "engine:\(worker.id)", purpose: stage.rawValue)
        let action: AccessAction = stage == .verify ? .verify : .deliver
        try AccessLog.append(action, of: cards, by: origin, vault: self.vault, in: tx)
        let id: Int64? = try tx.value(
            """
            INSERT INTO attempt (stage, subject, worker, started_at)
            VALUES (\(stage), \(subject), \(worker.id), \(tx.now)) RETURNING id
            """
        )
        guard let id else { throw DatabaseError(.damaged, "an attempt got no number") }
        return id
    }

    /// Stores how an attempt ended; without a failure it was accepted.
    ///
    /// - Parameter code: the code with which the remote side accepted it, where it has one.
    /// - Returns: whether it was in progress; `false` if its worker was considered dead meanwhile.
    @discardableResult
    func endAttempt(
        _ id: Int64,
        after failure: RemoteFailure?,
        acceptedAs code: String? = nil,
        in tx: Transaction
    ) throws -> Bool {
        let wasOpen = try tx.exists("SELECT 1 FROM attempt WHERE id = \(id) AND ended_at IS NULL")
        try tx.run(
            """
            UPDATE attempt SET ended_at = \(tx.now), class = \(failure?.failureClass ?? .accepted),
            code = \(failure?.code ?? code) WHERE id = \(id)
            """
        )
        return wasOpen
    }

    func release(_ row: CardRow, in tx: Transaction) throws {
        try tx.run("UPDATE card SET worker = NULL WHERE id = \(row.id)")
    }

    /// Releases a card that is due again later, mostly because it has failed once more.
    func release(_ row: CardRow, after history: FailureHistory, until due: Timestamp, in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE card SET worker = NULL, waits = 1, \(history.assignments),
            \(Wait.assigning(until: due, from: tx.now)) WHERE id = \(row.id)
            """
        )
    }
}

// Each wait is stored with both its ends, as `due_from` and `due_at`: see ``Wait``.
extension Wait {
    /// Selects the cards or deliveries that have no wait, or whose wait is over.
    static func isOver(at now: Timestamp) -> SQL {
        "(due_at IS NULL OR due_at <= \(now) OR 2 * due_from - due_at > \(now))"
    }

    /// Assigns a wait that begins now; `nil` ends it.
    static func assigning(until end: Timestamp?, from now: Timestamp) -> SQL {
        "due_from = \(end.map { _ in now }), due_at = \(end)"
    }

    init?(_ row: inout Row) throws {
        let (from, until) = (try row.next(Timestamp?.self), try row.next(Timestamp?.self))
        guard let from, let until else { return nil }
        self.init(from: from, until: until)
    }
}
