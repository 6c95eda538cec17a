/// The rules between the cards of one business number: a pure function from a snapshot to a decision.
///
/// 0. Once a reviewer has ended the case, nothing of before is sent.
/// 1. No card is sent while a known card of the number must still be fetched, prepared or verified.
/// 2. Once fronts named two persons, every undelivered card is held (`holder_conflict`) until a person accepts that card.
/// 3. Of two photos of one side the newer wins (`PhotoAge`). While another may still arrive, it waits.
/// 4. A back is sent only after a front of its number was delivered, or with it in the same form. While a refused front is to
///    be retaken, or a failed one to be retried, it waits.
/// 5. In the layout `application` a front waits for its back until its wait is over, then is sent alone.
package struct CaseRules {
    private let snapshot: CaseSnapshot
    private let policy: CasePolicy
    private let now: Timestamp
    private var decision = CaseDecision()
    private var remaining: [Card]

    private init(snapshot: CaseSnapshot, policy: CasePolicy, now: Timestamp) {
        self.snapshot = snapshot
        self.policy = policy
        self.now = now
        self.remaining = snapshot.cards.filter { $0.state == .verified }
    }

    /// Decides for one business number.
    ///
    /// - Parameter pairFindings: the findings of the rules between front and back for the cards of `pair(in:)`.
    package static func decide(
        _ snapshot: CaseSnapshot,
        pairFindings: [VerdictFinding] = [],
        policy: CasePolicy,
        now: Timestamp
    ) -> CaseDecision {
        var rules = CaseRules(snapshot: snapshot, policy: policy, now: now)
        guard !rules.remaining.isEmpty else { return rules.decision }
        rules.rejectEnded()
        rules.holdDisputed()
        rules.supersedeOlderPhotos()
        if rules.snapshot.cards.contains(where: \.state.awaitsVerification) {
            for card in rules.remaining { rules.wait(card, for: .waitsForVerification) }
        } else {
            rules.refusePair(pairFindings)
            rules.waitWithoutAccount()
            rules.sortRemaining()
        }
        return rules.decision
    }

    /// Returns the front and the back to compare: the newest of each side; `nil` unless one of them is verified and not
    /// yet accepted by a person.
    package static func pair(in snapshot: CaseSnapshot) -> (front: CardID, back: CardID)? {
        guard let front = Self.newest(.front, in: snapshot)?.card, let back = Self.newest(.back, in: snapshot)?.card,
            [front, back].contains(where: { $0.state == .verified && !$0.isAccepted })
        else { return nil }
        return (front.id, back.id)
    }

    // MARK: Ended by a reviewer

    /// Rejects what came before the end and was not delivered.
    private mutating func rejectEnded() {
        guard let last = self.snapshot.rejectedOrder else { return }
        for card in self.remaining where card.order <= last {
            self.decision.rejected[card.id] = VerdictFinding(.rejectedByOperator, .reject, message: .applicationEnded)
        }
        self.remaining.removeAll { $0.order <= last }
    }

    // MARK: Two persons

    private mutating func holdDisputed() {
        guard self.snapshot.isDisputed else { return }
        for card in self.remaining where !card.isAccepted {
            let message = Message.applicationDifferentHolders(card.id)
            self.decision.held[card.id] = VerdictFinding(.holderConflict, .hold, message: message)
        }
        self.remaining.removeAll { !$0.isAccepted }
    }

    // MARK: Same side twice

    /// Returns the newest photo of a side that will be sent, else the last delivered one, which may be erased.
    private static func newest(
        _ side: CardSide,
        in snapshot: CaseSnapshot,
        except held: [CardID: VerdictFinding] = [:]
    ) -> (age: PhotoAge, card: Card?)? {
        let delivered = snapshot.delivered[side]
        let going = snapshot.cards.filter { card in
            card.anySide == side && (card.state == .verified || card.state == .delivering) && held[card.id] == nil
        }
        if let card = PhotoAge.newest(going, after: delivered, by: \.age) { return (card.age, card) }
        return delivered.map { age in (age, snapshot.cards.first { $0.state == .delivered && $0.age == age }) }
    }

    private mutating func supersedeOlderPhotos() {
        for side in CardSide.allCases {
            let newest = Self.newest(side, in: self.snapshot, except: self.decision.held)
            for card in self.remaining where card.anySide == side {
                guard let newest, newest.age != card.age else { continue }
                self.decision.superseded[card.id] = .some(newest.card?.id)
                if newest.age.isTakenLater(than: card.age) { self.decision.passedOver.insert(card.id) }
            }
        }
        self.remaining.removeAll { self.decision.superseded[$0.id] != nil }
    }

    /// Whether another photo of the side is being delivered, or may be at the backend.
    private func isBehindOtherPhoto(_ card: Card) -> Bool {
        self.snapshot.cards.contains { other in
            guard other.anySide == card.anySide else { return false }
            switch other.state {
            case .delivering: return true
            case .held: return [.outcomeUnknown, .retcodeUnlisted, .restored].contains(other.reason)
            default: return false
            }
        }
    }

    // MARK: Front against back

    private mutating func refusePair(_ findings: [VerdictFinding]) {
        guard let pair = Self.pair(in: self.snapshot), let finding = findings.deciding else { return }
        for card in self.remaining where [pair.front, pair.back].contains(card.id) && !card.isAccepted {
            if finding.severity == .reject {
                self.decision.rejected[card.id] = finding
            } else {
                self.decision.held[card.id] = finding
            }
        }
        self.remaining.removeAll { self.decision.rejected[$0.id] != nil || self.decision.held[$0.id] != nil }
    }

    // MARK: Cards that may be sent

    /// A card without user account waits until a person names one, and is in no form until then.
    private mutating func waitWithoutAccount() {
        let waiting = self.snapshot.withoutAccount
        for card in self.remaining where waiting.contains(card.id) { self.wait(card, for: .userNumberMissing) }
        self.remaining.removeAll { waiting.contains($0.id) }
    }

    private mutating func sortRemaining() {
        let front = self.remaining.first { $0.anySide == .front }
        let back = self.remaining.first { $0.anySide == .back }
        let goesTogether = self.policy.layout == .application
        if let front {
            if self.isBehindOtherPhoto(front) {
                self.wait(front, for: .waitsForOlderPhoto)
            } else if goesTogether, !front.isSplit, self.decideTogether(front, back) {
                return
            } else {
                self.send([front])
            }
        }
        if let back { self.decideBack(back) }
    }

    /// Decides for a front that may be sent in one form with its back; returns whether the back is decided, too.
    private mutating func decideTogether(_ front: Card, _ back: Card?) -> Bool {
        if let back, !back.isSplit, !self.isBehindOtherPhoto(back) {
            self.send([front, back])
            return true
        }
        let mayComeBack = back == nil && self.snapshot.delivered[.back] == nil
        if mayComeBack, !front.wait.isOver(at: self.now) {
            self.wait(front, for: .waitsForBack, until: front.wait.until)
            return true
        }
        return false
    }

    private mutating func decideBack(_ back: Card) {
        if self.isBehindOtherPhoto(back) { return self.wait(back, for: .waitsForOlderPhoto) }
        if self.snapshot.delivered[.front] != nil || back.goesWithoutFront { return self.send([back]) }
        let frontMayCome = self.snapshot.cards.contains { card in
            guard card.anySide == .front, self.decision.rejected[card.id] == nil else { return false }
            return card.state.isRunnable || card.state == .held
        }
        if frontMayCome { return self.wait(back, for: .waitsForFront) }
        if !back.wait.isOver(at: self.now) { return self.wait(back, for: .waitsForFront, until: back.wait.until) }
        if self.policy.backWithoutFront == .send { return self.send([back]) }
        // It has failed, or is to be retaken.
        let isFrontKnown = self.snapshot.cards.contains { card in
            let needsPerson = [.rejected, .failed].contains(card.state) && card.notice.needsPerson
            return card.anySide == .front && (self.decision.rejected[card.id] != nil || needsPerson)
        }
        self.wait(back, for: isFrontKnown ? .waitsForFront : .frontMissing)
    }

    private mutating func send(_ cards: [Card]) {
        if let due = cards.compactMap(\.due).filter({ !$0.isOver(at: self.now) }).map(\.until).max() {
            for card in cards { self.decision.waiting[card.id] = .some(nil) }
            self.reconsider(at: due)
        } else {
            self.decision.ready.append(cards.map(\.id))
        }
    }

    private mutating func wait(_ card: Card, for reason: ReasonCode, until end: Timestamp? = nil) {
        self.decision.waiting[card.id] = reason
        if let end { self.reconsider(at: end) }
    }

    private mutating func reconsider(at time: Timestamp) {
        self.decision.reconsiderAt = min(self.decision.reconsiderAt ?? time, time)
    }
}
