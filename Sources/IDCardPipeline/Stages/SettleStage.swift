import Foundation
import IDCardCore
import Logging

/// Applies the rules of a business number to its cards and forms deliveries of those that may go.
struct SettleStage: Sendable {
    let context: StageContext
    let backend: BusinessBackend
    let gate: StageGate

    /// Decides on one business number, again until nothing changed underneath.
    func work(_ number: BusinessNumber) async throws {
        while !Task.isCancelled {
            let snapshot = try await self.context.store.snapshot(of: number)
            let decision = ApplicationRules.decide(snapshot, in: self.context(of: number))
            let pausedUntil = self.gate.pausedUntil(at: self.context.time.now())
            let change: ApplicationChange
            do {
                change = try await self.change(for: decision, snapshot: snapshot, isPaused: pausedUntil != nil)
            } catch let failure as RemoteFailure {
                return try await self.stop(for: failure, decision: decision, snapshot: snapshot)
            }
            guard try await self.apply(change, basis: snapshot) else { continue }
            self.context.applications.wait(number, until: Self.nextLook(after: decision, pausedUntil: pausedUntil))
            return
        }
    }

    private func context(of number: BusinessNumber) -> ApplicationRules.Context {
        ApplicationRules.Context(
            now: self.context.time.now(),
            expectedInputs: self.context.applications.expectedInputs(of: number),
            intakeHasEnded: self.context.board.inputsHaveEnded,
            frontWait: self.context.settings.frontWait
        )
    }

    private static func nextLook(after decision: ApplicationRules.Decision, pausedUntil: Timestamp?) -> Timestamp? {
        guard let pausedUntil, !decision.deliverable.isEmpty else { return decision.reconsiderAt }
        return min(pausedUntil, decision.reconsiderAt ?? pausedUntil)
    }

    private func change(
        for decision: ApplicationRules.Decision,
        snapshot: ApplicationSnapshot,
        isPaused: Bool
    ) async throws -> ApplicationChange {
        var change = self.stateChanges(of: decision, snapshot: snapshot)
        // A delivery formed while the stage is stopped might hold a TOKEN that has expired.
        guard !isPaused else { return change }
        for card in decision.deliverable {
            do {
                change.deliveries.append(try await self.delivery(of: card, number: snapshot.businessNumber))
                change.waitReasons[card.id] = nil
            } catch let failure as RemoteFailure where failure.failureClass == .rejected {
                // This card waits for what a person must give, and is decided on again by the next run; the others go.
                let reason = ReasonCode(rawValue: failure.code)
                change.waitReasons[card.id] = card.reason == reason ? nil : .some(reason)
            }
        }
        return change
    }

    private func stateChanges(
        of decision: ApplicationRules.Decision,
        snapshot: ApplicationSnapshot
    ) -> ApplicationChange {
        var change = ApplicationChange(
            superseded: decision.superseded,
            held: decision.held,
            heldReason: .holderConflict,
            heldMessage: "the fronts of this business number name different persons; resolve each card by hand"
        )
        for card in snapshot.cards where card.state == .verified && !decision.superseded.contains(card.id) {
            guard !decision.held.contains(card.id) else { continue }
            let reason = decision.waiting[card.id]
            // Also when a wait is over: a card that may go must not look blocked while its stage is stopped.
            if card.reason != reason { change.waitReasons[card.id] = .some(reason) }
        }
        return change
    }

    private func delivery(of card: ApplicationCard, number: BusinessNumber) async throws -> Delivery {
        guard let side = card.side else {
            throw StoreError(.corrupt, "card \(card.id) is verified but has no side")
        }
        let member = DeliveryMember(card: card.id, side: side, businessNumber: number, userNumber: card.userNumber)
        let parts = try await self.backend.form([member])
        let key = self.context.random.draw { UUIDText.version4(using: &$0) }
        let image = try await self.image(of: card)
        let boundary = try await self.backend.boundary(key, parts, [card.id: image.jpeg])
        return Delivery(
            id: DeliveryID(rawValue: key),
            boundary: boundary,
            parts: parts,
            members: [card.id],
            businessNumber: number
        )
    }

    private func image(of card: ApplicationCard) async throws -> PreparedImage {
        do {
            return try await self.context.store.preparedImage(of: card.id)
        } catch let error as StoreError where error.concernsOneCard {
            throw RemoteFailure(.rejected, code: ReasonCode.imageUnreadable.rawValue, message: StoreError.imageAdvice)
        }
    }

    private func apply(_ change: ApplicationChange, basis: ApplicationSnapshot) async throws -> Bool {
        guard !change.isEmpty else { return true }
        guard try await self.context.store.apply(change, basis: basis, now: self.context.time.now()) else {
            return false
        }
        for id in change.superseded + change.held {
            if let card = try await self.context.store.card(id) { self.context.monitor.changed(card) }
        }
        for id in change.deliveries.flatMap(\.members) {
            if let card = try await self.context.store.card(id) {
                self.context.monitor.changed(card, isProgress: false)
            }
        }
        for id in change.waitReasons.keys {
            if let card = try await self.context.store.card(id) { self.context.monitor.report(.cardWaits(card)) }
        }
        if !change.superseded.isEmpty || !change.held.isEmpty { self.context.applications.touch(basis.businessNumber) }
        if !change.deliveries.isEmpty { self.context.board.announce(.deliver) }
        return true
    }

    /// Forms cannot be written at all (no TOKEN): the state changes are made all the same, and the stage stops.
    private func stop(
        for failure: RemoteFailure,
        decision: ApplicationRules.Decision,
        snapshot: ApplicationSnapshot
    ) async throws {
        _ = try await self.apply(self.stateChanges(of: decision, snapshot: snapshot), basis: snapshot)
        self.context.applications.touch(snapshot.businessNumber)
        await self.context.pausing(self.gate).pause(.deliver, failure, now: self.context.time.now())
    }
}
