package import ArgumentParser
import IDCardCore
import IDCardPipeline
import IDCardSandbox

extension CardsCommand {
    /// Lists cards in the order of their intake.
    package struct List: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List cards in the order of their intake; an empty list prints nothing."
        )

        @Option(name: .long, help: "Only cards in this state; may be given several times.")
        var state: [CardState] = []

        @Option(name: .long, help: ArgumentHelp("Only cards of this business number.", valueName: "no"))
        var businessNo: String?

        @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("At most so many; 0 for all.", valueName: "n"))
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
            if let businessNo = self.businessNo, BusinessNumber(stored: businessNo) == nil {
                throw ValidationError("--business-no has 1 to \(BusinessNumber.maximumLength) printable characters.")
            }
        }

        package func run() async throws {
            try await SandboxReading(options: self.options).with { store in
                let cards = try await self.cards(in: store)
                if self.quiet {
                    for card in cards { Console.standardOutput(card.id.rawValue) }
                    return .delivered
                }
                let lines = cards.map(CardLine.init)
                switch self.format {
                case .text: for line in lines { Console.standardOutput(line.text) }
                case .json: Console.standardOutput(JSONText.document(["cards": lines]))
                case .jsonl: for line in lines { Console.standardOutput(JSONText.line(line)) }
                }
                return .delivered
            }
        }

        private func cards(in store: SandboxStore) async throws -> [Card] {
            let pageSize = 1000
            var query = CardQuery(
                states: Set(self.state),
                businessNumber: self.businessNo.flatMap(BusinessNumber.init(stored:))
            )
            var cards: [Card] = []
            while self.limit == 0 || cards.count < self.limit {
                query.limit = self.limit == 0 ? pageSize : min(pageSize, self.limit - cards.count)
                let page = try await store.cards(matching: query)
                cards += page
                guard page.count == query.limit, let last = page.last else { break }
                query.afterIntakeOrder = last.intakeOrder
            }
            return cards
        }
    }
}
