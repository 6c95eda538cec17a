import Foundation
import IDCardCore
import Logging

/// Applies the rules of a business number to its cards and forms deliveries of those that may go.
struct SettleStage: Sendable {
    let context: StageContext
    let backend: BusinessBackend
    let gate: StageGate
    let assembly: BatchAssembly

    var forming: DeliveryForming {
        DeliveryForming(store: self.context.store, backend: self.backend, random: self.context.random)
    }

    /// One decision at a time on a business number: an older one must not undo what a newer one has gathered.
    private let underway = KeyedExclusion<BusinessNumber>()

    init(context: StageContext, backend: BusinessBackend, gate: StageGate, assembly: BatchAssembly) {
        self.context = context
        self.backend = backend
        self.gate = gate
        self.assembly = assembly
    }

    /// Does one piece of the lane's work.
    func work(_ job: SettleJob) async throws {
        switch job {
        case .decide(let number): try await self.underway.run(under: number) { try await self.decide(on: number) }
        case .assemble: try await self.assemble()
        }
    }

    /// Decides on one business number, again until nothing changed underneath.
    private func decide(on number: BusinessNumber) async throws {
        if try await self.canWait(number) { return }
        while !Task.isCancelled {
            let snapshot = try await self.context.store.snapshot(of: number)
            let context = self.rulesContext(of: snapshot)
            let decision = ApplicationRules.decide(snapshot, in: context)
            self.context.applications.decided(
                number,
                cards: snapshot.cards.count,
                isUnverified: context.hasUnverified(snapshot)
            )
            let pausedUntil = self.gate.pausedUntil(at: self.context.time.now())
            let pair = try await self.pairFindings(snapshot, decision)
            let settled = self.stateChanges(of: decision, pair: pair, snapshot: snapshot)
            // A delivery formed while the stage is stopped might hold a TOKEN that has expired.
            let ready = pausedUntil == nil ? decision.deliverable.filter { pair.refused[$0.id] == nil } : []
            let change: ApplicationChange
            do {
                change = try await self.change(adding: ready, to: settled, pair: pair, snapshot: snapshot)
            } catch let failure as RemoteFailure {
                return try await self.stop(for: failure, change: settled, numbers: [snapshot])
            }
            guard try await self.apply(change, basis: [snapshot]) else {
                if try await self.canWait(number) { return }
                continue
            }
            // What gathers for a batch is what was decided on a snapshot that holds: one that just changed is looked at again.
            if case .batch = self.backend.grouping {
                guard change.isEmpty else { continue }
                try await self.gather(ready, pair: pair, snapshot: snapshot)
            }
            self.context.applications.wait(
                number,
                until: Self.nextLook(after: decision, pausedUntil: pausedUntil),
                hasVerified: snapshot.cards.contains { $0.state == .verified }
            )
            return
        }
    }

    /// Whether a decision can wait for further cards: of a business number with unverified cards nothing may go, and whoever
    /// verifies the last of them has it decided on.
    private func canWait(_ number: BusinessNumber) async throws -> Bool {
        guard self.context.applications.mayPutOff(number) else { return false }
        if self.context.applications.expectedInputs(of: number) > 0 { return true }
        return try await self.context.store.awaitsVerification(number)
    }

    private func rulesContext(of snapshot: ApplicationSnapshot) -> ApplicationRules.Context {
        let grouping = self.backend.grouping
        let goAlone = self.assembly.sendsAlone(anyOf: snapshot.cards)
        return ApplicationRules.Context(
            now: self.context.time.now(),
            expectedInputs: self.context.applications.expectedInputs(of: snapshot.businessNumber),
            intakeHasEnded: self.context.board.inputsHaveEnded
                && self.context.applications.isOfBatch(snapshot.businessNumber),
            isEndOfBatch: self.context.board.inputsHaveEnded,
            frontWait: self.context.settings.frontWait,
            serviceStart: self.context.applications.serviceStart(self.context.time),
            blockedWait: self.context.settings.blockedWait,
            sidesGoTogether: grouping.holdsSeveralCards && !goAlone,
            frontWaitsForBack: grouping == .application && !goAlone
        )
    }

    private func pairFindings(
        _ snapshot: ApplicationSnapshot,
        _ decision: ApplicationRules.Decision
    ) async throws -> PairRules.Findings {
        try await PairRules(store: self.context.store, rules: self.context.settings.verdict)
            .findings(
                for: snapshot,
                deliverable: decision.deliverable,
                leaving: decision.held + decision.heldBacks.keys + decision.superseded
            )
    }

    private static func nextLook(after decision: ApplicationRules.Decision, pausedUntil: Timestamp?) -> Timestamp? {
        guard let pausedUntil, !decision.deliverable.isEmpty else { return decision.reconsiderAt }
        return min(pausedUntil, decision.reconsiderAt ?? pausedUntil)
    }

    // MARK: What changes

    private func stateChanges(
        of decision: ApplicationRules.Decision,
        pair: PairRules.Findings,
        snapshot: ApplicationSnapshot
    ) -> ApplicationChange {
        var change = ApplicationChange(
            superseded: decision.superseded,
            held: decision.held,
            heldReason: .holderConflict,
            heldMessage: "the fronts of this business number name different persons; resolve each card by hand",
            refused: pair.refused
        )
        for (back, reason) in decision.heldBacks {
            let message = ApplicationRules.message(for: reason)
            change.refused[back] = VerdictFinding(reason, .hold, message: message)
        }
        let leaving = Set(decision.superseded + decision.held + change.refused.keys)
        for card in snapshot.cards where card.state == .verified && !leaving.contains(card.id) {
            let reason = decision.waiting[card.id]
            // Also when a wait is over: a card that may go must not look blocked while its stage is stopped.
            if card.reason != reason { change.waitReasons[card.id] = .some(reason) }
        }
        return change
    }

