import ArgumentParser
import CardEngine
import CardModel
import CardStore
import Foundation

struct StatusCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Show how many cards there are in each state, which need a person, and which endpoints do not work and why."
    )

    @Option(help: "The form of the report.")
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

    /// Their names are personal: `status` leaves no line in the access log, so it does not show them.
    private static let whichStay = "see which and why: idcard-pipeline run --dry-run FOLDER"

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
    }

    /// What the disk of the sandbox has room for.
    private struct Disk: Encodable {
        let freeBytes: Int64
        let intake: Bool
        let verification: Bool
    }

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
        let states = CardState.allCases.map(\.rawValue).filter { self.cards[$0, default: 0] > 0 }
        var lines = states.map { "\($0.padded(to: 10)) \(self.cards[$0, default: 0])" }
        if lines.isEmpty { lines = ["no cards"] }
        lines += Self.lines("\(self.needingAttention) need a person:", self.attention, of: self.needingAttention)
        lines += Self.lines("\(self.toRetake.of("photo")) to be retaken:", self.retakes, of: self.toRetake)
        lines += self.endpoints.map { $0.text.text() }
        lines += self.workers.map { worker in
            "\(worker.command) at work since \(worker.since), process \(worker.process), \(worker.claims) claimed"
                + (worker.staying > 0 ? ", leaves \(worker.staying.of("file")) where they are; \(Self.whichStay)" : "")
                + (worker.hangs ? "; it hangs: end it, and others go on with its cards" : "")
        }
        if !self.sandbox.intake {
            let what = self.sandbox.verification ? "taken in" : "taken in or verified"
            lines.append("the disk of the sandbox is nearly full: nothing more is \(what); free some space")
        }
        return lines
    }

    private static func lines(_ heading: String, _ examples: [CardDocument], of count: Int) -> [String] {
        guard count > 0 else { return [] }
        let more = count - examples.count
        return [heading] + examples.map { "  \($0.text)" }
            + (more > 0 ? ["  and \(more) more: idcard-pipeline cards list --attention"] : [])
    }
}
