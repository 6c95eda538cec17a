package import ArgumentParser
import CardModel
import CardStore
import Foundation

/// `cards`: lists, shows and changes single cards.
package struct CardsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cards",
        abstract: "List, show and change single cards.",
        subcommands: [List.self, Show.self, Retry.self, Resolve.self, Erase.self, Export.self, Log.self]
    )

    /// Takes no arguments of its own.
    package init() {}
}

extension CardState: ExpressibleByArgument {}
extension Resolution: ExpressibleByArgument {}

extension CardsCommand {
    /// Lists cards in the order of their intake.
    package struct List: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List cards in the order of their intake; an empty list prints nothing."
        )

        @Option(name: .long, help: "Only cards in this state; may be given several times.")
        var state: [CardState] = []

        @Option(name: .long, help: "Only cards with this reason, which may be the remote's own code.")
        var reason: String?

        @Flag(name: .long, help: "Only cards that need a person: failed, held, or without their front.")
        var attention = false

        @Option(name: .long, help: ArgumentHelp("Only cards of this business number.", valueName: "no"))
        var businessNo: String?

        @Option(name: .long, help: ArgumentHelp("At most so many; 0 for all.", valueName: "n"))
        var limit = 0

        @Option(name: .long, help: "The form of the list.")
        var format = OutputFormat.text

        @Flag(name: [.long, .short], help: "Print card ids only.")
        var quiet = false

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func validate() throws {
            guard self.limit >= 0 else { throw ValidationError("--limit is a number from 0, got \(self.limit).") }
        }

        package func run() async throws {
            var filter = CardFilter()
            filter.states = self.state
            filter.reason = self.reason
            filter.needsAttention = self.attention
            filter.number = self.businessNo.map { BusinessNumber(stored: $0.trimmed) }
            try await self.options.withSandbox { store in
                let printer = CardListPrinter(format: self.format, isQuiet: self.quiet)
                await printer.begin()
                var (order, left) = (Int64(0), self.limit == 0 ? Int.max : self.limit)
                while left > 0 {
                    let page = try await store.cards(filter, after: order, limit: min(left, Limits.pageSize))
                    for card in page { await printer.print(card) }
                    guard let last = page.last else { break }
                    (order, left) = (last.order, left - page.count)
                }
                await printer.end()
                return .delivered
            }
        }
    }
}

/// Prints cards one by one, as they are read: a list may be longer than memory.
private final class CardListPrinter {
    private let format: OutputFormat
    private let isQuiet: Bool
    private var isFirst = true

    init(format: OutputFormat, isQuiet: Bool) {
        self.format = format
        self.isQuiet = isQuiet
    }

    func begin() async {
        if self.format == .json, !self.isQuiet { await Console.standardOutput("{\n  \"cards\" : [") }
    }

    func print(_ card: Card) async {
        let document = CardDocument(card)
        if self.isQuiet { return await Console.standardOutput(card.id.rawValue) }
        switch self.format {
        case .text: await Console.standardOutput(document.text)
        case .jsonl: await Console.standardOutput(JSONText.line(document))
        case .json:
            let text = JSONText.document(document).split(separator: "\n").joined(separator: "\n    ")
            await Console.standardOutput((self.isFirst ? "    " : "    ,") + text)
            self.isFirst = false
        }
    }

    func end() async {
        if self.format == .json, !self.isQuiet { await Console.standardOutput("  ]\n}") }
    }
}

extension CardsCommand {
    /// Shows one card with its history.
    package struct Show: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show one card and its history; fields read from it, and remote words, only with --reveal.",
            discussion: "Each look is written down in the access log."
        )

        @Argument(help: ArgumentHelp("The card's id.", valueName: "card-id"))
        var card: String

        @Flag(name: .long, help: "Show the personal fields and the message too.")
        var reveal = false

        @OptionGroup var purpose: PurposeOptions

        @Option(name: .long, help: "The form of the report.")
        var format = ReportFormat.text

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func run() async throws {
            let origin = self.purpose.origin(of: self.reveal ? "cards show --reveal" : "cards show")
            try await self.options.withSandbox { store in
                let details = try await store.show(CardID(rawValue: self.card), to: origin, now: Timestamp(Date()))
                await CardReport(details, reveal: self.reveal).print(self.format)
                return .delivered
            }
        }
    }
}

