package import ArgumentParser
import IDCardCore
import IDCardPipeline

/// `cards`: looks at the cards in the sandbox, and does what only a person may.
package struct CardsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cards",
        abstract: "Look at the cards in the sandbox, and decide what becomes of them.",
        subcommands: [
            List.self, Show.self, Retry.self, Resolve.self, Erase.self, Export.self, Log.self,
        ]
    )

    /// Takes no arguments of its own.
    package init() {}
}

extension CardState: ExpressibleByArgument {}

extension Resolution: ExpressibleByArgument {}
