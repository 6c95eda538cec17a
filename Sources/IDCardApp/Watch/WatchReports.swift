import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Synchronization

/// Follows the files of a watch: tells of each once its card has ended, or it was refused.
final class WatchReports: Sendable {
    private struct Waiting {
        /// The sources that are this card, and whether it was there before them.
        var sources: [(source: String, isDuplicate: Bool)] = []
        /// The card, if it has ended before its source was known.
        var ended: Card?
    }

    private struct State {
        var cards: [CardID: Waiting] = [:]
        var counts = RunCounts()
    }

    /// How many cards are kept in mind; beyond, those without a source are forgotten.
    private static let limit = 20_000

    private let startedAt: Timestamp
    private let state = Mutex(State())
    private let onEnd: @Sendable (RunCardReport) -> Void

    /// Starts following.
    ///
    /// - Parameters:
    ///   - startedAt: cards taken in since then may still be given their source; older ones have none.
    ///   - onEnd: called for each file as soon as its card has ended.
    init(startedAt: Timestamp, onEnd: @escaping @Sendable (RunCardReport) -> Void) {
        self.startedAt = startedAt
        self.onEnd = onEnd
    }

    /// How many files ended how.
    var counts: RunCounts { self.state.withLock { $0.counts } }

    /// Takes note of what the watch tells.
    func observe(_ event: WatchEvent) {
        switch event {
        // A refusal follows.
        case .taken(_, let card, _) where card.state == .rejected: break
        case .taken(let source, let card, let isDuplicate):
            self.note(card, of: source.reveal(), isDuplicate: isDuplicate)
        case .refused(let source, let reason, let message, let card):
            self.state.withLock { state in
                state.counts.add(.refused)
                if let card { state.cards[card] = nil }
            }
            var report = RunCardReport(source: source.reveal(), state: CardState.rejected.rawValue)
            report.cardID = card
            report.reason = reason.rawValue
            report.message = message
            self.onEnd(report)
        case .putOff, .sidecarLate, .placed, .scanned, .problem, .mended, .pressure: break
        }
    }

    /// Takes note of what the engine tells.
    func observe(_ event: PipelineEvent) {
        guard case .cardChanged(let card) = event else { return }
        let reports = self.state.withLock { state -> [RunCardReport] in
            guard let waiting = state.cards[card.id] else { return self.noteUnknown(card, in: &state) }
            guard !card.state.isRunnable else { return [] }
            guard !waiting.sources.isEmpty else {
                state.cards[card.id]?.ended = card
                return []
            }
            state.cards[card.id] = nil
            return waiting.sources.map { Self.report(on: card, of: $0.source, isDuplicate: $0.isDuplicate, &state) }
        }
        for report in reports { self.onEnd(report) }
    }

    private func note(_ card: Card, of source: String, isDuplicate: Bool) {
        let report = self.state.withLock { state -> RunCardReport? in
            let latest = state.cards[card.id]?.ended ?? card
            guard latest.state.isRunnable else {
                state.cards[card.id] = nil
                return Self.report(on: latest, of: source, isDuplicate: isDuplicate, &state)
            }
            state.cards[card.id, default: Waiting()].sources.append((source, isDuplicate))
            return nil
        }
        if let report { self.onEnd(report) }
    }

    /// A card whose source is not known: not yet, or it is of an earlier watch.
    private func noteUnknown(_ card: Card, in state: inout State) -> [RunCardReport] {
        if card.createdAt >= self.startedAt, state.cards.count < Self.limit {
            state.cards[card.id] = Waiting(ended: card.state.isRunnable ? nil : card)
            return []
        }
        guard !card.state.isRunnable, card.state != .erased else { return [] }
        return [Self.report(on: card, of: "", isDuplicate: false, &state)]
    }

    private static func report(
        on card: Card,
        of source: String,
        isDuplicate: Bool,
        _ state: inout State
    ) -> RunCardReport {
        state.counts.add(isDuplicate ? .duplicate : .moved(card.state))
        var report = RunCardReport(source: source, state: card.state.rawValue)
        report.describe(RunCard(card))
        if isDuplicate { report.duplicateOf = card.id }
        return report
    }
}
