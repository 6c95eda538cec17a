package import ArgumentParser
import CardModel
import CardStore
import Foundation

/// `status`: how many cards stand where, which need a person, who is at work, and which endpoints rest.
package struct StatusCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how many cards there are in each state, which need a person, and which endpoints rest and why."
    )

    @Option(name: .long, help: "The form of the report.")
    var format = ReportFormat.text

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        try await self.options.withSandbox { store in
            let now = Timestamp(Date())
            var attention = CardFilter()
            attention.needsAttention = true
            let counts = try await store.counts()
            try await StatusReport(
                states: counts.states,
                needingAttention: counts.needingAttention,
                examples: store.cards(attention, after: 0, limit: StatusReport.exampleCount),
                rests: store.rests().filter { $0.until > now },
                workers: store.workers(),
                now: now
            ).print(self.format)
            return .delivered
        }
    }
}

/// What `status` shows.
private struct StatusReport: Report {
    /// How many cards that need a person are named; `cards list --attention` names all.
    static let exampleCount = 10

    private struct Rest: Encodable {
        let code: String
        let until: String
        let since: String
    }

    private struct Process: Encodable {
        let id: String
        let command: String
        let process: Int32
        let since: String
        let claims: Int
        /// Whether its heartbeat stopped although its lock is held.
        let hangs: Bool
    }

    private let cards: [String: Int]
    private let needingAttention: Int
    private let attention: [CardDocument]
    private let stopped: [String: Rest]
    private let workers: [Process]

    init(
        states: [CardState: Int],
        needingAttention: Int,
        examples: [Card],
        rests: [EndpointRest],
        workers: [WorkerStatus],
        now: Timestamp
    ) {
        self.cards = Dictionary(uniqueKeysWithValues: CardState.allCases.map { ($0.rawValue, states[$0] ?? 0) })
        self.needingAttention = needingAttention
        self.attention = examples.map(CardDocument.init)
        self.stopped = Dictionary(
            uniqueKeysWithValues: rests.map {
                ($0.endpoint, Rest(code: $0.code, until: $0.until.description, since: $0.setAt.description))
            }
        )
        self.workers = workers.map { worker in
            Process(
                id: worker.id,
                command: worker.command,
                process: worker.process,
                since: worker.startedAt.description,
                claims: worker.claims,
                hangs: now.duration(since: worker.seenAt) > .milliseconds(Limits.hangingAfter)
            )
        }
    }

    var lines: [String] {
        let states = CardState.allCases.map(\.rawValue).filter { self.cards[$0, default: 0] > 0 }
        var lines = states.map { "\($0.padded(to: 10)) \(self.cards[$0, default: 0])" }
        if lines.isEmpty { lines = ["no cards"] }
        if self.needingAttention > 0 {
            lines.append("\(self.needingAttention) need a person:")
            lines += self.attention.map { "  \($0.text)" }
            let more = self.needingAttention - self.attention.count
            if more > 0 { lines.append("  and \(more) more: idcard-pipeline cards list --attention") }
        }
        lines += self.stopped.sorted { $0.key < $1.key }.map { endpoint, rest in
            "\(endpoint) rests until \(rest.until) (\(rest.code))"
        }
        lines += self.workers.map { worker in
            "\(worker.command) at work since \(worker.since), process \(worker.process), \(worker.claims) claimed"
                + (worker.hangs ? "; it hangs: end it, and others go on with its cards" : "")
        }
        return lines
    }
}
