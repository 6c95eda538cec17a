import ArgumentParser
import CardModel
import CardStore
import Foundation

struct CardsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards",
        abstract: "List, show and change cards.",
        subcommands: [List.self, Show.self, Retry.self, Resolve.self, Erase.self, Export.self, Log.self, Reasons.self]
    )

    struct List: Command {
        static let configuration = CommandConfiguration(
            abstract: "List cards in the order of their import. An empty list prints nothing."
        )

        @Option(help: "Only cards in this state; repeatable.")
        var state: [CardState] = []

        @Option(help: "Only cards with this reason, which may be a code of the remote service.")
        var reason: String?

        @Flag(help: "Only cards that need a person: failed, held, without their front, or with a photo to take again.")
        var attention = false

        @Option(help: ArgumentHelp("Only cards of this business number.", valueName: "no"))
        var businessNo: String?

        @Option(help: ArgumentHelp("The most cards to list; 0 for all.", valueName: "n"))
        var limit = 0

        @Option(help: "Format of the list.")
        var format = OutputFormat.text

        @Flag(name: [.long, .short], help: "Print card ids only.")
        var quiet = false

        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard self.limit >= 0 else { throw ValidationError(Message.cardsLimit(self.limit).text()) }
        }

        func execute() async throws -> CommandStatus {
            var filter = CardFilter()
            filter.states = self.state
            filter.reason = self.reason
            if self.attention { filter.attention = CardAttention.allCases }
            filter.number = self.businessNo.map { BusinessNumber(stored: $0.trimmed) }
            return try await self.options.withSandbox { store, _ in
                var list = ListPrinter(format: self.format, name: "cards")
                if self.quiet {
                    try await store.forEachCard(filter, limit: self.limit == 0 ? .max : self.limit) { card in
                        try Console.requireReader()
                        await Console.standardOutput(card.id.rawValue)
                    }
                } else {
                    await list.begin()
                    try await store.forEachCard(filter, limit: self.limit == 0 ? .max : self.limit) { card in
                        for document in try await store.documents([card]) { try await list.print(document) }
                    }
                    await list.end()
                }
                return .delivered
            }
        }
    }

    struct Show: Command {
        static let configuration = CommandConfiguration(
            abstract: "Show one card and its history.",
            discussion:
                "Personal fields and texts of remote services need --reveal, which adds a line to the access log."
        )

        @Argument(help: ArgumentHelp("The card's id, or its last 8 digits or more.", valueName: "card-id"))
        var card: String

        @Flag(help: "Also show the personal fields and the message.")
        var reveal = false

        @OptionGroup var purpose: PurposeOptions

        @Option(help: "Format of the report.")
        var format = ReportFormat.text

        @OptionGroup var options: GlobalOptions

        func execute() async throws -> CommandStatus {
            let origin = try self.purpose.origin(of: "cards show --reveal")
            return try await self.options.withSandbox { store, _ in
                let id = try await store.ids(matching: [self.card])[0]
                let details =
                    self.reveal
                    ? try await store.reveal(id, to: origin, now: .now)
                    : try await store.details(of: id, for: .process)
                let report = CardDetailsDocument(details, reveals: self.reveal)
                await report.print(self.format)
                return .delivered
            }
        }
    }
}

extension CardState: ExpressibleByArgument {}
extension Resolution: ExpressibleByArgument {}

extension CardDetailsDocument: Report {
    var lines: [String] {
        var lines = [self.card.text]
        if let message { lines.append("  \(message)") }
        let bytes = self.imageBytes ?? 0
        let work = Message.cardsWork(attempts: self.attempts, priority: self.priority, image: bytes)
        lines.append("  " + work.text())
        if let legality {
            let scores = legality.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            lines.append("  " + Message.cardsLegality(scores).text())
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
