import ArgumentParser
import CardEngine
import CardModel
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

    @Flag(help: "Print one line, and end with 0, 1 or 2: for cron and monitoring.")
    var check = false

    @Option(help: "Format of the report.")
    var format = ReportFormat.text

    @OptionGroup var options: GlobalOptions

    func execute() async throws -> CommandStatus {
        guard self.check else {
            return try await self.options.withSandbox { store, configuration in
                let room = store.room(intakeFreeSpace: configuration.engine.intakeFreeSpace)
                try await StatusReport(of: store, room, now: .now).print(self.format)
                if let doubt = configuration.isolationDoubt { Console.note(doubt) }
                return .delivered
            }
        }
        let report = CheckReport(troubles: try await self.troubles())
        await report.print(self.format)
        return report.exit
    }

    private func troubles() async throws -> [Trouble] {
        do {
            return try await self.options.withSandbox { store, configuration in
                let room = store.room(intakeFreeSpace: configuration.engine.intakeFreeSpace)
                return try await store.troubles(room, now: .now)
            }
        } catch let error as CodedError where error.code != .notFound {
            return [Trouble(error)]
        }
    }
}

/// The answer of `status --check`.
private struct CheckReport: ReportLine {
    private let status: Trouble.Severity
    private let troubles: [Trouble]

    init(troubles: [Trouble]) {
        self.status = troubles.first?.severity ?? .ok
        self.troubles = troubles
    }

    var exit: CommandStatus {
        switch self.status {
        case .ok: .delivered
        case .warning: .someNotDelivered
        case .critical: .critical
        }
    }

    var text: String {
        let (worst, others) = (self.troubles.first?.message ?? Message.checkWell.text(), self.troubles.count - 1)
        let all = others > 0 ? Message.checkMore(worst, others: others).text() : worst
        return Message.checkLine(self.status.rawValue, all).text()
    }
}

private struct StatusReport: Report {
    /// How many cards that need a person are named; `cards list --attention` names all.
    private static let exampleCount = 10

    private struct Process: Encodable {
        let id: String
        let command: String
        let process: Int32
        @UTC var since: Timestamp
        let claims: Int
        /// How many files stay in its watched folders.
        let staying: Int
        let hangs: Bool

        var lines: [String] {
            let work: Message = .statusWorker(self.command, self.process, since: self.since, claims: self.claims)
            // Names of files are personal: `status` leaves no line in the access log, so it does not show them.
            let staying: Message? = self.staying > 0 ? .statusStaying(self.staying) : nil
            return [work.text()] + [staying].compactMap { $0.map { "  " + $0.text() } }
        }
    }

    /// What the disk of the sandbox has room for.
    private struct Disk: Encodable {
        let freeBytes: Int64
        let intake: Bool
        let verification: Bool
    }

    private let cases: [String: Int]
    /// Why cases stand where they do, the most urgent states first.
    private let causes: [CaseCount]
    private let cards: [String: Int]
    private let needingAttention: Int
    private let attention: [CardDocument]
    /// Those whose photo was refused.
    private let toRetake: Int
    private let retakes: [CardDocument]
    private let endpoints: [EndpointPause]
    /// What is wrong, as `status --check` says it.
    private let troubles: [Trouble]
    /// When each endpoint last took a call.
    private let lastSuccess: [String: String]
    private let workers: [Process]
    private let sandbox: Disk

    init(of store: CardStore, _ room: DiskRoom, now: Timestamp) async throws {
        self.sandbox = Disk(freeBytes: store.freeBytes, intake: room == .ample, verification: room != .finishingOnly)
        self.causes = try await store.caseCounts()
        let cases = Dictionary(grouping: self.causes, by: \.state).mapValues { $0.map(\.cases).reduce(0, +) }
        self.cases = Dictionary(uniqueKeysWithValues: CaseState.allCases.map { ($0.rawValue, cases[$0] ?? 0) })
        let (counts, attention) = (try await store.counts(), try await store.attentionCounts())
        self.cards = Dictionary(uniqueKeysWithValues: CardState.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
        self.needingAttention = attention[.decide] ?? 0
        self.attention = try await Self.examples(.decide, of: store)
        self.toRetake = attention[.retake] ?? 0
        self.retakes = try await Self.examples(.retake, of: store)
        self.endpoints = try await store.pauses()
        self.troubles = try await store.troubles(room, cases: self.causes, now: now)
        let last = try await store.lastSuccess(now: now)
        self.lastSuccess = Dictionary(uniqueKeysWithValues: last.map { ($0.rawValue, $1.description) })
        self.workers = try await store.workers().map { worker in
            Process(
                id: worker.id,
                command: worker.command,
                process: worker.process,
                since: worker.startedAt,
                claims: worker.claims,
                staying: worker.staying,
                hangs: worker.hangs(at: now)
            )
        }
    }

    private static func examples(_ attention: CardAttention, of store: CardStore) async throws -> [CardDocument] {
        var filter = CardFilter()
        filter.attention = [attention]
        return try await store.cards(filter, after: 0, limit: Self.exampleCount, for: .process).map(CardDocument.init)
    }

    var lines: [String] {
        var lines = CaseState.allCases.flatMap(self.lines)
        if self.causes.contains(where: \.state.needsPerson) { lines.append(Message.statusCases.text()) }
        let states = CardState.allCases.map(\.rawValue).filter { self.cards[$0, default: 0] > 0 }
        let cards = states.map { "\($0) \(self.cards[$0, default: 0])" }.joined(separator: ", ")
        lines.append((cards.isEmpty ? Message.statusNoCards : .statusCards(cards)).text())
        lines += self.workers.isEmpty ? [Message.statusNoWorker.text()] : self.workers.flatMap(\.lines)
        let stages = [Stage.verify, .deliver].filter { stage in !self.endpoints.contains { $0.stage == stage } }
        lines += stages.compactMap { stage in
            self.lastSuccess[stage.rawValue].map { Message.statusEndpoint(stage.rawValue, $0.asLocalTime).text() }
        }
        return lines + self.troubles.filter { $0.subject != .cases }.map(\.message)
    }

    /// How many cases stand in a state, and where a person is to do something, why.
    private func lines(of state: CaseState) -> [String] {
        guard let count = self.cases[state.rawValue], count > 0 else { return [] }
        let causes = self.causes.filter { $0.state == state && state.needsPerson }.map { cause in
            "  \(String(cause.cases).padded(to: 6)) \(Message.statusCause(cause.cause ?? "-", since: cause.since).text())"
        }
        return ["\(state.rawValue.padded(to: 11)) \(count)"] + causes
    }
}
