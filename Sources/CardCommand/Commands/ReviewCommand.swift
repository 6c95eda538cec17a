import ArgumentParser
import CardModel
import CardServer
import CardStore

extension DecisionAction: ExpressibleByArgument {
    /// Only those that the list may name.
    init?(argument: String) {
        guard let action = Self.listed.first(where: { $0.rawValue == argument }) else { return nil }
        self = action
    }
}

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
                let entries = try await store.decisions.fourEyes()
                let objects = entries.map { entry -> JSONObject in
                    ["action": entry.action, "dropped_by": entry.droppedBy, "dropped_at": entry.droppedAt?.description]
                }
                let lines = entries.map { entry in
                    let asked = entry.droppedBy.map { Message.reviewAsked($0, entry.droppedAt?.description ?? "") }
                    return asked.map { .textBehind("\(entry.action)  ", $0) } ?? Message.textVerbatim("\(entry.action)")
                }
                await ObjectReport(["four_eyes": objects], lines.isEmpty ? [.reviewNone] : lines)
                    .print(self.format)
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

        @OptionGroup var change: FourEyesChange

        func execute() async throws -> CommandStatus {
            try await self.change.make(as: "review drop") { action, store, origin in
                switch try await store.decisions.dropFourEyes(action, by: origin, now: .now) {
                case .dropped: .reviewDropped(action)
                case .waits(let until): .reviewWaits(action, until)
                }
            }
        }
    }

    struct Keep: Command {
        static let configuration = CommandConfiguration(
            abstract: "Leave an action on the list that someone wants to drop.",
            discussion: "Ends with 0; 1 if no one wants to drop it."
        )

        @OptionGroup var change: FourEyesChange

        func execute() async throws -> CommandStatus {
            try await self.change.make(as: "review keep") { action, store, origin in
                try await store.decisions.keepFourEyes(action, by: origin, now: .now)
                return .reviewKept(action)
            }
        }
    }
}

/// A change of the list of actions that need two people.
struct FourEyesChange: ParsableArguments {
    @Argument(help: "The action: accept, delivered, resend, reject, retry or erase.")
    var action: DecisionAction

    @OptionGroup var purpose: PurposeOptions

    @OptionGroup var options: GlobalOptions

    /// Makes the change and prints the message that the body returns, or why the change was refused.
    func make(
        as command: String,
        _ change: (DecisionAction, Sandbox, AccessOrigin) async throws -> Message
    ) async throws -> CommandStatus {
        let origin = try self.purpose.origin(of: command)
        return try await self.options.withSandbox { store, _ in
            do {
                Console.say(try await change(self.action, store, origin))
                return .delivered
            } catch let error as CodedError where error.kind == .conflict {
                Console.error(error.message)
                return .someNotDelivered
            }
        }
    }
}
