import ArgumentParser
import CardModel
import CardServer
import CardStore
import Foundation

struct CasesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cases",
        abstract: "List, show and change cases: the cards of one business number.",
        discussion: """
            A case stands where its first cause has it: decide (a person must decide about a card), failed (a card's attempts are \
            used up), retake (its submitter must send a photo or a user account), in_progress, incomplete (a side was not \
            delivered), complete (both sides were delivered), rejected (a reviewer ended it), erased (all its cards are erased; \
            listed only with --state erased).
            """,
        subcommands: [List.self, Show.self, Retry.self, Resolve.self]
    )

    struct List: Command {
        static let configuration = CommandConfiguration(
            abstract:
                "List cases, the most urgent states first, in each the oldest first. An empty list prints nothing."
        )

        @Option(help: "Only cases in this state; repeatable.")
        var state: [CaseState] = []

        @Option(
            help: ArgumentHelp(
                "Only cases that stand there since this day, or for at most this time.",
                valueName: "day|time"
            )
        )
        var since: CaseStart?

        @Flag(help: "Only cases of which a side must be brought: it was refused, or never sent.")
        var toBring = false

        @Option(help: "Format of the list: text; json or jsonl for programs; csv or xlsx, a table for people.")
        var format = CaseListFormat.text

        @Option(
            help: ArgumentHelp(
                "The new file for the table of --format csv or xlsx, which only its owner can read.",
                valueName: "file"
            ),
            completion: .file(extensions: ["csv", "xlsx"])
        )
        var output: String?

        @Flag(
            help: ArgumentHelp(
                "Also list the names of the photos' files; needs --why.",
                discussion: "The access log gets one line with the number of cases."
            )
        )
        var files = false

        @OptionGroup var purpose: PurposeOptions

        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard !self.files || self.purpose.why?.trimmed.isEmpty == false else {
                throw ValidationError(.casesFilesWhy)
            }
            guard self.output == nil || self.format.table != nil else { throw ValidationError(.casesOutputFormat) }
            guard self.format != .xlsx || self.output != nil || isatty(STDOUT_FILENO) == 0 else {
                throw ValidationError(.casesTerminal)
            }
        }

        func execute() async throws -> CommandStatus {
            let file = try self.output.map { try TableFile($0, as: self.format.table, for: self.options) }
            defer { file?.files.removeEmpty() }
            return try await self.options.withSandbox { store, _ in
                var filter = CaseFilter(states: self.state, since: self.since?.time)
                filter.toBring = self.toBring
                if self.files { try await self.logNames(filter, store) }
                if let format = self.format.table {
                    try await TableFile.write(CaseTable.columns(withPhotos: self.files), as: format, to: file) { add in
                        try await store.forEachCase(filter) { one in
                            // The photo that is the cause stands first.
                            let names = one.cardID == nil ? nil : try await self.names(of: one, store)
                            try await add((one, names?.first))
                        }
                    }
                    return .delivered
                }
                var list = ListPrinter(format: OutputFormat(rawValue: self.format.rawValue) ?? .text, name: "cases")
                await list.begin()
                try await store.forEachCase(filter) { one in
                    try await list.print(ListedCase(listed: one, files: self.names(of: one, store)))
                }
                await list.finish()
                return .delivered
            }
        }

        /// The names of the files of a case, if they are asked for.
        private func names(of one: Case, _ store: Sandbox) async throws -> [String]? {
            self.files ? try await store.listings.inputNames(of: one).map { $0.reveal() } : nil
        }

        /// Writes the line of the access log before any file name is printed.
        private func logNames(_ filter: CaseFilter, _ store: Sandbox) async throws {
            var count = 0
            try await store.forEachCase(filter) { _ in count += 1 }
            try await store.listings.logList(
                to: self.purpose.origin(of: "cases list --files, cases: \(count)"),
                now: .now
            )
        }
    }

    struct Show: Command {
        static let configuration = CommandConfiguration(abstract: "Show one case and its cards.")

        @OptionGroup var number: CaseNumber

        @OptionGroup var report: ReportOptions

        func execute() async throws -> CommandStatus {
            try await self.report.options.withSandbox { store, _ in
                guard let one = try await store.listings.oneCase(self.number.value, for: .process) else {
                    throw self.number.unknown
                }
                let cards = try await store.listings.caseCards(of: self.number.value, for: .process)
                let ids = try await store.listings.shortIDs(of: cards.map(\.card.id))
                // The cause is shown with its card.
                let lines = [one.line] + cards.flatMap { $0.lines(in: one, as: ids[$0.card.id]) }
                await ObjectReport(["case": one, "cards": cards], lines).print(self.report.format)
                return .delivered
            }
        }
    }

    struct Retry: Command {
        static let configuration = CommandConfiguration(
            abstract: "Retry the cards of a case that need a person in the next run, as cards retry does.",
            discussion: "Exit status: as of cards retry."
        )

        @OptionGroup var number: CaseNumber

        @OptionGroup var change: ChangeOptions

        func execute() async throws -> CommandStatus {
            try await self.change.make(as: "cases retry") {
                try await self.number.cards(attention: CardAttention.allCases, of: $0)
            }
        }
    }

    struct Resolve: Command {
        static let configuration = CommandConfiguration(
            abstract: "Decide about the cards of a case that have one reason, as cards resolve does.",
            discussion: "Exit status: as of cards resolve."
        )

        @OptionGroup var number: CaseNumber

        @Option(help: "The reason of the cards, as cases show names it.")
        var reason: String

        @OptionGroup var resolution: ResolutionOptions

        @Option(help: ArgumentHelp("Why the photos are returned, with --as retake.", valueName: "code"))
        var retakeReason: RetakeReason?

        @OptionGroup var change: ChangeOptions

        func validate() throws {
            try self.resolution.validate(self.retakeReason)
            guard !self.reason.isEmpty else { throw ValidationError(.cardsReasonEmpty) }
        }

        func execute() async throws -> CommandStatus {
            try await self.change.make(self.resolution, because: self.retakeReason, as: "cases resolve") {
                try await self.number.cards(reason: self.reason, of: $0)
            }
        }
    }
}

