package import CardModel

/// An issue that blocks the pipeline, or waits for a person: `status`, `status --check`, `/readyz` and the metrics use these
/// alone, so they agree on the cause, since when, and the remedy.
package struct HealthIssue: Sendable, Encodable {
    /// How urgent it is.
    package enum Severity: String, CaseIterable, Sendable, Encodable {
        /// The pipeline works, and needs no person.
        case ok = "ok"
        /// Cases need a person.
        case warning = "warning"
        /// Cards do not move.
        case critical = "critical"
    }

    package enum Subject: String, Sendable, Encodable {
        case cases = "cases", endpoint = "endpoint", disk = "disk", process = "process", sandbox = "sandbox"
    }

    package let severity: Severity
    package let subject: Subject
    /// The stage of an endpoint.
    @Nullable package private(set) var stage: Stage?
    /// Such as the code of the remote, or the cause of cases.
    package let code: String
    /// Since when, where that is known.
    @Nullable package private(set) var since: String?
    /// What is wrong, since when, and what to do; without personal values.
    @InWords package private(set) var message: Message

    init(
        _ severity: Severity,
        _ subject: Subject,
        stage: Stage? = nil,
        code: String,
        since: String? = nil,
        _ message: Message
    ) {
        (self.severity, self.subject, self.code) = (severity, subject, code)
        (self.stage, self.since, self.message) = (stage, since, message.withoutPersonalValues)
    }

    /// An endpoint that does not work. One that asked for a slower pace gets its cards later, and needs no person.
    package init(_ pause: EndpointPause) {
        let (severity, since): (Severity, String) = (pause.state == .waits ? .ok : .critical, pause.since.description)
        self.init(severity, .endpoint, stage: pause.stage, code: pause.code, since: since, pause.text)
    }

    /// A disk that is nearly full; `nil` if it has room.
    package init?(_ room: DiskSpace) {
        guard let message = room.issue else { return nil }
        self.init(.critical, .disk, code: ReasonCode.diskSpaceLow.rawValue, message)
    }

    /// A sandbox that cannot be used, such as for a wrong key.
    package init(_ error: CodedError) { self.init(.critical, .sandbox, code: error.code.rawValue, error.message) }

    /// Cases of one cause that need a person; `nil` if they need none.
    init?(_ count: CaseCount) {
        guard count.state.needsPerson else { return nil }
        let (code, since) = (count.cause ?? count.state.rawValue, count.since.description)
        self.init(.warning, .cases, code: code, since: since, .troubleCases(count))
    }

    /// Tokens of a process that are not accepted; `nil` if all are.
    init?(tokensOf worker: WorkerStatus) {
        let (barred, isShut) = (worker.tokens.barred, worker.tokens.isShut)
        guard isShut || !barred.isEmpty else { return nil }
        let text: Message = isShut ? .troubleShut(worker) : .troubleBarred(barred)
        self.init(isShut ? .critical : .warning, .process, code: isShut ? "no_token" : "token_barred", text)
    }

    /// A request to remove an action from the four-eyes list; `nil` if there is none.
    init?(_ entry: FourEyesEntry) {
        guard let subject = entry.droppedBy, let since = entry.droppedAt else { return nil }
        let text = Message.troubleFourEyes(subject, entry.action, alone: since.advanced(by: Limits.dropAlone))
        self.init(.warning, .sandbox, code: "four_eyes_drop", since: since.description, text)
    }

    /// Decisions that were dropped, or that no process carries out; the oldest is named.
    init?(_ decisions: [Decision], isDropped: Bool) {
        guard let first = decisions.first else { return nil }
        // A decision of two persons has a row for each, and counts once.
        let count = Set(decisions.map(\.card)).count
        let text: Message = isDropped ? .troubleDropped(count, first.decider, first.card) : .troubleDue(count)
        let code = isDropped ? ReasonCode.decisionRefused.rawValue : "decision_due"
        self.init(.warning, .process, code: code, since: first.until.description, text)
    }

    /// A process that holds its lock and does not work; `nil` if it works.
    init?(_ worker: WorkerStatus, now: Timestamp) {
        guard worker.hangs(at: now) else { return nil }
        self.init(.critical, .process, code: "process_hangs", since: worker.seenAt.description, .troubleHangs(worker))
    }
}

extension DiskSpace {
    /// The work that a nearly full disk prevents, and the remedy; `nil` if it has room.
    package var issue: Message? {
        switch self {
        case .ample: nil
        case .noIntake: .troubleNoIntake
        case .finishingOnly: .troubleNoVerification
        }
    }
}

extension WorkerStatus {
    /// Whether its heartbeat stopped although its lock is held.
    package func hangs(at now: Timestamp) -> Bool {
        now.duration(since: self.seenAt) > .milliseconds(Limits.hangingAfter)
    }
}

extension SandboxListings {
    /// Returns the issues, the most urgent first, and of these the oldest first.
    ///
    /// - Parameter known: the counts of cases to report; counted if they are `nil`.
    package func issues(_ room: DiskSpace, cases known: [CaseCount]? = nil, now: Timestamp) async throws
        -> [HealthIssue]
    {
        let workers = try await self.sandbox.upkeep.workers()
        let processes =
            workers.compactMap { HealthIssue($0, now: now) } + workers.compactMap(HealthIssue.init(tokensOf:))
        let counts = if let known { known } else { try await self.caseCounts(needingPerson: true) }
        let decisions = try await self.read { tx in
            let isDue: SQL = "decision.until <= \(now.advanced(by: .zero - Limits.undoGrace))"
            let inTurn: SQL = "ORDER BY decision.until"
            let due = try Decision.all("WHERE \(Decision.isUndoable) AND \(isDue) \(inTurn)", in: tx)
            let dropped = try Decision.all("WHERE \(Decision.wasDropped) \(inTurn)", in: tx)
            return [HealthIssue(due, isDropped: false), HealthIssue(dropped, isDropped: true)]
        }
        let others =
            try await self.sandbox.endpoints.pauses().map(HealthIssue.init) + [HealthIssue(room)].compactMap(\.self)
        let drops = try await self.sandbox.decisions.fourEyes().compactMap(HealthIssue.init)
        let people = decisions.compactMap(\.self) + drops + counts.compactMap(HealthIssue.init)
        return HealthIssue.sorted(others + processes + people)
    }
}

extension HealthIssue {
    /// Sorts the most urgent first, and of these the oldest first; cases stay in the order of their states.
    package static func sorted(_ issues: [HealthIssue]) -> [HealthIssue] {
        let ranks = Dictionary(uniqueKeysWithValues: Severity.allCases.enumerated().map { ($1, -$0) })
        func key(_ place: Int, _ one: HealthIssue) -> (Int, String, Int) {
            (ranks[one.severity] ?? 0, one.subject == .cases ? "" : one.since ?? "", place)
        }
        return issues.enumerated().sorted { key($0.offset, $0.element) < key($1.offset, $1.element) }.map(\.element)
    }
}
