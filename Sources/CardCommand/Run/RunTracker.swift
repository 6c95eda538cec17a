import CardEngine
import CardInput
import CardModel
import CardStore
import Synchronization

enum RunEnding: Hashable, Sendable {
    /// An input, by its index in the list.
    case input(Int)
    /// A card, in a run without inputs.
    case card(CardID)
}

/// Follows the inputs of one run, from the command line or on demand: the card of each, the cards that this run moved,
/// and those that have finished.
final class RunTracker: Sendable {
    private struct State {
        /// The results of the inputs to admit, by index; inputs that were not reached have none.
        var results: [Int: Result<Admitted, CodedError>] = [:]
        /// The cards that this run moved, with their new state.
        var moved: [CardID: CardState] = [:]
        /// The inputs that wait for their card to finish.
        var waiting: [CardID: [Int]] = [:]
        var figures = RunProgress()
    }

    private let listing: [BatchListing.Entry]
    private let places: [Photo: Int]
    /// The indices of rows that repeat an earlier one, by the index of that one.
    private let duplicates: [Int: [Int]]
    private let adopted: [CardID]
    private let changesOnly: Bool
    private let state: Mutex<State>
    private let ended: AsyncStream<RunEnding>.Continuation
    let endings: AsyncStream<RunEnding>

    /// Begins to follow a run.
    ///
    /// - Parameters:
    ///   - adopted: for a run without inputs: the cards in a state that has work.
    ///   - changesOnly: whether known cards that do not move are omitted.
    init(listing: [BatchListing.Entry], adopted: [CardID] = [], changesOnly: Bool = false) {
        (self.listing, self.adopted, self.changesOnly) = (listing, adopted, changesOnly)
        (self.endings, self.ended) = AsyncStream.makeStream()
        var places: [Photo: Int] = [:]
        var duplicates: [Int: [Int]] = [:]
        var state = State()
        for (place, entry) in listing.enumerated() {
            switch entry {
            case .admit(let item):
                places[item] = place
                state.figures.intake.total += 1
            case .duplicate(_, let item): if let first = places[item] { duplicates[first, default: []].append(place) }
            case .refuse, .ignore: self.ended.yield(.input(place))
            }
        }
        (self.places, self.duplicates) = (places, duplicates)
        self.state = Mutex(state)
    }

    var figures: RunProgress { self.state.withLock { $0.figures } }

    func observe(_ event: PipelineEvent) {
        let ended = self.state.withLock { state -> [Int] in
            switch event {
            case .taken(let item, let outcome): return self.note(outcome, of: item, in: &state)
            case .refused(let item, let error):
                guard let place = self.openPlace(of: item, in: state) else { return [] }
                state.results[place] = .failure(error)
                state.figures.intake.done += 1
                return error.isPassing ? [] : [place]
            case .changed(let change):
                state.moved[change.card] = change.state
                state.figures.count(change.state, of: change.card)
                guard !change.state.isRunnable else { return [] }
                if self.listing.isEmpty { self.ended.yield(.card(change.card)) }
                return state.waiting.removeValue(forKey: change.card) ?? []
            case .sending(let delivery, let sent, let total): state.figures.count(delivery, sent: sent, total: total)
            case .failed(let stage, let failure): state.figures.lastFailures[stage] = failure
            case .overdue(let count): state.figures.upkeep = .runOverdue(count)
            case .erasingFailed(let error): state.figures.upkeep = .runNotErased(error.message)
            case .called, .paused, .resumed, .beat: break
            }
            return []
        }
        for place in ended {
            for place in [place] + self.duplicates[place, default: []] { self.ended.yield(.input(place)) }
        }
    }

    func finish() { self.ended.finish() }

    private func note(_ outcome: Admitted, of item: Photo, in state: inout State) -> [Int] {
        guard let place = self.openPlace(of: item, in: state) else { return [] }
        state.results[place] = .success(outcome)
        state.figures.intake.done += 1
        if !outcome.isDuplicate {
            state.moved[outcome.card] = outcome.state
            state.figures.count(outcome.state, of: outcome.card)
        }
        guard outcome.state.isRunnable || outcome.retake != nil else { return [place] }
        state.waiting[outcome.retake ?? outcome.card, default: []].append(place)
        return []
    }

    /// The index of an input; `nil` once its result is known: an input that the engine gets again, because another one of
    /// its number is left, is not a duplicate of itself.
    private func openPlace(of item: Photo, in state: State) -> Int? {
        guard let place = self.places[item] else { return nil }
        switch state.results[place] {
        case nil: return place
        // The input is tried again.
        case .failure(let error) where error.isPassing: return place
        case .success, .failure: return nil
        }
    }

    // MARK: Results

    /// The result of an input, or of a card in a run without inputs, with the present card.
    func line(_ ending: RunEnding, card: Card?) -> RunLine {
        guard case .input(let place) = ending else {
            var line = RunLine(source: "", state: "unchanged")
            if let card {
                line.describe(card)
                self.count(card, known: card.id, in: &line)
            }
            return line
        }
        switch self.listing[place] {
        case .duplicate(let name, let item):
            guard let first = self.places[item] else {
                return RunLine(source: name.reveal(), state: "unchanged", countsAs: "duplicate")
            }
            var line = self.line(.input(first), card: card)
            (line.source, line.duplicateOf, line.notice) = (name.reveal(), line.cardID, .nothing)
            (line.countsAs, line.status) = ("duplicate", .delivered)
            return line
        case .ignore(let input):
            var line = RunLine(source: input.name.reveal(), state: "ignored", countsAs: "ignored")
            line.describe(input.error)
            line.notice = self.changesOnly ? .nothing : .line
            return line
        case .refuse(let input):
            var line = RunLine(source: input.name.reveal(), state: "unchanged")
            line.refuse(input.error)
            return line
        case .admit(let item): return self.line(item, at: place, card: card)
        }
    }

