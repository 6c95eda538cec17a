import CardEngine
import CardInput
import CardModel
import CardStore

enum InputResult: Sendable {
    case notReached
    case ignored(CodedError)
    /// Repeats an earlier input, by its index.
    case duplicate(of: Int)
    /// Refused; with an error that `isRetried`, the input is tried again.
    case refused(CodedError)
    case admitted(Admitted)
    /// A card with work, in a run without inputs.
    case stored(CardID)

    /// Whether the input may still get another result.
    var isOpen: Bool { if case .notReached = self { true } else { self.error?.isRetried ?? false } }

    /// Why there is no card.
    var error: CodedError? {
        switch self {
        case .ignored(let error), .refused(let error): error
        case .notReached, .duplicate, .admitted, .stored: nil
        }
    }

    /// The possible cards of the input; the first one that exists counts.
    fileprivate var cards: [CardID] {
        switch self {
        case .admitted(let outcome): outcome.cards
        case .stored(let card): [card]
        case .notReached, .ignored, .refused, .duplicate: []
        }
    }
}

/// Follows the inputs of one run, from the command line or on demand: the result of each, and the cards that this run
/// moved. In a run without inputs, each card with work counts as an input.
struct InputFollower: Sendable {
    private let entries: [BatchListing.Entry]
    private(set) var results: [InputResult] = []
    /// The cards that this run moved, with their new state.
    private var moved: [CardID: CardState] = [:]
    private(set) var progress = RunProgress()
    private var indices: [Photo: Int] = [:]
    /// The inputs by their cards.
    private var inputs: [CardID: Int] = [:]
    /// The indices of rows that repeat an earlier one, by the index of that one.
    private var duplicates: [Int: [Int]] = [:]
    /// The inputs that wait for their card to finish.
    private var waiting: [CardID: [Int]] = [:]

    /// - Parameter adopted: for a run without inputs: the cards in a state that has work.
    init(_ entries: [BatchListing.Entry], adopted: [CardID] = []) {
        self.entries = entries
        for (index, entry) in entries.enumerated() {
            switch entry {
            case .admit(let photo):
                self.indices[photo] = index
                self.progress.intake.total += 1
                self.results.append(.notReached)
            case .duplicate(_, let photo):
                let first = self.indices[photo]
                if let first { self.duplicates[first, default: []].append(index) }
                self.results.append(first.map(InputResult.duplicate) ?? .notReached)
            case .refuse(let input): self.results.append(.refused(input.error))
            case .ignore(let input): self.results.append(.ignored(input.error))
            }
        }
        for card in adopted { self.addStored(card) }
    }

    private mutating func addStored(_ card: CardID) {
        self.waiting[card] = [self.results.count]
        self.results.append(.stored(card))
    }

    /// Follows an event; returns the inputs that have finished with it.
    mutating func observe(_ event: PipelineEvent) -> [Int] {
        switch event {
        case .taken(let photo, let outcome):
            guard let index = self.conclude(photo, as: .admitted(outcome)) else { return [] }
            if !outcome.isDuplicate { self.move(outcome.card, to: outcome.state) }
            guard outcome.state.isRunnable || outcome.retake != nil else { return self.withDuplicates([index]) }
            self.waiting[outcome.retake ?? outcome.card, default: []].append(index)
        case .refused(let photo, let error):
            guard let index = self.conclude(photo, as: .refused(error)), !error.isRetried else { return [] }
            return self.withDuplicates([index])
        case .changed(let change):
            self.move(change.card, to: change.state)
            if self.entries.isEmpty, self.waiting[change.card] == nil { self.addStored(change.card) }
            guard !change.state.isRunnable, let ended = self.waiting[change.card] else { return [] }
            if !self.entries.isEmpty { self.waiting[change.card] = nil }
            return self.withDuplicates(ended)
        case .sending(let delivery, let sent, let total): self.progress.count(delivery, sent: sent, total: total)
        case .failed(let stage, let failure): self.progress.lastFailures[stage] = failure
        case .overdue(let count): self.progress.upkeep = .runOverdue(count)
        case .erasingFailed(let error): self.progress.upkeep = .runNotErased(error.message)
        case .called, .paused, .resumed, .beat: break
        }
        return []
    }

