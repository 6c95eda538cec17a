import IDCardCore
import IDCardPipeline
import Synchronization

/// Follows the inputs of one run: what became of each, which cards this run moved, and what it all means for the exit status.
///
/// It holds what it must know of every input and card to the end, and nothing else of them: a run may have a hundred
/// thousand.
final class RunTracker: Sendable {
    /// What became of an input.
    private enum Standing: Hashable {
        case notReached
        /// A new card, by its place in `cards`.
        case admitted(Int32)
        /// A card that was there already, by its place in `cards`.
        case duplicate(Int32)
        /// No card; why is in `refusals`.
        case refused
        case ignored

        /// The place of the card that the input is, if any.
        var place: Int? {
            switch self {
            case .admitted(let place), .duplicate(let place): Int(place)
            case .notReached, .refused, .ignored: nil
            }
        }
    }

    /// Why an input is no card.
    private struct Refusal {
        var reason: ReasonCode
        var message: String
        /// Whether the input was refused only because there was no room for it.
        var isForWantOfRoom: Bool { self.reason == .diskSpaceLow }
    }

    private struct State {
        /// By input.
        var standings: [Standing]
        var refusals: [Int: Refusal] = [:]
        /// The latest view of every card that is an input or changed during this run.
        var cards: [RunCard] = []
        /// The places of the cards.
        var places: [RunCardID: Int32] = [:]
        /// The inputs that wait for their card to end, by its place.
        var waiting: [Int32: [Int]] = [:]
        /// Whether work waits for room on the disk.
        var isOutOfRoom = false
    }

    private let items: IntakeList
    private let state: Mutex<State>
    private let onEnd: @Sendable (RunCardReport) -> Void

    /// Starts following.
    ///
    /// - Parameters:
    ///   - items: the inputs, in order.
    ///   - onEnd: called for each input as soon as its card has ended (`jsonl`).
    init(items: IntakeList, onEnd: @escaping @Sendable (RunCardReport) -> Void) {
        self.items = items
        self.state = Mutex(State(standings: Array(repeating: .notReached, count: items.count)))
        self.onEnd = onEnd
    }

    /// Takes note of what the engine tells.
    func observe(_ event: PipelineEvent) {
        let ended = self.state.withLock { state -> [RunCardReport] in
            switch event {
            case .input(let index, let result):
                return self.note(result, of: index, in: &state)
            case .cardChanged(let card):
                let place = Self.note(card, in: &state)
                state.cards[Int(place)].isMoved = true
                return self.endOfWait(for: place, in: &state)
            case .cardWaits(let card):
                _ = Self.note(card, in: &state)
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
        let place: Int32
        switch result {
        case .admitted(let card):
            place = Self.note(card, isLook: true, in: &state)
            state.cards[Int(place)].isMoved = true
            state.standings[index] = .admitted(place)
            state.refusals[index] = nil
        case .duplicate(let card, _):
            place = Self.note(card, isLook: true, in: &state)
            state.standings[index] = .duplicate(place)
            state.refusals[index] = nil
        case .refused(let reason, let message):
            state.standings[index] = .refused
            state.refusals[index] = Refusal(reason: reason, message: message)
            return [self.report(on: index, in: state)]
        case .ignored:
            state.standings[index] = .ignored
            return [self.report(on: index, in: state)]
        }
        if state.cards[Int(place)].hasEnded { return [self.report(on: index, in: state)] }
        state.waiting[place, default: []].append(index)
        return []
    }

    /// Takes note of a view of a card; two views of one card may arrive in either order.
    private static func note(_ card: Card, isLook: Bool = false, in state: inout State) -> Int32 {
        let view = RunCard(card)
        if let place = state.places[view.id] {
            state.cards[Int(place)].take(view, isLook: isLook)
            return place
        }
        let place = Int32(state.cards.count)
        state.cards.append(view)
        state.places[view.id] = place
        return place
    }

    /// The reports on the inputs that waited for a card, if it has ended.
    private func endOfWait(for place: Int32, in state: inout State) -> [RunCardReport] {
        guard state.cards[Int(place)].hasEnded else { return [] }
        return (state.waiting.removeValue(forKey: place) ?? []).map { self.report(on: $0, in: state) }
    }

    /// Looks again at the cards that have not ended as far as is known here: another process may have moved them.
    func refresh(from store: some CardStore) async throws {
        let open = self.state.withLock { $0.cards.filter { !$0.hasEnded }.map(\.id) }
        for id in open {
            guard let card = try await store.card(id.cardID) else { continue }
            let reports = self.state.withLock { state -> [RunCardReport] in
                guard let place = state.places[id] else { return [] }
                state.cards[Int(place)].replace(by: RunCard(card))
                return self.endOfWait(for: place, in: &state)
            }
            for report in reports { self.onEnd(report) }
        }
    }

    // MARK: Reports

    /// The cards that a run without inputs moved, by their places: it goes on with what is in the sandbox.
    private func cardsWithoutInput(in state: State) -> [Int] {
        guard self.items.isEmpty else { return [] }
        return state.cards.indices.filter { state.cards[$0].isMoved }
            .sorted { state.cards[$0].intakeOrder < state.cards[$1].intakeOrder }
    }

    /// Returns the reports on all inputs in their order, or those on the cards that a run without inputs moved; each is made
    /// when it is asked for.
    func reports() -> RunReports {
        let cards = self.state.withLock { self.cardsWithoutInput(in: $0) }
        guard self.items.isEmpty else {
            return RunReports(count: self.items.count) { index in
                self.state.withLock { self.report(on: index, in: $0) }
            }
        }
        return RunReports(count: cards.count) { index in
            self.state.withLock { RunCardReport($0.cards[cards[index]]) }
        }
    }

    /// Returns the reports that `onEnd` has not been called with, because their cards have not ended.
    func unfinished() -> RunReports {
        guard !self.items.isEmpty else { return self.reports() }
        let open = self.state.withLock { state in
            let notReached = self.items.indices.filter { state.standings[$0] == .notReached }
            return (state.waiting.values.flatMap { $0 } + notReached).sorted()
        }
        return RunReports(count: open.count) { index in
            self.state.withLock { self.report(on: open[index], in: $0) }
        }
    }

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
        let standing = state.standings[index]
        switch standing {
        case .refused:
            guard let refusal = state.refusals[index] else { break }
            if refusal.isForWantOfRoom { report.state = RunInputEnd.unchanged.key }
            report.reason = refusal.reason.rawValue
            report.message = refusal.message
        case .ignored: report.state = "ignored"
        case .notReached: report.state = RunInputEnd.unchanged.key
        case .admitted, .duplicate: break
        }
        if let place = standing.place { report.describe(state.cards[place]) }
        if case .duplicate = standing { report.duplicateOf = report.cardID }
        return report
    }
}

// MARK: - Ends

extension RunTracker {
    /// Returns how many inputs ended how.
    func counts() -> RunCounts {
        self.state.withLock { state in
            var counts = RunCounts()
            for place in self.cardsWithoutInput(in: state) { counts.add(.moved(state.cards[place].state)) }
            self.forEachEnd(in: state) { _, end in counts.add(end) }
            counts.addNotReached(state.standings.count { $0 == .notReached })
            return counts
        }
    }

