import ArgumentParser
import CardEngine
import CardModel
import CardStore
import Foundation

struct StatusCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Show the number of cards in each state, the cards that need a person, and endpoints that do not work."
    )

    @Option(help: "Format of the report.")
    var format = ReportFormat.text

    @OptionGroup var options: GlobalOptions

    func execute() async throws -> CommandStatus {
        try await self.options.withSandbox { store, configuration in
            let room = store.room(intakeFreeSpace: configuration.engine.intakeFreeSpace)
            try await StatusReport(of: store, room, now: .now).print(self.format)
            return .delivered
        }
    }
}

private struct StatusReport: Report {
    /// How many cards that need a person are named; `cards list --attention` names all.
    private static let exampleCount = 10

    private struct Process: Encodable {
        let id: String
        let command: String
        let process: Int32
        let since: String
        let claims: Int
        /// How many files stay in its watched folders.
        let staying: Int
        /// Whether its heartbeat stopped although its lock is held.
        let hangs: Bool

        var lines: [String] {
            let work: Message = .statusWorker(self.command, self.process, since: self.since, claims: self.claims)
            // Names of files are personal: `status` leaves no line in the access log, so it does not show them.
            let staying: Message? = self.staying > 0 ? .statusStaying(self.staying) : nil
            let details = [staying, self.hangs ? .statusHangs : nil].compactMap(\.self)
            return [work.text()] + details.map { "  " + $0.text() }
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
    private let workers: [Process]
    private let sandbox: Disk

    init(of store: CardStore, _ room: DiskRoom, now: Timestamp) async throws {
        self.sandbox = Disk(
            freeBytes: store.freeBytes,
            intake: room == .ample,
            verification: room != .finishingOnly
        )
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
        self.workers = try await store.workers().map { worker in
            Process(
                id: worker.id,
                command: worker.command,
                process: worker.process,
                since: worker.startedAt.description,
                claims: worker.claims,
                staying: worker.staying,
                hangs: now.duration(since: worker.seenAt) > .milliseconds(Limits.hangingAfter)
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
        lines += self.endpoints.map { $0.text.text() }
        lines += self.workers.flatMap(\.lines)
        if !self.sandbox.intake {
            lines.append((self.sandbox.verification ? Message.statusNoIntake : .statusNoVerification).text())
        }
        return lines
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
