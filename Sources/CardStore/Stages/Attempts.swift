import CardModel

/// How a failed attempt is repeated.
package struct RetryTerms: Sendable {
    /// The number of counted failures after which there is no further attempt.
    package var maxAttempts: Int
    /// How long the card waits; the engine draws this by chance.
    package var delay: Duration

    package init(maxAttempts: Int, delay: Duration) {
        self.maxAttempts = maxAttempts
        self.delay = delay
    }
}

/// When one more failure counts towards the maximum of attempts.
enum AttemptRule {
    /// The failure never counts; it only makes the backoff grow.
    case never
    /// Each failure counts.
    case always
    /// The failure counts if the endpoint of a stage has accepted another card since the first failure; all failures up to then
    /// count as one.
    ///
    /// Only then the card is known to be the cause, not the endpoint. So an outage uses up no attempts, and a card that fails
    /// while others pass is finished. A first failure never counts. A call that began before the first failure, or ended by a
    /// clock that was fast, proves nothing; but if the request was refused (`stop`), an accepted call proves that the endpoint
    /// works, whenever it began.
    ///
    /// `except` selects the subjects of the card's own attempts.
    case onceOthersPass(Stage, after: FailureClass, except: SQL)
}

/// The failures of a card or a delivery.
struct FailureHistory {
    /// The failures that count towards the maximum of attempts.
    var failures: Int
    /// All failures, which make the backoff grow.
    var tries: Int
    var failedAt: Timestamp?
    /// When the first of the failures ended that have not counted yet.
    var countsFrom: Timestamp?
    /// Whether the last failure used up an attempt.
    private var hasCounted = false

    /// Reads `failures, tries, failed_at, counts_from`.
    init(_ row: inout Row) throws {
        (self.failures, self.tries) = (try row.next(), try row.next())
        (self.failedAt, self.countsFrom) = (try row.next(), try row.next())
    }

    /// Assigns the columns that store the history.
    var assignments: SQL {
        """
        failures = \(self.failures), tries = \(self.tries), failed_at = \(self.failedAt), counts_from = \(self.countsFrom)
        """
    }

    /// Whether the last failure counted and reached the maximum of attempts.
    func isUsedUp(by maxAttempts: Int) -> Bool { self.hasCounted && self.failures >= maxAttempts }

    /// Returns the history after one more failure.
    func adding(_ rule: AttemptRule, in tx: Transaction) throws -> FailureHistory {
        var next = self
        next.tries += 1
        next.failedAt = tx.now
        // Starts at the first failure, and again if a fast clock wrote a time in the future.
        if self.failedAt == nil || self.countsFrom.map({ $0 > tx.now }) ?? false { next.countsFrom = tx.now }
        switch rule {
        case .never: next.hasCounted = false
        case .always: next.hasCounted = true
        case .onceOthersPass(let stage, let failureClass, let ownSubjects):
            let began = failureClass == .stop ? Timestamp(millisecondsSinceEpoch: 0) : next.countsFrom
            next.hasCounted =
                try self.failedAt != nil
                && tx.exists(
                    """
                    SELECT 1 FROM attempt WHERE stage = \(stage) AND class = \(failure: .accepted) AND \(Unreadable.isUnderstood)
                    AND ended_at >= \(next.countsFrom) AND ended_at <= \(tx.now) AND started_at > \(began)
                    AND subject NOT IN (\(ownSubjects))
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

    /// Stores how an attempt ended: by `failure`, or accepted if there is none.
    ///
    /// - Parameter code: the code with which the remote accepted the call, if it gave one.
    /// - Returns: whether the attempt was in progress; `false` if its worker was considered dead meanwhile.
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

    /// Releases a card that is due again at once.
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

// A wait is stored with its start and end, as `due_from` and `due_at`: see ``Wait``.
extension Wait {
    /// Selects the cards or deliveries that have no wait, or whose wait is over.
    static func isOver(at now: Timestamp) -> SQL {
        "(due_at IS NULL OR due_at <= \(now) OR 2 * due_from - due_at > \(now))"
    }

    /// Assigns a wait that begins now; no wait if `end` is `nil`.
    static func assigning(until end: Timestamp?, from now: Timestamp) -> SQL {
        "due_from = \(end.map { _ in now }), due_at = \(end)"
    }

    init?(_ row: inout Row) throws {
        let (from, until) = (try row.next(Timestamp?.self), try row.next(Timestamp?.self))
        guard let from, let until else { return nil }
        self.init(from: from, until: until)
    }
}