/// One card as `cards show` shows it; what is personal only if asked for: the fields, and the message, which may quote what
/// remote sides said in their own words.
struct CardReport: Report {
    private struct Event: Encodable {
        let at: String
        let kind: String
        let state: CardState?
        let code: String?
    }

    private let card: CardDocument
    private let message: String?
    private let attempts: Int
    private let priority: Int
    private let imageBytes: Int?
    private let legality: [String: Double]?
    /// The fields by their FaceID names; absent unless revealed.
    private let fields: [String: String]?
    private let events: [Event]

    private enum CodingKeys: String, CodingKey {
        case card
        case message
        case attempts
        case priority
        case imageBytes = "image_bytes"
        case legality
        case fields
        case events
    }

    init(_ details: CardDetails, reveal: Bool) {
        self.card = CardDocument(details.card)
        self.message = reveal ? details.card.message?.text() : nil
        self.attempts = details.card.failures
        self.priority = details.card.metadata.priority
        self.imageBytes = details.image?.byteCount
        self.legality = details.reading?.legality?.scores
        self.fields = reveal ? details.reading.map { Self.revealed($0.fields) } : nil
        self.events = Self.history(details)
    }

    /// What happened to the card, with the calls to outside services in between.
    private static func history(_ details: CardDetails) -> [Event] {
        var before: CardState?
        let events = details.events.map { event -> (Timestamp, Event) in
            // What a rule says of a card that passes leaves it where it is.
            let kind = event.state == before ? "warning" : event.state.rawValue
            before = event.state
            let code = event.remoteCode ?? event.reason?.rawValue
            return (event.at, Event(at: event.at.description, kind: kind, state: event.state, code: code))
        }
        let attempts = details.attempts.map { attempt -> (Timestamp, Event) in
            let at = attempt.endedAt ?? attempt.startedAt
            let outcome = attempt.failureClass == .accepted ? (attempt.delivery == nil ? "ok" : "accepted") : nil
            let code = attempt.code ?? outcome ?? (attempt.endedAt == nil ? "under way" : nil)
            return (at, Event(at: at.description, kind: "attempt", state: nil, code: code))
        }
        // What an attempt led to stands after it.
        return (attempts + events).sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func revealed(_ fields: CardFields) -> [String: String] {
        [
            "name": fields.name, "gender": fields.gender, "race": fields.ethnicity, "birthday": fields.birthDate,
            "address": fields.address, "id_card_number": fields.number, "issued_by": fields.issuer,
            "valid_date": fields.validity,
        ]
        .compactMapValues { $0?.reveal() }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.card, forKey: .card)
        try container.encode(self.message, forKey: .message)
        try container.encode(self.attempts, forKey: .attempts)
        try container.encode(self.priority, forKey: .priority)
        try container.encode(self.imageBytes, forKey: .imageBytes)
        try container.encode(self.legality, forKey: .legality)
        try container.encode(self.fields, forKey: .fields)
        try container.encode(self.events, forKey: .events)
    }

    var lines: [String] {
        var lines = [self.card.text]
        if let message { lines.append("  \(message)") }
        lines.append("  attempts \(self.attempts), priority \(self.priority), image \(self.imageBytes ?? 0) bytes")
        if let legality {
            let scores = legality.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            lines.append("  legality: \(scores.joined(separator: ", "))")
        }
        for (name, value) in (self.fields ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("  \(name): \(value)")
        }
        lines += self.events.map { event in
            "  \(event.at) \(event.kind)" + (event.code.map { " (\($0))" } ?? "")
        }
        return lines
    }
}
