package import ArgumentParser
import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox

extension CardsCommand {
    /// Has rejected, failed or held cards judged again.
    package struct Retry: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Have rejected, failed or held cards judged again; a run then goes on with them.",
            discussion: """
                A rejected card is judged again by the reading that is kept, a failed one has all its attempts again. One \
                that is being delivered while that stage is stopped is taken out of its delivery. A card is refused whose \
                side was delivered by a newer photo, or which the backend may hold (`cards resolve`). A superseded card, \
                named by its id, is judged again if no newer photo of its side was delivered or may be. One \
                that waits for its next attempt, named by its id, goes on at once.

                Exit status: 0 done · 1 some card was refused · 64 usage · 66 there is no such card · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The ids of cards.", valueName: "card-id"))
        var cards: [String] = []

        @Option(name: .long, help: "All cards in this state (rejected, failed, held); may be given several times.")
        var state: [CardState] = []

        @Option(
            name: .long,
            help:
                "All cards that were rejected, failed or held for this reason, such as a RETCODE; with --state only those."
        )
        var reason: String?

        @OptionGroup var purpose: PurposeOptions

        @Option(name: .long, help: "The form of the list of changed cards.")
        var format = OutputFormat.text

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func validate() throws {
            guard !self.cards.isEmpty || !self.state.isEmpty || self.reason != nil else {
                throw ValidationError("Name cards by their id, by --state, or by --reason.")
            }
            guard self.reason?.isEmpty != true else {
                throw ValidationError("--reason is empty; give the code that `cards list` shows beside the state.")
            }
            guard Set(self.state).isSubset(of: [.rejected, .failed, .held]) else {
                throw ValidationError("--state is rejected, failed or held; name superseded cards by their id.")
            }
        }

        package func run() async throws {
            var states = Set(self.state)
            if states.isEmpty, self.reason != nil { states = [.rejected, .failed, .held] }
            var selection = CardSelection(ids: self.cards.map(CardID.init), states: states)
            selection.reason = self.reason.map(ReasonCode.init(rawValue:))
            let origin = self.purpose.origin(of: "cards retry")
            try await SandboxReading(options: self.options, isReadOnly: false).with { store in
                try await CardChanges(format: self.format).make(try await selection.cards(in: store)) { card in
                    [try await store.retry(card, by: origin, now: Timestamp(Date()))]
                }
            }
        }
    }
}
