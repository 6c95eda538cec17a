import CardEngine
import CardInput
import CardModel
import CardStore
import Synchronization

/// Follows the inputs of one run: which card each is, which cards this run moved, and what has ended.
final class RunTracker: Sendable {
    /// What became of an input.
    private enum Standing: Sendable {
        case notReached
        case taken(CardID, isDuplicate: Bool)
        case refused(CodedError)
        case ignored

        var isNotReached: Bool { if case .notReached = self { true } else { false } }
        var card: CardID? { if case .taken(let id, _) = self { id } else { nil } }
    }

    private struct State {
        var standings: [Standing]
        var moved: Set<CardID> = []
        /// For a run without inputs: the cards that had work or needed a person when it began.
        var adopted: [CardID] = []
        /// The inputs that wait for their card to end.
        var waiting: [CardID: [Int]] = [:]
        var figures = RunFigures()
    }

    private let listing: [BatchListing.Entry]
    private let places: [InputItem: Int]
    private let state: Mutex<State>
    private let ended: AsyncStream<Int>.Continuation
    /// The places of inputs as they end, for `jsonl`.
    let endings: AsyncStream<Int>

    init(listing: [BatchListing.Entry]) {
        self.listing = listing
        var places: [InputItem: Int] = [:]
        var state = State(standings: [])
        // No more than one of each input is ever announced.
        (self.endings, self.ended) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(max(1, listing.count)))
        for (place, entry) in listing.enumerated() {
            switch entry {
            case .take(let item):
                places[item] = place
                state.figures.intake.total += 1
                state.standings.append(.notReached)
                continue
            case .refuse(let input): state.standings.append(.refused(input.error))
            case .ignore: state.standings.append(.ignored)
            }
            self.ended.yield(place)
        }
        self.places = places
        self.state = Mutex(state)
    }

    /// How far the stages are.
    var figures: RunFigures { self.state.withLock { $0.figures } }

    /// Takes note of what the engine tells.
    func observe(_ event: PipelineEvent) {
        let ended = self.state.withLock { state -> [Int] in
            switch event {
            case .taken(let item, let outcome): return self.note(outcome, of: item, in: &state)
            case .refused(let item, let error):
                guard let place = self.places[item] else { return [] }
                state.standings[place] = .refused(error)
                state.figures.intake.done += 1
                return [place]
            case .changed(let change):
                state.moved.insert(change.card)
                state.figures.note(change.state)
                return change.state.isRunnable ? [] : state.waiting.removeValue(forKey: change.card) ?? []
            case .sending(let delivery, let sent, let total): state.figures.note(delivery, sent: sent, total: total)
            case .failed(let stage, let failure): state.figures.lastFailures[stage] = failure
            }
            return []
        }
        for place in ended { self.ended.yield(place) }
    }

    /// Takes cards of the sandbox for the inputs of a run that names none.
    func adopt(_ cards: [CardID]) { self.state.withLock { $0.adopted = cards } }

    /// No more events come.
    func finish() { self.ended.finish() }

    private func note(_ outcome: AdmissionOutcome, of item: InputItem, in state: inout State) -> [Int] {
        guard let place = self.places[item] else { return [] }
        state.standings[place] = .taken(outcome.card, isDuplicate: outcome.isDuplicate)
        state.figures.intake.done += 1
        if !outcome.isDuplicate {
            state.moved.insert(outcome.card)
            state.figures.note(outcome.state)
        }
        guard outcome.state.isRunnable else { return [place] }
        state.waiting[outcome.card, default: []].append(place)
        return []
    }

    // MARK: The end

    /// What became of an input, with its card as it stands now.
    func line(_ place: Int, card: Card?) -> RunLine {
        var line: RunLine
        switch self.listing[place] {
        case .take(let item):
            line = RunLine(
                source: item.name.reveal(),
                businessNo: item.metadata.businessNumber.rawValue,
                side: item.metadata.side,
                state: "unchanged"
            )
        case .refuse(let input): line = RunLine(source: input.name.reveal(), state: CardState.rejected.rawValue)
        case .ignore(let name): line = RunLine(source: name.reveal(), state: "ignored")
        }
        switch self.state.withLock({ $0.standings[place] }) {
        case .notReached, .ignored: break
        case .refused(let error):
            line.state = error.stateOfInput
            line.describe(error)
        case .taken(let id, let isDuplicate):
            line.cardID = id
            if let card { line.describe(card) }
            if isDuplicate { line.duplicateOf = id }
        }
        return line
    }

    /// The card of an input, if it has one.
    func card(at place: Int) -> CardID? { self.state.withLock { $0.standings[place].card } }

    /// The places of the inputs that have not ended as far as is known here.
    var unfinished: [Int] {
        self.state.withLock { state in
            let notReached = state.standings.indices.filter { state.standings[$0].isNotReached }
            return (state.waiting.values.joined() + notReached).sorted()
        }
    }

    /// Counts the inputs, or, for a run without inputs, the cards that it moved, and says what they call for.
    ///
    /// - Parameter cards: every card of `knownCards` as it stands now.
    func outcome(cards: [CardID: Card]) -> RunTally {
        self.state.withLock { state in
            var tally = RunTally()
            var counted: Set<CardID> = []
            func note(_ id: CardID) {
                guard let card = cards[id] else { return }
                tally.note(card, isMoved: state.moved.contains(id), isFirst: counted.insert(id).inserted)
            }
            for standing in state.standings {
                switch standing {
                case .notReached: tally.noteNotReached()
                case .ignored: tally.counts.add("ignored")
                case .refused(let error): tally.note(error)
                case .taken(let id, _): note(id)
                }
            }
            if self.listing.isEmpty { state.moved.union(state.adopted).forEach(note) }
            return tally
        }
    }

    /// Every card that is an input, or was moved by a run without inputs.
    var knownCards: [CardID] {
        self.state.withLock { state in
            Array(
                self.listing.isEmpty ? state.moved.union(state.adopted) : Set(state.standings.compactMap(\.card))
            )
        }
    }

    /// How many inputs there are.
    var count: Int { self.listing.count }
}

/// What the inputs of a run come to.
struct RunTally: Sendable {
    var counts = RunCounts()
    private var workRemains = false
    private var isIncomplete = false
    private var isOutOfRoom = false

    mutating func noteNotReached() {
        self.counts.add("unchanged")
        self.workRemains = true
    }

    mutating func note(_ error: CodedError) {
        self.counts.add(error.stateOfInput)
        switch error.kind {
        case .storage: self.isOutOfRoom = true
        case .temporary: self.workRemains = true
        default: self.isIncomplete = true
        }
    }

    mutating func note(_ card: Card, isMoved: Bool, isFirst: Bool) {
        if card.hasWork { self.workRemains = true }
        if isFirst, isMoved {
            self.counts.add(card.state.rawValue)
            if card.isFailure { self.isIncomplete = true }
        } else {
            self.counts.add(isFirst && (card.hasWork || card.isBlocked) ? "unchanged" : "duplicate")
            // What was rejected before is no news.
            if card.isFailure, card.state != .rejected { self.isIncomplete = true }
        }
    }

    /// The exit status that this calls for.
    ///
    /// - Parameter isStopped: whether an endpoint stopped a stage.
    func status(isStopped: Bool) -> CommandStatus {
        if self.isOutOfRoom { return .sandboxError }
        if self.workRemains { return isStopped ? .endpointStopped : .workRemains }
        guard self.isIncomplete else { return .delivered }
        return isStopped ? .endpointStopped : .someNotDelivered
    }
}