    /// Adds the deliveries of the cards that may go, but for a batch, which gathers first.
    private func change(
        adding ready: [ApplicationCard],
        to settled: ApplicationChange,
        pair: PairRules.Findings,
        snapshot: ApplicationSnapshot
    ) async throws -> ApplicationChange {
        var change = settled
        for var cards in self.groups(of: ready) {
            while !cards.isEmpty {
                do {
                    let delivery = try await self.forming.delivery(of: cards.map { ($0, snapshot.businessNumber) })
                    change.form(delivery, of: cards, warnings: pair.warnings)
                    break
                } catch let failure as RemoteFailure where failure.failureClass == .rejected {
                    // These cards wait for what a person must give, and are decided on again by the next run.
                    for card in cards { change.explain(card, by: ReasonCode(rawValue: failure.code)) }
                    break
                } catch let error as DeliveryForming.ImageUnreadable {
                    change.leaveOut(error.card, from: &cards)
                }
            }
        }
        return change
    }

    /// The cards of each delivery; none for a batch.
    private func groups(of ready: [ApplicationCard]) -> [[ApplicationCard]] {
        switch self.backend.grouping {
        case .single: ready.map { [$0] }
        // One form names one user account; what is of another goes when its front has gone.
        case .application: [self.firstOfOneAccount(ready)]
        case .batch: []
        }
    }

    private func gather(
        _ ready: [ApplicationCard],
        pair: PairRules.Findings,
        snapshot: ApplicationSnapshot
    ) async throws {
        // The rest goes when these have gone: one form names one user account.
        let cards = self.firstOfOneAccount(ready)
        guard let first = cards.first else { return self.assembly.remove(snapshot.businessNumber) }
        var byteCount = 0
        for card in cards { byteCount += try await self.byteCount(of: card) }
        let entry = BatchAssembly.Entry(
            basis: snapshot,
            cards: cards,
            userNumber: self.account(of: first),
            byteCount: byteCount,
            warnings: pair.warnings
        )
        self.assembly.put(entry, now: self.context.time.now())
    }

    private func byteCount(of card: ApplicationCard) async throws -> Int {
        do {
            return try await self.context.store.details(of: card.id)?.imageByteCount ?? 0
        } catch let error as StoreError where error.concernsOneCard {
            // A reading that does not open keeps no image from being delivered; whoever forms the delivery sees the image.
            return 0
        }
    }

    /// The account that a card is uploaded for.
    private func account(of card: ApplicationCard) -> Redacted<String>? {
        let own = card.userNumber.flatMap { $0.reveal().isEmpty ? nil : $0 }
        return own ?? self.backend.defaultUserNumber
    }

    /// The leading cards that are of one user account.
    private func firstOfOneAccount(_ ready: [ApplicationCard]) -> [ApplicationCard] {
        guard let first = ready.first else { return [] }
        return Array(ready.prefix { self.account(of: $0) == self.account(of: first) })
    }

    // MARK: Applying

    func apply(_ change: ApplicationChange, basis: [ApplicationSnapshot]) async throws -> Bool {
        guard !change.isEmpty else { return true }
        let now = self.context.time.now()
        guard let cards = try await self.context.store.apply(change, basis: basis, now: now) else { return false }
        let ended = change.superseded + change.held + change.refused.keys
        for card in ended.compactMap({ cards[$0] }) { self.context.monitor.changed(card) }
        for card in change.deliveries.flatMap(\.members).compactMap({ cards[$0] }) {
            self.context.monitor.changed(card, isProgress: false)
        }
        for card in change.waitReasons.keys.compactMap({ cards[$0] }) { self.context.monitor.report(.cardWaits(card)) }
        if !ended.isEmpty { for snapshot in basis { self.context.applications.touch(snapshot.businessNumber) } }
        if !change.deliveries.isEmpty { self.context.board.announce(.deliver) }
        return true
    }

    /// Forms cannot be written at all (no TOKEN): the state changes are made all the same, and the stage stops.
    func stop(for failure: RemoteFailure, change: ApplicationChange, numbers: [ApplicationSnapshot]) async throws {
        _ = try await self.apply(change, basis: numbers)
        for snapshot in numbers { self.context.applications.touch(snapshot.businessNumber) }
        await self.context.pausing(self.gate).pause(.deliver, failure, now: self.context.time.now())
    }
}

extension ApplicationChange {
    /// Adds a delivery of some cards.
    mutating func form(_ delivery: Delivery, of cards: [ApplicationCard], warnings: [VerdictFinding]) {
        self.deliveries.append(delivery)
        for card in cards {
            self.waitReasons[card.id] = nil
            if !warnings.isEmpty { self.warnings[card.id] = warnings }
        }
    }

    /// Leaves a card whose image does not open, and those behind it, for which it goes first.
    mutating func leaveOut(_ id: CardID, from cards: inout [ApplicationCard]) {
        let index = cards.firstIndex { $0.id == id } ?? 0
        for card in cards[index...] { self.explain(card, by: card.id == id ? .imageUnreadable : .waitsForFront) }
        cards.removeSubrange(index...)
    }

    /// Says why a card that may go stays, if that is new.
    mutating func explain(_ card: ApplicationCard, by reason: ReasonCode?) {
        self.waitReasons[card.id] = card.reason == reason ? nil : .some(reason)
    }
}
