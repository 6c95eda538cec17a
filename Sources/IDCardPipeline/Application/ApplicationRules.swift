import Foundation
package import IDCardCore

/// The rules that hold between the cards of one business number, as a pure function from a snapshot to a decision.
///
/// 1. Fronts that name different persons are all held: `holder_conflict`; but for one that a person has accepted.
/// 2. Of two photos of one side, the one taken in later wins: an older `verified` one becomes `superseded`, also if it is verified later. A
///    newer one waits while the older is `delivering` or `held: outcome_unknown`.
/// 3. A front goes when no card of its business number is still to be verified: such a card may turn out to be a newer photo of it, or another
///    person's.
/// 4. A back goes when a front is delivered; or, once the wait for a front is over, when no front exists and nothing is unverified. If fronts exist, all
///    have ended and none was delivered, the back stays `verified`, blocked, for the time that it may; then it is held. If a front was erased
///    undelivered and no other is there, it is held at once. A held back goes on when a front is delivered, or a person accepts it. A refused photo of unknown side counts as a possible front,
///    as does an input that was refused before it became a card (its file could not be read). While an input is expected, whichever process is to
///    take it in, all wait; once that process has ended and `frontWait` has passed since, a back without a front is held. While fronts name
///    different persons and nobody has decided between them, no back goes: it may belong to either.
/// 5. Where one delivery holds several cards, a back may also go together with its front; in the layout `application` a front waits for a back that may
///    still come, as long as a back waits for a front.
/// 6. A card that the backend sent away for now waits until it may go again.
package struct ApplicationRules: Sendable {
    /// What the rules know beyond the snapshot.
    package struct Context: Hashable, Sendable {
        /// The time of the decision.
        package var now: Timestamp
        /// How many inputs of this business number the deciding process itself knows that are not in the store yet.
        package var expectedInputs: Int
        /// Whether the business number is among the inputs of a batch and no further one of them can come: then a back no
        /// longer waits for a front that nobody expects.
        package var intakeHasEnded: Bool
        /// Whether the deciding process is a batch that has taken in its inputs, whichever they are: it ends with what is
        /// blocked, and the next one looks again.
        package var isEndOfBatch: Bool
        /// How long a back waits for its front otherwise, from its verification.
        package var frontWait: Duration
        /// When a service began that decides: what came while it was down is still to be taken in. `nil` in a batch.
        package var serviceStart: Timestamp?
        /// How long a back whose front was not delivered stays `verified`, from when both have ended.
        package var blockedWait: Duration
        /// Whether a front and its back may go in one delivery.
        package var sidesGoTogether: Bool
        /// Whether a front waits for a back that has not come, as a back does for a front.
        package var frontWaitsForBack: Bool

        /// Describes the circumstances of a decision.
        package init(
            now: Timestamp,
            expectedInputs: Int,
            intakeHasEnded: Bool,
            isEndOfBatch: Bool? = nil,
            frontWait: Duration,
            serviceStart: Timestamp? = nil,
            blockedWait: Duration = .seconds(86_400),
            sidesGoTogether: Bool = false,
            frontWaitsForBack: Bool = false
        ) {
            self.now = now
            self.expectedInputs = expectedInputs
            self.intakeHasEnded = intakeHasEnded
            self.isEndOfBatch = isEndOfBatch ?? intakeHasEnded
            self.frontWait = frontWait
            self.serviceStart = serviceStart
            self.blockedWait = blockedWait
            self.sidesGoTogether = sidesGoTogether
            self.frontWaitsForBack = frontWaitsForBack
        }

        /// Until when what ended processes expected or refused is waited for; `nil` if that is over, or there is nothing.
        func lapse(of awaited: AwaitedInputs) -> Timestamp? {
            // What lies further ahead was written while the clock was wrong.
            guard let since = awaited.abandonedAt, since <= self.now.advanced(by: self.frontWait) else { return nil }
            let end = since.advanced(by: self.frontWait)
            return end > self.now ? end : nil
        }

        /// Whether cards of a business number are still to be taken in or verified: nothing of it may go.
        package func hasUnverified(_ snapshot: ApplicationSnapshot) -> Bool {
            let awaited = snapshot.awaited
            let isExpected =
                self.expectedInputs > 0 || awaited.expected > 0
                || (awaited.abandonedExpected > 0 && self.lapse(of: awaited) != nil)
            return isExpected || snapshot.cards.contains { $0.state.awaitsVerification }
        }
    }

    /// What is to happen now, and when to look again.
    package struct Decision: Hashable, Sendable {
        /// `verified` cards replaced by a newer photo.
        package var superseded: [CardID] = []
        /// `verified` fronts that name different persons.
        package var held: [CardID] = []
        /// `verified` backs to be held because no front was delivered, and why.
        package var heldBacks: [CardID: ReasonCode] = [:]
        /// `verified` cards that may go into a delivery, fronts first.
        package var deliverable: [ApplicationCard] = []
        /// `verified` cards that stay, and why.
        package var waiting: [CardID: ReasonCode] = [:]
        /// When the first wait ends that ends by itself.
        package var reconsiderAt: Timestamp?
    }

    /// Decides for one business number.
    package static func decide(_ snapshot: ApplicationSnapshot, in context: Context) -> Decision {
        var rules = ApplicationRules(snapshot: snapshot, context: context)
        rules.holdConflictingFronts()
        rules.supersedeOlderPhotos()
        rules.sortRemaining()
        rules.noteLapse()
        return rules.decision
    }

    private let cards: [ApplicationCard]
    private let hasErasedFront: Bool
    private let awaited: AwaitedInputs
    private let context: Context
    private let hasUnverified: Bool
    /// Until when what ended processes expected or refused is waited for; `nil` if that is over, or there is nothing.
    private let lapse: Timestamp?
    private var decision = Decision()
    private var remaining: [ApplicationCard]

    private init(snapshot: ApplicationSnapshot, context: Context) {
        self.cards = snapshot.cards
        self.hasErasedFront = snapshot.hasErasedFront
        self.awaited = snapshot.awaited
        self.context = context
        self.lapse = context.lapse(of: snapshot.awaited)
        self.hasUnverified = context.hasUnverified(snapshot)
        self.remaining = snapshot.cards.filter { $0.state == .verified }
    }

    // MARK: Holder conflict

    private mutating func holdConflictingFronts() {
        guard self.holders.count > 1 else { return }
        // One that a person accepted is the holder's; the others are not.
        let held = self.remaining.filter { $0.side == .front && !$0.isAccepted }.map(\.id)
        self.decision.held = held
        let ids = Set(held)
        self.remaining.removeAll { ids.contains($0.id) }
    }

    /// Whom the good fronts name.
    private var holders: Set<Data> {
        Set(self.cards.filter { $0.side == .front && Self.namesAHolder($0) }.compactMap(\.holder))
    }

    /// Whether fronts name different persons and a person has yet to decide on one of them.
    private var hasOpenConflict: Bool {
        let holders = self.holders
        return !self.decision.held.isEmpty
            || self.cards.contains { card in
                card.side == .front && card.state == .held
                    && (card.reason == .holderConflict || holders.contains { $0 != (card.holder ?? $0) })
            }
    }

    /// Whether a person rejected a front that named another person than those that are left: a back may be that person's.
    private var hasDecidedConflict: Bool {
        let holders = self.holders
        return self.cards.contains { card in
            card.side == .front && card.state == .rejected && card.reason == .rejectedByOperator
                && holders.contains { $0 != (card.holder ?? $0) }
        }
    }

    /// Whether a front says who the holder is: it was judged good, and no newer photo took its place.
    private static func namesAHolder(_ card: ApplicationCard) -> Bool {
        switch card.state {
        case .verified, .delivering, .delivered: true
        case .held: card.reason == .holderConflict || card.reason == .outcomeUnknown
        default: false
        }
    }

    // MARK: Same side twice

    private mutating func supersedeOlderPhotos() {
        let held = Set(self.decision.held)
        var newest: [CardSide?: Int64] = [:]
        for card in self.cards where Self.takesPlace(card) && !held.contains(card.id) {
            newest[card.side] = max(newest[card.side] ?? card.intakeOrder, card.intakeOrder)
        }
        let superseded = self.remaining.filter { card in newest[card.side].map { $0 > card.intakeOrder } ?? false }
        self.decision.superseded = superseded.map(\.id)
        let ids = Set(self.decision.superseded)
        self.remaining.removeAll { ids.contains($0.id) }
    }

    /// Whether a photo replaces older ones of its side.
    private static func takesPlace(_ card: ApplicationCard) -> Bool {
        card.state == .verified || card.state == .delivering || card.state == .delivered
    }

    // MARK: What may go

    private mutating func sortRemaining() {
        for card in self.remaining.sorted(by: {
            ($0.side == .front ? 0 : 1, $0.intakeOrder) < ($1.side == .front ? 0 : 1, $1.intakeOrder)
        }) {
            switch self.reasonToWait(card) {
            case nil: self.decision.deliverable.append(card)
            case let reason? where reason == .holderConflict || ReasonCode.releasedByFront.contains(reason):
                self.decision.heldBacks[card.id] = reason
            case let reason?: self.decision.waiting[card.id] = reason
            }
        }
    }

    /// Why a card does not go now: it waits, or a back is to be held.
    private mutating func reasonToWait(_ card: ApplicationCard) -> ReasonCode? {
        if let reason = self.reasonOfOlderPhoto(than: card) { return reason }
        if let time = card.nextAttemptAt, time > self.context.now {
            self.reconsider(at: time)
            return .waitsForRetry
        }
        switch card.side {
        case .front?: return self.reasonForFrontToWait(card)
        case .back?: return self.reasonForBackToWait(card)
        case nil: return .waitsForVerification
        }
    }

    private mutating func reasonForFrontToWait(_ card: ApplicationCard) -> ReasonCode? {
        if self.hasUnverified { return .waitsForVerification }
        guard self.context.frontWaitsForBack, !self.context.intakeHasEnded else { return nil }
        let hasBack = self.cards.contains {
            $0.side == .back && ($0.state == .verified || $0.state == .delivering || $0.state == .delivered)
        }
        return !hasBack && self.isWaiting(card) ? .waitsForBack : nil
    }

    /// Has the cards looked at again that wait for what a process left which has ended.
    private mutating func noteLapse() {
        guard let lapse = self.lapse else { return }
        let reasons = self.decision.waiting.values
        if reasons.contains(.waitsForVerification) || reasons.contains(.blockedByFront) { self.reconsider(at: lapse) }
    }

    private mutating func reconsider(at time: Timestamp) {
        self.decision.reconsiderAt = min(time, self.decision.reconsiderAt ?? time)
    }

    /// Whether a card still waits for its other side; notes when that ends.
    private mutating func isWaiting(_ card: ApplicationCard) -> Bool {
        let since = max(card.changedAt, self.context.serviceStart ?? card.changedAt)
        let deadline = since.advanced(by: self.context.frontWait)
        guard deadline > self.context.now else { return false }
        self.reconsider(at: deadline)
        return true
    }

    private func reasonOfOlderPhoto(than card: ApplicationCard) -> ReasonCode? {
        let others = self.cards.filter { $0.side == card.side && $0.id != card.id }
        if others.contains(where: { $0.state == .delivering }) { return .waitsForOlderPhoto }
        // Of what came back from a backup, nobody knows whether it was sent since.
        let isHeld = others.contains {
            $0.state == .held && ($0.reason == .outcomeUnknown || ($0.reason == .restored && $0.isInKeptDelivery))
        }
        return isHeld ? .blockedByOlderPhoto : nil
    }

    private mutating func reasonForBackToWait(_ card: ApplicationCard) -> ReasonCode? {
        if self.hasUnverified { return .waitsForVerification }
        if self.hasOpenConflict { return .blockedByConflict }
        if self.hasDecidedConflict, !card.isAccepted, !card.goesAlone { return .holderConflict }
        // Fronts are decided on first.
        if self.context.sidesGoTogether, self.decision.deliverable.contains(where: { $0.side == .front }) { return nil }
        let fronts = self.cards.filter { $0.side == .front }
        // What is superseded or held in this very decision is as good as ended.
        let ended = Set(self.decision.held + self.decision.superseded)
        let isFrontUnderWay = fronts.contains { $0.state.isRunnable && !ended.contains($0.id) }
        if fronts.contains(where: { $0.state == .delivered }) {
            // Where a person accepted a front of another holder, the back may be that holder's.
            return isFrontUnderWay && self.holders.count > 1 ? .waitsForFront : nil
        }
        if isFrontUnderWay { return .waitsForFront }
        if card.goesAlone { return nil }
        if let reason = self.reasonOfEndedFront(card) { return reason }
        if let reason = self.reasonOfMissingFront(card) { return reason }
        // What a person has accepted has waited long enough.
        if !self.context.intakeHasEnded, !card.isAccepted, self.isWaiting(card) { return .waitsForFront }
        return self.hasErasedFront ? .frontErased : nil
    }

    /// Why a back does not go where what is, or may be, its front has ended without being delivered; `nil` if there is none.
    private mutating func reasonOfEndedFront(_ card: ApplicationCard) -> ReasonCode? {
        let ended = self.cards.filter {
            $0.side == .front && $0.state != .superseded || Self.mayBeRefusedFront($0)
        }
        guard let last = ended.map(\.changedAt).max() else { return nil }
        let since = max(last, card.changedAt)
        let deadline = since.advanced(by: self.context.blockedWait)
        guard deadline > self.context.now else { return .frontNotDelivered }
        // A batch ends with its backs blocked; the next one looks again.
        if !self.context.isEndOfBatch { self.reconsider(at: deadline) }
        return .blockedByFront
    }

    /// Why a back stays whose front never came to be a card, though it was expected or may have been refused.
    private mutating func reasonOfMissingFront(_ card: ApplicationCard) -> ReasonCode? {
        if self.awaited.refused > 0 {
            // The refusal stands as long as its process lives; the back is shown to a person all the same.
            let deadline = card.changedAt.advanced(by: self.context.blockedWait)
            guard deadline > self.context.now else { return .frontNotDelivered }
            if !self.context.isEndOfBatch { self.reconsider(at: deadline) }
            return .blockedByFront
        }
        guard self.awaited.abandonedAt != nil else { return nil }
        if self.lapse != nil { return .blockedByFront }
        return self.awaited.abandonedRefused > 0 ? .frontRefused : .frontExpected
    }

    /// Whether a photo of unknown side was refused or failed: it may have been the front.
    private static func mayBeRefusedFront(_ card: ApplicationCard) -> Bool {
        card.side == nil && (card.state == .rejected || card.state == .failed || card.state == .held)
    }
}

extension ApplicationRules {
    /// Whether a card that is erased is, or may be, a front that was not delivered; a newer photo stands for one that is
    /// superseded.
    package static func mayBeUndeliveredFront(_ side: CardSide?, _ state: CardState) -> Bool {
        side != .back && state != .delivered && state != .superseded && state != .erased
    }

    /// What is written beside a back that is held for a reason of `ReasonCode.releasedByFront`, or because one of two
    /// holders is gone.
    package static func message(for reason: ReasonCode) -> String {
        if reason == .holderConflict {
            return
                "fronts of its business number named different persons, and one of them is gone; see whose card this is "
                + "(`cards show`), then accept or reject it (`cards resolve`)"
        }
        let what =
            switch reason {
            case .frontErased: "a front of its business number was erased before any was delivered"
            case .frontExpected: "its front was expected, but was not taken in"
            case .frontRefused: "an input that may be its front was refused"
            default: "no front of its business number was delivered in time (delivery.blocked_wait)"
            }
        return "\(what); take the front in again, or accept or reject this back (`cards resolve`)"
    }
}
