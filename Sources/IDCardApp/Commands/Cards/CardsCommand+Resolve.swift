package import ArgumentParser
import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox

extension CardsCommand {
    /// Decides what becomes of held cards.
    package struct Resolve: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "resolve",
            abstract: "Decide what becomes of held cards.",
            discussion: """
                delivered: the backend holds the document. resend: the same delivery is sent again, byte for byte and \
                under the same key, with every held card in it. accept: the card is good and is delivered as any other. \
                reject: it is not delivered. A card that is being delivered while that stage is stopped can be resolved, too.

                Exit status: 0 done · 1 some decision was refused · 64 usage · 66 there is no such card · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The ids of cards.", valueName: "card-id"))
        var cards: [String]

        @Option(name: .customLong("as"), help: "What is decided: delivered, resend, accept or reject.")
        var resolution: Resolution

        @OptionGroup var purpose: PurposeOptions

        @Option(name: .long, help: "The form of the list of changed cards.")
        var format = OutputFormat.text

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func run() async throws {
            let selection = CardSelection(ids: self.cards.map(CardID.init))
            let origin = self.purpose.origin(of: "cards resolve --as \(self.resolution.rawValue)")
            try await SandboxReading(options: self.options, isReadOnly: false).with { store in
                try await CardChanges(format: self.format).make(try await selection.cards(in: store)) { card in
                    try await store.resolve(card, as: self.resolution, by: origin, now: Timestamp(Date()))
                }
            }
        }
    }
}
