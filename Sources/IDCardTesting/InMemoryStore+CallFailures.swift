package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func standing(of cards: [CardID], at stage: Stage, now: Timestamp) async throws -> CallStanding {
        self.memory.look { state in
            let latest = state.succeededFrom[stage].flatMap { $0 <= now ? $0 : nil }
            let stopped = state.callFailures.filter { place, failure in
                guard place.stage == stage, !cards.contains(place.card), let time = failure.stoppedAt else {
                    return false
                }
                return time <= now && latest.map { time > $0 } ?? true
            }
            return .joining(
                cards.map { card in
                    let place = InMemoryState.CallPlace(stage: stage, card: card)
                    var standing =
                        state.callFailures[place]?.standing(succeededFrom: latest, otherStopped: 0) ?? CallStanding()
                    standing.otherStopped = stopped.count
                    return standing
                }
            )
        }
    }
}

extension InMemoryStore {
    package func numbersRefused(with code: String, now: Timestamp) async throws -> Set<BusinessNumber> {
        self.memory.look { state in
            state.numbers(of: state.refused(with: code, now: now))
        }
    }

    package func giveBackRefused(with code: String?, atLeast limit: Int, now: Timestamp) async throws -> [Card] {
        try self.memory.change { state in
            var cards: [Card] = []
            for code in code.map({ [$0] }) ?? Set(state.callFailures.values.compactMap(\.code)).sorted() {
                let refused = state.refused(with: code, now: now)
                guard state.numbers(of: refused).count >= limit else { continue }
                for card in refused where try state.giveBack(card, refusedWith: code, now: now) {
                    cards.append(try state.entry(of: card).card)
                }
            }
            return cards
        }
    }
}

extension InMemoryState {
    /// The cards that were refused with a code since the backend last took a delivery, in the order of the refusals.
    fileprivate func refused(with code: String, now: Timestamp) -> [CardID] {
        let latest = self.succeededFrom[.deliver].flatMap { $0 <= now ? $0 : nil }
        return self.callFailures.filter { place, failure in
            guard place.stage == .deliver, failure.code == code, let time = failure.stoppedAt else { return false }
            return time <= now && latest.map { time > $0 } ?? true
        }
        .keys.map(\.card).sorted {
            self.lastFailure(of: [$0], at: .deliver) ?? 0 < self.lastFailure(of: [$1], at: .deliver) ?? 0
        }
    }

    fileprivate func numbers(of cards: [CardID]) -> Set<BusinessNumber> {
        Set(cards.compactMap { self.cards[$0]?.card.metadata.businessNumber })
    }

    fileprivate mutating func giveBack(_ card: CardID, refusedWith code: String, now: Timestamp) throws -> Bool {
        guard let entry = self.cards[card], entry.card.state == .rejected, entry.card.reason?.rawValue == code,
            entry.image != nil, !self.mayBeAtBackend(card)
        else { return false }
        let place = CallPlace(stage: .deliver, card: card)
        let failure = self.callFailures[place]
        try self.move(card, from: .rejected, to: .verified, code: code, kind: "given_back", now: now)
        self.cards[card]?.card.delivery = nil
        self.callFailures[place] = failure
        return true
    }

    /// Notes what a call about some cards says of its endpoint, after the cards have changed.
    mutating func note(_ attempt: AttemptRecord, of cards: [CardID], at stage: Stage, now: Timestamp) {
        self.calls[stage, default: []].append(attempt)
        switch attempt.provesEndpoint {
        case true?: self.noteSuccess(from: attempt.startedAt, at: stage, now: now)
        case false?:
            for card in cards {
                self.noteFailure(
                    of: card,
                    from: attempt.startedAt,
                    stop: attempt.isStop ? attempt.code : nil,
                    at: stage,
                    now: now
                )
            }
        case nil: break
        }
    }

    /// Notes what an attempt of a delivery says of the backend, after its members have changed.
    mutating func note(
        _ attempt: AttemptRecord,
        of members: [CardID],
        endingAs conclusion: DeliveryConclusion,
        now: Timestamp
    ) {
        guard case .items(let endings) = conclusion else {
            return self.note(attempt, of: members, at: .deliver, now: now)
        }
        self.calls[.deliver, default: []].append(attempt)
        if endings.values.contains(where: \.isAnswered) {
            self.noteSuccess(from: attempt.startedAt, at: .deliver, now: now)
        }
        for card in members {
            guard let ending = endings[card], let isStop = ending.failsByStop else { continue }
            let code = isStop ? ending.code ?? attempt.code : nil
            self.noteFailure(of: card, from: attempt.startedAt, stop: code, at: .deliver, now: now)
        }
    }

    private mutating func noteSuccess(from start: Timestamp, at stage: Stage, now: Timestamp) {
        guard self.callFailures.keys.contains(where: { $0.stage == stage }) else { return }
        if let known = self.succeededFrom[stage], known >= start, known <= now { return }
        self.succeededFrom[stage] = start
        for (place, failure) in self.callFailures where place.stage == stage && !self.isLive(place.card) {
            if failure.stoppedAt ?? failure.lastAt < start { self.callFailures[place] = nil }
        }
    }

    private mutating func noteFailure(
        of card: CardID,
        from start: Timestamp,
        stop code: String?,
        at stage: Stage,
        now: Timestamp
    ) {
        guard code != nil || self.isLive(card) else { return }
        self.lastCallFailure += 1
        let place = CallPlace(stage: stage, card: card)
        var failure =
            self.callFailures[place] ?? CallFailure(failures: 0, firstAt: start, lastAt: now, stoppedAt: nil)
        failure.failures += 1
        failure.lastAt = now
        if let code { (failure.stoppedAt, failure.code) = (now, code) }
        self.callFailures[place] = failure
        self.callFailureOrder[place] = self.lastCallFailure
    }

    private func isLive(_ card: CardID) -> Bool {
        [.prepared, .verified, .delivering].contains(self.cards[card]?.card.state)
    }

    /// Forgets what went wrong with the calls about a card, as it leaves its stage.
    mutating func forgetFailures(of card: CardID) {
        for stage in Stage.allCases { self.callFailures[CallPlace(stage: stage, card: card)] = nil }
    }

    /// The order of the last failure among some cards; `nil` if none has failed.
    func lastFailure(of cards: [CardID], at stage: Stage) -> Int? {
        cards.compactMap { card in
            let place = CallPlace(stage: stage, card: card)
            return self.callFailures[place] == nil ? nil : self.callFailureOrder[place]
        }.max()
    }

    /// Picks from what is due, in the usual order, what a claim takes.
    func picked<Item>(
        from due: [Item],
        limit: Int,
        order: ClaimOrder,
        at stage: Stage,
        cards: (Item) -> [CardID]
    ) -> [Item] {
        guard order != .usual else { return Array(due.prefix(max(0, limit))) }
        let untried = due.filter { self.lastFailure(of: cards($0), at: stage) == nil }
        if order == .untriedOnly || !untried.isEmpty { return Array(untried.prefix(max(0, limit))) }
        return Array(
            due.map { ($0, self.lastFailure(of: cards($0), at: stage) ?? 0) }
                .sorted { $0.1 < $1.1 }.map(\.0).prefix(max(0, limit))
        )
    }
}
