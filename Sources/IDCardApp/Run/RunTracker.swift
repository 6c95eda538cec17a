import IDCardCore
import IDCardPipeline
import Synchronization

/// Follows the inputs of one run: what became of each, which cards this run moved, and what it all means for the exit status.
final class RunTracker: Sendable {
    private struct State {
        var results: [Int: InputResult] = [:]
        /// The latest view of every card that changed during this run.
        var cards: [CardID: Card] = [:]
        /// Cards whose state changed during this run.
        var moved: Set<CardID> = []
        /// The inputs that wait for their card to end, by card.
        var waiting: [CardID: [Int]] = [:]
        /// Whether work waits for room on the disk.
        var isOutOfRoom = false
    }

    private let items: [IntakeItem]
    private let state = Mutex(State())
    private let onEnd: @Sendable (RunCardReport) -> Void

    /// Starts following.
    ///
    /// - Parameters:
    ///   - items: the inputs, in order.
    ///   - onEnd: called for each input as soon as its card has ended (`jsonl`).
    init(items: [IntakeItem], onEnd: @escaping @Sendable (RunCardReport) -> Void) {
        self.items = items
        self.onEnd = onEnd
    }

    /// Takes note of what the engine tells.
    func observe(_ event: PipelineEvent) {
        let ended = self.state.withLock { state -> [RunCardReport] in
            switch event {
            case .input(let index, let result):
                return self.note(result, of: index, in: &state)
            case .cardChanged(let card):
                return self.note(card, in: &state)
            case .cardWaits(let card):
                state.cards[card.id] = Self.later(of: state.cards[card.id], and: card)
                return []
            case .spaceChanged(let space):
                state.isOutOfRoom = !space.allowsIntake
                return []
            case .intakeStarted, .stagePaused, .stageResumed, .shuttingDown:
                return []
            }
        }
        for report in ended { self.onEnd(report) }
    }

    private func note(_ result: InputResult, of index: Int, in state: inout State) -> [RunCardReport] {
        state.results[index] = result
        guard let card = result.card else { return [self.report(on: index, in: state)] }
        // What the input's own look at the store found is older than any event.
        let latest = Self.later(of: card, and: state.cards[card.id] ?? card)
        state.cards[card.id] = latest
        if case .admitted = result { state.moved.insert(card.id) }
        if Self.hasEnded(latest) { return [self.report(on: index, in: state)] }
        state.waiting[card.id, default: []].append(index)
        return []
    }

    private func note(_ card: Card, in state: inout State) -> [RunCardReport] {
        let latest = Self.later(of: state.cards[card.id], and: card)
        state.cards[card.id] = latest
        state.moved.insert(card.id)
        guard Self.hasEnded(latest) else { return [] }
        return (state.waiting.removeValue(forKey: card.id) ?? []).map { self.report(on: $0, in: state) }
    }

    /// Returns the reports that `onEnd` has not been called with, because their cards have not ended.
    func unfinished() -> [RunCardReport] {
        self.state.withLock { state in
            let notReached = self.items.indices.filter { state.results[$0] == nil }
            return self.cardsWithoutInput(in: state).map(RunCardReport.init)
                + (state.waiting.values.flatMap { $0 } + notReached).sorted().map { self.report(on: $0, in: state) }
        }
    }

    /// Returns the reports on all inputs, in their order.
    func reports() -> [RunCardReport] {
        self.state.withLock { state in
            self.cardsWithoutInput(in: state).map(RunCardReport.init)
                + self.items.indices.map { self.report(on: $0, in: state) }
        }
    }

    /// Returns how many inputs ended how.
    func counts() -> RunCounts {
        self.state.withLock { state in
            var counts = RunCounts()
            for card in self.cardsWithoutInput(in: state) { counts.add(.moved(card.state)) }
            for (_, end) in self.ends(in: state) { counts.add(end) }
            counts.addNotReached(self.items.count - state.results.count)
            return counts
        }
    }

    /// Returns the exit status that this run's inputs call for.
    ///
    /// - Parameters:
    ///   - stopped: whether a stage is stopped.
    ///   - isExhausted: whether the run ended with work left: what a run without inputs goes by.
    func exitStatus(stopped: Bool, isExhausted: Bool = false) -> CommandStatus {
        self.state.withLock { state in
            if self.items.isEmpty {
                let cards = self.cardsWithoutInput(in: state)
                return Self.exitStatus(of: cards, stopped: stopped, isExhausted: isExhausted)
            }
            let ends = self.ends(in: state)
            if state.results.values.contains(where: \.isForWantOfRoom) { return .sandboxError }
            if ends.count < self.items.count { return stopped ? .endpointStopped : .workRemains }
            let workRemains = ends.contains { index, end in
                guard end != .ignored, let card = self.latestCard(of: index, in: state) else { return false }
                return card.state.isRunnable && !Self.isBlocked(card)
            }
            if workRemains, state.isOutOfRoom { return .sandboxError }
            if workRemains { return stopped ? .endpointStopped : .workRemains }
            let isIncomplete = ends.contains { index, end in self.isFailure(end, index: index, in: state) }
            guard isIncomplete else { return .delivered }
            return stopped ? .endpointStopped : .someNotDelivered
        }
    }

    /// The cards that a run without inputs moved: it goes on with what is in the sandbox.
    private func cardsWithoutInput(in state: State) -> [Card] {
        guard self.items.isEmpty else { return [] }
        return state.moved.compactMap { state.cards[$0] }.sorted { $0.intakeOrder < $1.intakeOrder }
    }

