import CardModel
import CardStore

extension ServerMetrics {
    /// The reasons that are told apart; a remote's own code counts as `other`.
    static let reasons = ReasonCode.all.map(\.code.rawValue)

    /// Sets what the sandbox says.
    func set(_ figures: StoreFigures, now: Timestamp) {
        for state in CardState.allCases {
            let (cards, entered) = figures.cards[state] ?? (0, 0)
            self.set(.cards, [state.rawValue], to: Double(cards))
            self.set(.cardsEntered, [state.rawValue], to: Double(entered))
        }
        self.set(.cardsNeedingPerson, byReason: figures.attention.map { ($0.rawValue, $1) })
        self.set(.casesNeedingPerson, byReason: figures.cases.map { ($0.cause ?? "", $0.cases) })
        for stage in Stage.allCases {
            // A clock that was set back makes no card younger than new.
            let age = figures.oldest[stage].map { max(.zero, now.duration(since: $0)) } ?? .zero
            self.set(.oldestCard, [stage.rawValue], to: age.inSeconds)
            self.note(success: stage, at: figures.lastSuccess[stage], now: now)
        }
    }

    /// The sandbox forgets calls for cards that are erased; what was told stays, unless a clock that was ahead has told it.
    func note(success stage: Stage, at time: Timestamp?, now: Timestamp) {
        let last = Double(time?.millisecondsSinceEpoch ?? 0) / 1000
        let latest = Double(now.millisecondsSinceEpoch) / 1000
        self.change(.lastSuccess, [stage.rawValue]) { $0.value = $0.value > latest ? last : max($0.value, last) }
    }

    private func set(_ metric: Metric, byReason counts: [(String, Int)]) {
        let known = Set(Self.reasons)
        let sums = Dictionary(counts.map { (known.contains($0) ? $0 : "other", $1) }, uniquingKeysWith: +)
        for reason in Self.reasons + ["other"] { self.set(metric, [reason], to: Double(sums[reason] ?? 0)) }
    }
}
