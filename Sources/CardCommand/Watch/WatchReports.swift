import CardEngine
import CardInput
import CardModel
import CardStore
import Synchronization

/// Follows the files of a watch: prints a line for each once its card has ended, or it was refused.
final class WatchReports: Sendable {
    private enum News: Sendable {
        case taken(InputItem, AdmissionOutcome)
        case ended(CardID)
        case refused(Redacted<String>, CodedError, CardID?)
    }

    private let store: CardStore
    private let format: LineFormat
    private let news: AsyncStream<News>
    private let teller: AsyncStream<News>.Continuation
    private let tally = Mutex(RunCounts())

    init(store: CardStore, format: LineFormat) {
        self.store = store
        self.format = format
        (self.news, self.teller) = AsyncStream.makeStream()
    }

    /// How many files ended how.
    var counts: RunCounts { self.tally.withLock { $0 } }

    func observe(_ event: PipelineEvent) {
        switch event {
        // The watch refuses what was rejected at once.
        case .taken(_, let outcome) where outcome.state == .rejected && !outcome.isDuplicate: break
        case .taken(let item, let outcome): self.teller.yield(.taken(item, outcome))
        case .changed(let change) where !change.state.isRunnable: self.teller.yield(.ended(change.card))
        case .changed, .refused, .sending, .failed: break
        }
    }

    func observe(_ event: WatchEvent) {
        guard case .refused(let name, let error, let card) = event else { return }
        self.teller.yield(.refused(name, error, card))
    }

    /// No more news come; `print` returns once all lines are written.
    func finish() { self.teller.finish() }

    /// Prints until there are no more news.
    func print() async throws {
        // Each card with the files that are it; a file is known here before its card is looked at.
        var files: [CardID: [(item: InputItem, isDuplicate: Bool)]] = [:]
        for await news in self.news {
            let card: CardID
            switch news {
            case .refused(let name, let error, let card):
                await self.print(Self.refusal(of: name, error, card))
                continue
            case .taken(let item, let outcome):
                card = outcome.card
                files[card, default: []].append((item, outcome.isDuplicate))
            case .ended(let ended):
                card = ended
            }
            guard files[card] != nil, let known = try await self.store.cards([card]).first, !known.state.isRunnable
            else {
                continue
            }
            for file in files.removeValue(forKey: card) ?? [] {
                var line = RunLine(source: file.item.name.reveal(), state: known.state.rawValue)
                line.describe(known)
                if file.isDuplicate { line.duplicateOf = card }
                await self.print(line)
            }
        }
    }

    private static func refusal(of name: Redacted<String>, _ error: CodedError, _ card: CardID?) -> RunLine {
        var line = RunLine(source: name.reveal(), state: CardState.rejected.rawValue)
        line.cardID = card
        line.describe(error)
        return line
    }

    private func print(_ line: RunLine) async {
        self.tally.withLock { $0.add(line.duplicateOf == nil ? line.state : "duplicate") }
        await self.format.print(line)
    }
}
