import ArgumentParser
import CardEngine
import CardModel
import CardServer
import CardStore

struct StatusCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Show the number of cards in each state, the cards that need a person, and endpoints that do not work.",
        discussion: """
            --check prints one line: the most urgent trouble, since when it lasts and what to do. Exit status of --check: 0 all is \
            well · 1 cases need a person, or a token has the name of a webhook sender · 2 an endpoint is paused or stopped, a \
            process hangs or does nothing with cards that are due, serve accepts no token, the disk is nearly full, or the \
            sandbox does not open · 66 no sandbox · 78 configuration.
            """
    )

    /// How many cards that need a person are shown; `cards list --attention` shows all.
    private static let exampleCount = 10

    @Flag(help: "Print one line, and end with 0, 1 or 2: for cron and monitoring.")
    var check = false

    @OptionGroup var report: ReportOptions

    func execute() async throws -> CommandStatus {
        guard self.check else {
            return try await self.report.options.withSandbox { store, configuration in
                let room = store.intake.room(intakeFreeSpace: configuration.engine.intakeFreeSpace)
                try await Self.report(of: store, room, now: .now).print(self.report.format)
                if let doubt = configuration.isolationDoubt { Console.notice(doubt) }
                return .delivered
            }
        }
        let issues = try await self.issues()
        let severity = issues.first?.severity ?? .ok
        let (worst, others) = (issues.first?.message ?? .checkWell, issues.count - 1)
        let line = Message.textLabelled(severity.rawValue, others > 0 ? .checkMore(worst, others: others) : worst)
        await ObjectReport(["status": severity, "troubles": issues], [line]).print(self.report.format)
        switch severity {
        case .ok: return .delivered
        case .warning: return .someNotDelivered
        case .critical: return .critical
        }
    }

    private func issues() async throws -> [HealthIssue] {
        do {
            return try await self.report.options.withSandbox { store, configuration in
                let room = store.intake.room(intakeFreeSpace: configuration.engine.intakeFreeSpace)
                return try await store.listings.issues(room, now: .now)
            }
        } catch let error as CodedError where error.code != .notFound {
            return [HealthIssue(error)]
        }
    }

    private static func report(of store: Sandbox, _ room: DiskSpace, now: Timestamp) async throws -> ObjectReport {
        let (causes, workers) = (try await store.listings.caseCounts(), try await store.upkeep.workers())
        let cases = Dictionary(grouping: causes, by: \.state).mapValues { $0.map(\.cases).reduce(0, +) }
        let (cards, attention) = (try await store.listings.counts(), try await store.listings.attentionCounts())
        let (pauses, last) = (try await store.endpoints.pauses(), try await store.endpoints.lastSuccess(now: now))
        let issues = try await store.listings.issues(room, cases: causes, now: now)
        let successes = Dictionary(uniqueKeysWithValues: last.map { ($0.rawValue, $1.description) })
        let decide = try await Self.examples(.decide, of: store)
        let retake = try await Self.examples(.retake, of: store)
        let object: JSONObject = [
            // The causes of the cases, the most urgent states first.
            "cases": Self.counts(cases), "causes": causes, "cards": Self.counts(cards),
            "needing_attention": attention[.decide] ?? 0, "attention": decide,
            // The cards whose photo was refused.
            "to_retake": attention[.retake] ?? 0, "retakes": retake,
            // The issues, as `status --check` reports them.
            "endpoints": pauses, "troubles": issues, "last_success": successes,
            "workers": workers.map { Self.object(of: $0, now: now) },
            // What the free disk space of the sandbox allows.
            "sandbox": [
                "free_bytes": store.intake.freeBytes, "intake": room == .ample, "verification": room != .finishingOnly,
            ] as JSONObject,
        ]
        var lines = CaseState.allCases.flatMap { Self.lines(of: $0, cases[$0] ?? 0, causes) }
        if causes.contains(where: \.state.needsPerson) { lines.append(.statusCases) }
        let states = CardState.allCases.compactMap { state in cards[state].map { Message.statusState(state, $0) } }
        lines.append(states.isEmpty ? .statusNoCards : .statusCards(states))
        lines += workers.isEmpty ? [.statusNoWorker] : workers.flatMap(Self.lines(of:))
        let working = [Stage.verify, .deliver].filter { stage in !pauses.contains { $0.stage == stage } }
        lines += working.compactMap { stage in last[stage].map { .statusEndpoint(stage, $0) } }
        return ObjectReport(object, lines + issues.filter { $0.subject != .cases }.map(\.message))
    }

    /// The count of each state, by its word.
    private static func counts<State: CaseIterable & Hashable & RawRepresentable<String>>(
        _ counts: [State: Int]
    ) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: State.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
    }

    private static func examples(_ attention: CardAttention, of store: Sandbox) async throws -> [Card] {
        var filter = CardFilter()
        filter.attention = [attention]
        return try await store.listings.cards(filter, after: 0, limit: Self.exampleCount, for: .process)
    }

    private static func object(of worker: WorkerStatus, now: Timestamp) -> JSONObject {
        [
            "id": worker.id, "command": worker.command, "process": worker.process,
            "since": worker.startedAt.description, "claims": worker.claims, "staying": worker.staying,
            "hangs": worker.hangs(at: now),
        ]
    }

    private static func lines(of worker: WorkerStatus) -> [Message] {
        let (since, claims) = (worker.startedAt, worker.claims)
        let work = Message.statusWorker(worker.command, worker.process, since: since, claims: claims)
        // Names of files are personal: `status` leaves no line in the access log, so it does not show them.
        return [work] + (worker.staying > 0 ? [Message.statusStaying(worker.staying).indented] : [])
    }

    /// The count of cases in a state, with the causes if the state needs a person.
    private static func lines(of state: CaseState, _ count: Int, _ causes: [CaseCount]) -> [Message] {
        guard count > 0 else { return [] }
        let causes = causes.filter { $0.state == state && state.needsPerson }.map { cause in
            Message.textBehind(
                "  \(String(cause.cases).padded(to: 6)) ",
                .statusCause(cause.cause ?? "-", since: cause.since)
            )
        }
        return [.textVerbatim("\(state.rawValue.padded(to: 11)) \(count)")] + causes
    }
}