    private func line(_ item: Photo, at place: Int, card: Card?) -> RunLine {
        var line = RunLine(
            source: item.name.reveal(),
            businessNo: item.metadata.businessNumber.rawValue,
            side: item.metadata.side,
            state: "unchanged"
        )
        switch self.state.withLock({ $0.results[place] }) {
        case nil: (line.countsAs, line.status) = ("unchanged", .workRemains)
        case .failure(let error): line.refuse(error)
        case .success(let outcome):
            line.cardID = outcome.card
            if let card {
                line.describe(card)
                self.count(card, known: outcome.card, in: &line)
            }
            // Report the known card: the one being fetched may be deleted again.
            if card?.state == .fetching { line.cardID = outcome.card }
            if outcome.isDuplicate, line.cardID == outcome.card { line.duplicateOf = outcome.card }
            if self.changesOnly, !self.isChange(.input(place)) { line.notice = .nothing }
        }
        return line
    }

    /// Counts a card by its state if this run admitted or moved it, or if it is reported to a person.
    private func count(_ card: Card, known: CardID, in line: inout RunLine) {
        let isChange = card.id != known || self.state.withLock { $0.moved[card.id] != nil }
        let notice = self.changesOnly && !isChange ? .nothing : card.notice
        if notice.isFailure { line.status = .someNotDelivered }
        if card.hasWork { line.status = .workRemains }
        line.countsAs = card.state.rawValue
        if !isChange, card.state.isRunnable || notice == .nothing {
            line.countsAs = card.state.isRunnable ? "unchanged" : "duplicate"
        }
    }

    /// The card of an ending: the first of these that exists.
    func cards(of ending: RunEnding) -> [CardID] {
        switch ending {
        case .card(let card): return [card]
        case .input(var place):
            if case .duplicate(_, let item) = self.listing[place] { place = self.places[item] ?? place }
            return self.state.withLock { [place] in (try? $0.results[place]?.get().cards) ?? [] }
        }
    }

    /// Whether this run admitted, refused or moved it, except to delivered; a known and unchanged card does not count.
    func isChange(_ ending: RunEnding) -> Bool {
        guard case .input(let place) = ending else { return true }
        if case .duplicate = self.listing[place] { return false }
        return self.state.withLock { state in
            guard case .success(let outcome) = state.results[place] else { return true }
            return outcome.cards.compactMap { state.moved[$0] }.first.map { $0 != .delivered } ?? false
        }
    }

    /// The cards of all inputs, or those moved or adopted by a run without inputs.
    var knownCards: [CardID] {
        self.state.withLock { state in
            let cards = state.results.values.flatMap { (try? $0.get().cards) ?? [] }
            return Array(self.listing.isEmpty ? Set(state.moved.keys).union(self.adopted) : Set(cards))
        }
    }

    /// The business numbers of reported cards, and of the inputs unless only changes count.
    func numbers(of cards: [CardID: Card]) -> Set<BusinessNumber> {
        let moved = self.state.withLock { Set($0.moved.keys) }
        let told = cards.values.filter { !self.changesOnly || moved.contains($0.id) }
        let inputs = self.changesOnly ? [] : self.listing.compactMap(\.item)
        return Set(told.map(\.metadata.businessNumber) + inputs.map(\.metadata.businessNumber))
    }

    var count: Int { self.listing.count }

    // MARK: On demand

    /// The groups with inputs that are not admitted yet.
    func left(of groups: [[Photo]]) -> [[Photo]] {
        self.state.withLock { state in groups.filter { $0.contains { self.openPlace(of: $0, in: state) != nil } } }
    }

    /// The known cards of inputs that were rejected before.
    var rejectedBefore: [CardID] {
        self.state.withLock { state in
            let known = state.results.values.compactMap { try? $0.get() }.filter(\.isDuplicate)
            return known.filter { $0.state == .rejected }.map(\.card)
        }
    }

    /// The results of the inputs so far, with the present `rejectedBefore`; inputs to be tried again are not counted.
    func report(known: [Card]) -> SourceRun.Report {
        let toRetake = Set(known.filter { $0.notice == .attention(.retake) }.map(\.id))
        return self.state.withLock { state in
            var report = SourceRun.Report()
            for (place, entry) in self.listing.enumerated() {
                switch (entry, state.results[place]) {
                case (.ignore, _): report.counts["ignored", default: 0] += 1
                case (.duplicate, _): report.counts["duplicate", default: 0] += 1
                case (.refuse(let input), _): report.refuse(input.error.code)
                case (.admit, .failure(let error)): if !error.isPassing { report.refuse(error.code) }
                case (.admit, .success(let outcome))
                where outcome.state == .rejected && (!outcome.isDuplicate || toRetake.contains(outcome.card)):
                    report.refuse(outcome.reason ?? .sourceUnreadable)
                case (.admit, .success(let outcome)):
                    report.counts[outcome.isDuplicate ? "duplicate" : "admitted", default: 0] += 1
                case (.admit, nil): break
                }
            }
            return report
        }
    }
}

extension SourceRun.Report {
    /// Begins with all counts at zero.
    init(reason: ReasonCode? = nil) {
        self.init(reason: reason, counts: ["admitted": 0, "duplicate": 0, "refused": 0, "ignored": 0])
    }

    fileprivate mutating func refuse(_ code: ReasonCode) {
        self.counts["refused", default: 0] += 1
        self.refusals[code.rawValue, default: 0] += 1
    }
}