enum CaseListFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json, jsonl, csv, xlsx

    /// The form of a table for people.
    var table: TableFormat? { TableFormat(rawValue: self.rawValue) }
}

extension Sandbox {
    /// Passes on the cases that match a filter, page by page: they may be more than fit into memory.
    fileprivate func forEachCase(_ filter: CaseFilter, _ body: (Case) async throws -> Void) async throws {
        var last: CaseCursor?
        repeat {
            let page = try await self.listings.cases(filter, after: last, limit: .max, for: .process)
            for one in page.cases { try await body(one) }
            last = page.next
        } while last != nil
    }
}

/// The case that a command is about.
struct CaseNumber: ParsableArguments {
    @Argument(help: ArgumentHelp("The business number of the case.", valueName: "no"))
    var number: String

    var value: BusinessNumber { BusinessNumber(stored: self.number.trimmed) }

    var unknown: CodedError { .notFound(.casesUnknown(self.number)) }

    /// Finds cards of the case; if none of them matches, prints that.
    ///
    /// - Throws: `not_found` if there is no such case.
    func cards(attention: [CardAttention] = [], reason: String? = nil, of store: Sandbox) async throws -> [CardID] {
        var filter = CardFilter()
        filter.number = self.value
        let known = try await store.cardIDs(filter)
        guard !known.isEmpty else { throw self.unknown }
        (filter.attention, filter.reason) = (attention, reason)
        let ids = try await store.cardIDs(filter)
        if ids.isEmpty { Console.say(.casesNoMatch) }
        return ids
    }
}

/// Since when cases have been in their state: a day, or how long ago.
enum CaseStart: ExpressibleByArgument {
    case day(CalendarDay), ago(Duration)

    init?(argument: String) {
        if let match = argument.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})/) {
            let numbers = [match.1, match.2, match.3].compactMap { Int($0) }
            guard let day = CalendarDay(year: numbers[0], month: numbers[1], day: numbers[2]) else { return nil }
            self = .day(day)
        } else {
            guard let ago = DurationText.parse(argument) else { return nil }
            self = .ago(ago)
        }
    }

    /// A day begins in the zone of the configuration.
    var time: Timestamp {
        switch self {
        case .ago(let ago): return Timestamp.now.advanced(by: .zero - ago)
        case .day(let day):
            var parts = tm()
            (parts.tm_year, parts.tm_mon) = (Int32(day.year - 1900), Int32(day.month - 1))
            (parts.tm_mday, parts.tm_isdst) = (Int32(day.day), -1)
            return Timestamp(millisecondsSinceEpoch: Int64(mktime(&parts)) * 1000)
        }
    }
}

extension CaseState: ExpressibleByArgument {}

private struct ListedCase: Report {
    let listed: Case
    /// The file names of its photos, if they are asked for.
    let files: [String]?

    private enum CodingKeys: CodingKey {
        case files
    }

    func encode(to encoder: any Encoder) throws {
        try self.listed.encode(to: encoder)
        guard let files else { return }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(files, forKey: .files)
    }

    /// The problem and its remedy, for people.
    private var message: Message? {
        if let message = self.listed.message { return message }
        guard self.listed.state == .incomplete else {
            return RunLine.advice(on: self.listed.cause, of: self.listed.cardID)
        }
        return .casesIncomplete(self.listed.missing)
    }

    var lines: [Message] {
        let details = [self.message, self.files.map(Message.casesFiles)].compactMap(\.self)
        return [self.listed.line] + details.map(\.indented)
    }
}