    private mutating func move(_ card: CardID, to state: CardState) {
        self.moved[card] = state
        self.progress.count(state, of: card)
    }

    /// Stores the result of an input and returns its index; `nil` if the result was known.
    private mutating func conclude(_ photo: Photo, as result: InputResult) -> Int? {
        guard let index = self.openIndex(of: photo) else { return nil }
        self.results[index] = result
        for card in result.cards { self.inputs[card] = index }
        self.progress.intake.done += 1
        return index
    }

    private func withDuplicates(_ indices: [Int]) -> [Int] {
        indices.flatMap { [$0] + self.duplicates[$0, default: []] }
    }

    /// The index of an input; `nil` once its result is known. The engine may get an input again, because another input of its
    /// number is left: it must not count as a duplicate of itself.
    private func openIndex(of photo: Photo) -> Int? {
        self.indices[photo].flatMap { self.results[$0].isOpen ? $0 : nil }
    }

    // MARK: Results

    /// The name of the file that became a card, without its folders.
    func name(of card: CardID) -> String? {
        self.inputs[card].flatMap { self.entry($0)?.name.reveal().split(separator: "/").last.map(String.init) }
    }

    /// The entry of an input; `nil` for a card of a run without inputs.
    func entry(_ index: Int) -> BatchListing.Entry? { self.entries.isEmpty ? nil : self.entries[index] }

    /// The present card of an input: the first one that exists.
    func card(_ index: Int, in cards: [CardID: Card]) -> Card? {
        self.cards(of: index).lazy.compactMap { cards[$0] }.first
    }

    func cards(of index: Int) -> [CardID] {
        guard case .duplicate(let first) = self.results[index] else { return self.results[index].cards }
        return self.results[first].cards
    }

    /// The inputs in their order; cards of a run without inputs that still exist, in the order of their admission.
    func order(_ cards: [CardID: Card]) -> [Int] {
        guard self.entries.isEmpty else { return Array(self.results.indices) }
        let order = self.results.indices.compactMap { index in self.card(index, in: cards).map { (index, $0.order) } }
        return order.sorted { $0.1 < $1.1 }.map(\.0)
    }

    func isMoved(_ card: CardID) -> Bool { self.moved[card] != nil }

    /// Whether the input counts as a change: not a repeated row, nor a card that is unchanged or was delivered.
    func isChange(_ index: Int) -> Bool {
        switch self.results[index] {
        case .duplicate: false
        case .admitted(let outcome):
            outcome.cards.compactMap { self.moved[$0] }.first.map { $0 != .delivered } ?? false
        case .notReached, .ignored, .refused, .stored: true
        }
    }

    var knownCards: [CardID] { Array(Set(self.results.flatMap(\.cards))) }

    /// The business numbers of reported cards, and of the inputs unless only changes count.
    func numbers(of cards: [CardID: Card], newOnly: Bool) -> Set<BusinessNumber> {
        let reported = cards.values.filter { !newOnly || self.isMoved($0.id) }
        let inputs = newOnly ? [] : self.entries.compactMap(\.item)
        return Set(reported.map(\.metadata.businessNumber) + inputs.map(\.metadata.businessNumber))
    }

    /// The groups with inputs that are not admitted yet.
    func left(of groups: [[Photo]]) -> [[Photo]] {
        groups.filter { $0.contains { self.openIndex(of: $0) != nil } }
    }

    /// The known cards of inputs that were rejected before.
    var rejectedBefore: [CardID] {
        self.results.compactMap { result in
            if case .admitted(let outcome) = result, outcome.isDuplicate, outcome.state == .rejected {
                outcome.card
            } else {
                nil
            }
        }
    }
}
