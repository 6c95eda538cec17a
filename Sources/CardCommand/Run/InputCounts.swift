import CardModel

/// The state of an input: that of its card, or why it has none.
enum InputState: Hashable, Sendable, CaseIterable, Encodable {
    case card(CardState), refused, duplicate, unchanged, ignored

    static let allCases = CardState.allCases.map(Self.card) + [.refused, .duplicate, .unchanged, .ignored]

    /// The word for it, in JSON and text.
    var word: String {
        switch self {
        case .card(let state): state.rawValue
        case .refused: "refused"
        case .duplicate: "duplicate"
        case .unchanged: "unchanged"
        case .ignored: "ignored"
        }
    }

    var card: CardState? { if case .card(let state) = self { state } else { nil } }

    func encode(to encoder: any Encoder) throws { try self.word.encode(to: encoder) }
}

/// The numbers of inputs of a run by result; the keys are part of the JSON contract and never missing.
struct InputCounts: Sendable, Encodable {
    private var byState: [InputState: Int] = [:]
    /// The exit statuses that the results of the inputs call for.
    private var statuses: Set<CommandStatus> = []

    /// Counts inputs; a second input with the same card counts as a duplicate.
    init(_ lines: [RunLine] = []) {
        var cards: Set<CardID> = []
        for line in lines {
            let isFirst = line.cardID.map { cards.insert($0).inserted } ?? true
            if let state = line.countsAs { self.add(isFirst ? state : .duplicate) }
            self.statuses.insert(line.status)
        }
    }

    mutating func add(_ state: InputState) { self.byState[state, default: 0] += 1 }

    subscript(state: InputState) -> Int { self.byState[state] ?? 0 }

    var total: Int { self.byState.values.reduce(0, +) }

    /// The exit status of a run: `isStopped` if an endpoint stopped a stage for which cards wait, `lacksSide` if a case lacks
    /// a side that it must have; `signal` is the status of the signal that asked to stop, if one came in time.
    func exitStatus(isStopped: Bool = false, lacksSide: Bool = false, signal: CommandStatus? = nil) -> CommandStatus {
        if self.statuses.contains(.sandboxError) { return .sandboxError }
        guard let status = [.workRemains, .someNotDelivered].first(where: self.statuses.contains) else {
            return lacksSide ? .someNotDelivered : .delivered
        }
        // A signal may come when all cards have finished: then their result is the more useful status.
        if let signal, isStopped || status == .workRemains { return signal }
        return isStopped ? .endpointStopped : status
    }

    /// For example `24 inputs: 22 delivered, 1 rejected, 1 duplicate`.
    var line: Message {
        Self.line(self.total, InputState.allCases.filter { self[$0] > 0 }.map { .runCount(self[$0], $0) })
    }

    static func line(_ total: Int, _ parts: [Message]) -> Message {
        parts.isEmpty ? .runNothing(total) : .runCounts(total, parts)
    }

    func encode(to encoder: any Encoder) throws {
        try Dictionary(uniqueKeysWithValues: InputState.allCases.map { ($0.word, self[$0]) }).encode(to: encoder)
    }
}
