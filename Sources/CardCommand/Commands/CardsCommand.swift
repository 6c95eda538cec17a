import ArgumentParser
import CardModel
import CardServer
import CardStore

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
            guard self.limit >= 0 else { throw ValidationError(.cardsLimit(self.limit)) }
        }

        func execute() async throws -> CommandStatus {
            var filter = CardFilter()
            filter.states = self.state
            filter.reason = self.reason
            if self.attention { filter.attention = CardAttention.allCases }
            filter.number = self.businessNo.map { BusinessNumber(stored: $0.trimmed) }
            return try await self.options.withSandbox { store, _ in
                var list = ListPrinter(format: self.quiet ? .text : self.format, name: "cards")
                await list.begin()
                try await store.forEachCard(filter, limit: self.limit == 0 ? .max : self.limit) { card in
                    if self.quiet {
                        try await list.print(card.id.rawValue)
                    } else {
                        for listed in try await store.listed([card]) { try await list.print(listed) }
                    }
                }
                await list.finish()
                return .delivered
            }
        }
    }

    struct Show: Command {
        static let configuration = CommandConfiguration(
            abstract: "Show one card, the other cards of its case, and its history.",
            discussion: """
                Shows what a decision about the card needs. Personal fields, what the sender said and texts of remote services \
                need --reveal, which adds a line to the access log.
                """
        )

        @Argument(help: ArgumentHelp("The card's id, or its last 8 digits or more.", valueName: "card-id"))
        var card: String

        @Flag(help: "Also show what is personal.")
        var reveal = false

        @OptionGroup var purpose: PurposeOptions

        @OptionGroup var report: ReportOptions

        func execute() async throws -> CommandStatus {
            let origin = try self.purpose.origin(of: "cards show --reveal")
            return try await self.report.options.withSandbox { store, _ in
                let id = try await store.listings.ids(matching: [self.card])[0]
                let details =
                    self.reveal
                    ? try await store.listings.reveal(id, to: origin, now: .now)
                    : try await store.listings.details(of: id, for: .process)
                await details.print(self.report.format)
                return .delivered
            }
        }
    }
}

extension CardState: ExpressibleByArgument {}
extension Resolution: ExpressibleByArgument {}

// The message with its remedy, then the facts, then the history.
extension CardDetails: Report {
    var lines: [Message] {
        let facts = [self.message].compactMap(\.self) + self.facts + self.values
        // The remedy for another card is shown with that card.
        let others = self.caseCards.flatMap { [$0.card.line(), $0.origin.indented] }.map(\.indented)
        let sections =
            (others.isEmpty ? [] : [.cardsOfCase] + others) + [.cardsHistory] + self.events.map(\.line.indented)
        return [self.card.line()] + (facts + sections).map(\.indented)
    }

    private var facts: [Message] {
        let owner = self.numberOwner.map { Message.cardsNumberOwner($0.submitter, $0.since) }
        let scores = self.legality?.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        let facts: [Message?] = [
            .cardsSentBy(self.submitter, self.card.createdAt), owner, self.person.map(Message.cardsPerson),
            self.comparedWith.isEmpty ? nil : .cardsComparedWith(self.comparedWith),
            self.nextAttemptAt.map(Message.cardsNextAttempt), self.idempotencyKey.map(Message.cardsDeliveryKey),
            .cardsWork(attempts: self.attempts, priority: self.priority, image: self.imageBytes ?? 0),
            self.imageDroppedAt.map(Message.cardsImageDropped),
            scores.map(Message.cardsLegality),
        ]
        return facts.compactMap(\.self)
    }

    /// The personal values: the submitted ones, beside those that were read.
    private var values: [Message] {
        let said = [
            ("input_name", self.submitted?.inputName), ("user_no", self.submitted?.userNo),
            ("expected_id_number", self.submitted?.expectedIDNumber), ("expected_name", self.submitted?.expectedName),
        ]
        let read = (self.fields ?? [:]).sorted { $0.key < $1.key }
        return (said + read.map { ($0.key, $0.value) }).compactMap { name, value in
            value.map { .textLabelled(name, .textPersonal(Redacted($0))) }
        }
    }
}

extension HistoryEntry {
    fileprivate var line: Message {
        let decision = self.actor.map { Message.cardsDecision($0, self.why ?? "") }
        // The meaning of the last state is shown above; a warning is shown only here.
        let text = decision ?? (self.kind == "warning" ? self.message : nil)
        let start = "\(self.at.local) \(self.kind)" + (self.code.map { " (\($0))" } ?? "")
        return text.map { .textLabelled(start, $0) } ?? .textVerbatim(start)
    }
}

extension CaseCard {
    /// - Parameter id: the short id of the card.
    func lines(in one: Case, as id: String?) -> [Message] {
        let card = self.card
        let advice = card.lacksFront ? one.advice(onBack: card.id) : nil
        let text = self.message ?? advice ?? RunLine.advice(on: card.shownReason, of: card.id)
        return [card.line(as: id).indented] + [text, self.origin].compactMap(\.self).map(\.indented.indented)
    }

    fileprivate var origin: Message {
        let sent = Message.cardsSentBy(self.submitter, self.card.createdAt)
        return .textAll([sent] + (self.person.map { [.cardsPerson($0)] } ?? []))
    }
}

extension CardsCommand {
    struct Reasons: Command {
        enum Format: String, CaseIterable, ExpressibleByArgument {
            case text, json, markdown
        }

        static let configuration = CommandConfiguration(
            abstract: "Say what the reasons of cards and refusals mean, and what to do.",
            discussion: "Exit status: 0 done · 66 a code is none of ours: it may be the remote service's own."
        )

        @Argument(help: ArgumentHelp("The codes; without one, all.", valueName: "code"))
        var codes: [String] = []

        @Option(help: "Format of the list; markdown is that of the manual page.")
        var format = Format.text

        func execute() async throws -> CommandStatus {
            if self.format == .markdown {
                await Console.standardOutput(Self.page())
                return .delivered
            }
            let known = ReasonCode.all.filter { self.codes.isEmpty || self.codes.contains($0.code.rawValue) }
            let reports = known.map { reason, meaning in
                let line = Message.textBehind(reason.rawValue.padded(to: 24) + "  ", meaning)
                return ObjectReport(["reason": reason.rawValue, "meaning": meaning.text()], [line])
            }
            await OutputFormat(rawValue: self.format.rawValue)?.print(reports, as: "reasons")
            let unknown = Set(self.codes).subtracting(known.map(\.code.rawValue)).sorted()
            guard let first = unknown.first else { return .delivered }
            throw CodedError(.notFound, .notFound, .cardsUnknownReason(Redacted(first)))
        }

        /// The page of all reasons, in Markdown.
        private static func page() -> String {
            var lines = [
                "# Reasons", "", "<!-- Made by `idcard-pipeline cards reasons --format markdown`; do not edit it. -->",
                "",
                "Why a card stands where it does, or why an input became no card. Where a remote service decided, its own code is",
                "shown in place of one of these. `idcard-pipeline cards reasons CODE` says the same.",
            ]
            for (title, reasons) in ReasonCode.groups {
                lines += ["", "## \(title)", "", "| reason | meaning |", "|---|---|"]
                lines += reasons.map { "| `\($0.code)` | \($0.meaning.text()) |" }
            }
            return lines.joined(separator: "\n")
        }
    }
}