    /// Returns the exit status that this run's inputs call for.
    ///
    /// - Parameters:
    ///   - stopped: whether a stage is stopped.
    ///   - isExhausted: whether the run ended with work left: what a run without inputs goes by.
    ///   - isWaiting: whether cards wait for inputs that are expected or were refused: what a run without inputs goes by.
    func exitStatus(stopped: Bool, isExhausted: Bool = false, isWaiting: Bool = false) -> CommandStatus {
        self.state.withLock { state in
            if self.items.isEmpty {
                let cards = self.cardsWithoutInput(in: state).map { state.cards[$0] }
                let status = Self.exitStatus(of: cards, stopped: stopped, isExhausted: isExhausted)
                return status == .delivered && isWaiting ? .someNotDelivered : status
            }
            if state.refusals.values.contains(where: \.isForWantOfRoom) { return .sandboxError }
            if state.standings.contains(.notReached) { return stopped ? .endpointStopped : .workRemains }
            var (workRemains, isIncomplete) = (false, false)
            self.forEachEnd(in: state) { card, end in
                if let card, card.hasWork { workRemains = true }
                if Self.isFailure(end, of: card) { isIncomplete = true }
            }
            if workRemains, state.isOutOfRoom { return .sandboxError }
            if workRemains { return stopped ? .endpointStopped : .workRemains }
            guard isIncomplete else { return .delivered }
            return stopped ? .endpointStopped : .someNotDelivered
        }
    }

    private static func exitStatus(of cards: [RunCard], stopped: Bool, isExhausted: Bool) -> CommandStatus {
        if isExhausted || cards.contains(where: \.hasWork) { return stopped ? .endpointStopped : .workRemains }
        guard cards.contains(where: \.isFailure) else { return .delivered }
        return stopped ? .endpointStopped : .someNotDelivered
    }

    private static func isFailure(_ end: RunInputEnd, of card: RunCard?) -> Bool {
        switch end {
        case .ignored: false
        case .refused: true
        case .moved: card?.isFailure ?? false
        // What was rejected before is no news.
        case .duplicate, .unchanged: card.map { $0.state != .rejected && $0.isFailure } ?? false
        }
    }

    /// Hands over what became of every input that was dealt with, in their order, with its card.
    private func forEachEnd(in state: State, _ body: (RunCard?, RunInputEnd) -> Void) {
        var isCounted = Array(repeating: false, count: state.cards.count)
        for (index, standing) in state.standings.enumerated() where standing != .notReached {
            guard let place = standing.place else {
                let isForWantOfRoom = state.refusals[index]?.isForWantOfRoom ?? false
                body(nil, standing == .ignored ? .ignored : isForWantOfRoom ? .unchanged : .refused)
                continue
            }
            let card = state.cards[place]
            let isFirst = !isCounted[place]
            isCounted[place] = true
            if isFirst, card.isMoved {
                body(card, .moved(card.state))
            } else {
                body(card, isFirst && card.hasWork ? .unchanged : .duplicate)
            }
        }
    }
}
