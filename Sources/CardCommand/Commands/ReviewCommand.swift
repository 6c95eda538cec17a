import ArgumentParser
import CardModel
import CardStore

extension DecisionAction: ExpressibleByArgument {}

struct ReviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Show or shorten the list of what two persons must decide alike.",
        discussion: """
            The list stands in the sandbox and holds for every process and face. run, watch and serve add what review.four_eyes \
            names, and so does the configuration file of a command that decides; removing the key takes nothing away.
            """,
        subcommands: [List.self, Drop.self, Keep.self],
        defaultSubcommand: List.self
    )

    struct List: Command {
        static let configuration = CommandConfiguration(
            abstract: "List the actions that two persons must decide alike.",
            discussion: "Ends with 0; 66 if there is no sandbox."
        )

        @Option(help: "Format of the list.")
        var format = ReportFormat.text

        @OptionGroup var options: GlobalOptions

        func execute() async throws -> CommandStatus {
            try await self.options.withSandbox { store, _ in
                await FourEyesReport(try await store.fourEyes()).print(self.format)
                return .delivered
            }
        }
    }

    struct Drop: Command {
        static let configuration = CommandConfiguration(
            abstract: "Let one person alone decide an action again, once a second person asks for the same.",
            discussion: """
                The second person runs the same command, or posts /v1/review/four-eyes/ACTION/drop with a token of the scope \
                operate. If no one does for seven days, the first person may alone; until then status shows it. Take the action out of \
                review.four_eyes, too, or the next run adds it again. Ends with 0 if it was dropped or waits; 1 if it was refused.
                """
        )

        @Argument(help: "The action: accept, delivered, resend, reject, retry or erase.")
        var action: DecisionAction

        @OptionGroup var purpose: PurposeOptions

        @OptionGroup var options: GlobalOptions

        func execute() async throws -> CommandStatus {
            let origin = try self.purpose.origin(of: "review drop")
            return try await self.options.withSandbox { store, _ in
                do {
                    switch try await store.dropFourEyes(self.action, by: origin, now: .now) {
                    case .dropped: Console.say(.reviewDropped(self.action))
                    case .waits(let until): Console.say(.reviewWaits(self.action, until))
                    }
                    return .delivered
                } catch let error as CodedError where error.kind == .conflict {
                    Console.error(error.message)
                    return .someNotDelivered
                }
            }
        }
    }

    struct Keep: Command {
        static let configuration = CommandConfiguration(
            abstract: "Leave an action on the list that someone wants to drop.",
            discussion: "Ends with 0; 1 if no one wants to drop it."
        )

        @Argument(help: "The action: accept, delivered, resend, reject, retry or erase.")
        var action: DecisionAction

        @OptionGroup var purpose: PurposeOptions

        @OptionGroup var options: GlobalOptions

        func execute() async throws -> CommandStatus {
            let origin = try self.purpose.origin(of: "review keep")
            return try await self.options.withSandbox { store, _ in
                do {
                    try await store.keepFourEyes(self.action, by: origin, now: .now)
                    Console.say(.reviewKept(self.action))
                    return .delivered
                } catch let error as CodedError where error.kind == .conflict {
                    Console.error(error.message)
                    return .someNotDelivered
                }
            }
        }
    }
}

private struct FourEyesReport: Report {
    struct Entry: Encodable {
        let action: DecisionAction
        /// Who wants it off the list, and since when.
        @Nullable var droppedBy: String?
        @Nullable var droppedAt: String?

        enum CodingKeys: String, CodingKey {
            case action
            case droppedBy = "dropped_by"
            case droppedAt = "dropped_at"
        }
    }

    let fourEyes: [Entry]

    private enum CodingKeys: String, CodingKey { case fourEyes = "four_eyes" }

    init(_ entries: [FourEyesEntry]) {
        self.fourEyes = entries.map {
            Entry(action: $0.action, droppedBy: $0.droppedBy, droppedAt: $0.droppedAt?.description)
        }
    }

    var lines: [String] {
        guard !self.fourEyes.isEmpty else { return [Message.reviewNone.text()] }
        return self.fourEyes.map { entry in
            let asked = entry.droppedBy.map { Message.reviewAsked($0, entry.droppedAt ?? "") }
            return "\(entry.action)" + (asked.map { "  \($0.text())" } ?? "")
        }
    }
}