    private static func exitStatus(of cards: [Card], stopped: Bool, isExhausted: Bool) -> CommandStatus {
        if isExhausted || cards.contains(where: { $0.state.isRunnable && !Self.isBlocked($0) }) {
            return stopped ? .endpointStopped : .workRemains
        }
        guard cards.contains(where: { Self.isFailure($0.state, of: $0) }) else { return .delivered }
        return stopped ? .endpointStopped : .someNotDelivered
    }

    private func isFailure(_ end: RunInputEnd, index: Int, in state: State) -> Bool {
        switch end {
        case .ignored: return false
        case .refused: return true
        case .moved(let cardState): return Self.isFailure(cardState, of: self.latestCard(of: index, in: state))
        case .duplicate, .unchanged:
            guard let card = self.latestCard(of: index, in: state), card.state != .rejected else { return false }
            return Self.isFailure(card.state, of: card)
        }
    }

    private static func isFailure(_ state: CardState, of card: Card?) -> Bool {
        switch state {
        case .rejected, .failed, .held: true
        case .verified: card.map(Self.isBlocked) ?? false
        default: false
        }
    }

    /// Two views of one card may arrive in either order: the one that changed later counts, and of one instant the one that has ended.
    private static func later(of known: Card?, and new: Card) -> Card {
        guard let known else { return new }
        if known.changedAt != new.changedAt { return known.changedAt > new.changedAt ? known : new }
        return Self.hasEnded(known) && !Self.hasEnded(new) ? known : new
    }

    /// Looks again at the cards that have not ended as far as is known here: another process may have moved them.
    func refresh(from store: some CardStore) async throws {
        let open = self.state.withLock { $0.cards.values.filter { !Self.hasEnded($0) }.map(\.id) }
        for id in open {
            guard let card = try await store.card(id) else { continue }
            let reports = self.state.withLock { state -> [RunCardReport] in
                state.cards[id] = card
                guard Self.hasEnded(card) else { return [] }
                return (state.waiting.removeValue(forKey: id) ?? []).map { self.report(on: $0, in: state) }
            }
            for report in reports { self.onEnd(report) }
        }
    }

    // MARK: Ends

    private func ends(in state: State) -> [(Int, RunInputEnd)] {
        var counted: Set<CardID> = []
        let dealtWith = state.results.sorted { $0.key < $1.key }
        return dealtWith.map { index, result in
            guard let card = self.latestCard(of: index, in: state) else {
                if result == .ignored { return (index, .ignored) }
                return (index, result.isForWantOfRoom ? .unchanged : .refused)
            }
            let isFirst = counted.insert(card.id).inserted
            if isFirst, state.moved.contains(card.id) { return (index, .moved(card.state)) }
            let hasWork = card.state.isRunnable && !Self.isBlocked(card)
            return (index, isFirst && hasWork ? .unchanged : .duplicate)
        }
    }

    private func latestCard(of index: Int, in state: State) -> Card? {
        guard let card = state.results[index]?.card else { return nil }
        return state.cards[card.id] ?? card
    }

    private static func hasEnded(_ card: Card) -> Bool { !card.state.isRunnable }

    private static func isBlocked(_ card: Card) -> Bool {
        card.state == .verified && card.reason.map(ReasonCode.askingAPerson.contains) == true
    }

    /// Whether a card waits for something that only a person can give.
    static func isBlocked(reason: String?) -> Bool {
        reason.map { ReasonCode.askingAPerson.contains(ReasonCode(rawValue: $0)) } ?? false
    }

    // MARK: Reports

    private func report(on index: Int, in state: State) -> RunCardReport {
        let item = self.items[index]
        var report = RunCardReport(source: item.source.reveal(), state: CardState.rejected.rawValue)
        switch item.disposition {
        case .take(let metadata):
            report.businessNumber = metadata.businessNumber.rawValue
            report.side = metadata.side
        case .refuse(_, _, let number): report.businessNumber = number?.rawValue
        case .ignore: break
        }
        switch state.results[index] {
        case .refused(let reason, let message):
            if reason == .diskSpaceLow { report.state = RunInputEnd.unchanged.key }
            report.reason = reason.rawValue
            report.message = message
        case .ignored: report.state = "ignored"
        case nil: report.state = RunInputEnd.unchanged.key
        case .admitted, .duplicate: break
        }
        if let card = self.latestCard(of: index, in: state) { report.describe(card) }
        if case .duplicate(let card, _) = state.results[index] { report.duplicateOf = card.id }
        return report
    }
}

extension InputResult {
    /// Whether the input was refused only because there was no room for it.
    fileprivate var isForWantOfRoom: Bool {
        if case .refused(.diskSpaceLow, _) = self { true } else { false }
    }

    /// The card that the input is, if any.
    var card: Card? {
        switch self {
        case .admitted(let card), .duplicate(let card, _): card
        case .refused, .ignored: nil
        }
    }
}

extension RunCardReport {
    /// The report on a card that no input of the run stands for.
    fileprivate init(_ card: Card) {
        self.init(source: "", state: card.state.rawValue)
        self.describe(card)
    }

    /// Takes over what is known of the card.
    mutating func describe(_ card: Card) {
        self.cardID = card.id
        self.state = card.state.rawValue
        // A tombstone does not name its number any more; the input may.
        if card.state != .erased || self.businessNumber == nil {
            self.businessNumber = card.metadata.businessNumber.rawValue
        }
        self.side = card.side ?? self.side
        self.reason = card.reason?.rawValue
        self.message = card.message
    }
}
