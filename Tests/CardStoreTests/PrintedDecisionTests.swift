import TestSupport
import Testing

@testable import CardModel
@testable import CardStore

/// What a message about a card tells a person to run is allowed in the state that shows the message.
@Suite struct PrintedDecisionTests {
    /// A state that shows such a message.
    enum Scene: String, CaseIterable, Sendable {
        case outcomeUnknown, otherLeftDelivery, deliveryDamaged, restoredWhileSent, restoredBeforeReading
        case takenEarlierThanErased, noScores
        case deliveringInNone, deliveringInClosed, deliveringInAnothers, unknownInDecided, unknownInNone

        /// The id of the message, which for a finding ends with its code.
        var message: String {
            switch self {
            case .outcomeUnknown: "delivery.unknown"
            case .otherLeftDelivery: "delivery.left"
            case .deliveryDamaged: "delivery.damaged"
            case .restoredWhileSent, .restoredBeforeReading: "restore.held"
            case .takenEarlierThanErased: "card.taken_earlier_unnamed"
            case .noScores: "verdict.legality_unavailable"
            case .deliveringInNone, .deliveringInClosed: "fsck.delivering_without_delivery"
            case .deliveringInAnothers: "fsck.not_a_member"
            case .unknownInDecided, .unknownInNone: "fsck.unknown_without_delivery"
            }
        }

        /// What the message names and the state allows.
        var actions: [DecisionAction] {
            switch self {
            case .outcomeUnknown, .otherLeftDelivery, .restoredWhileSent, .restoredBeforeReading: [.delivered, .anew]
            case .deliveryDamaged, .unknownInDecided, .unknownInNone: [.delivered, .anew, .reject]
            case .takenEarlierThanErased, .noScores: [.retry]
            case .deliveringInNone, .deliveringInClosed, .deliveringInAnothers: [.delivered]
            }
        }

        /// What makes a furnished sandbox such a one, and the number of the card that it is about.
        var damage: (card: String, statements: String)? {
            switch self {
            case .deliveringInNone: ("three", "UPDATE card SET state = 'delivering' WHERE number = 'three'")
            case .deliveringInClosed: ("one", "UPDATE card SET state = 'delivering' WHERE number = 'one'")
            case .deliveringInAnothers:
                ("two", "DELETE FROM delivery_card WHERE card IN $two; UPDATE delivery SET worker = NULL")
            case .unknownInDecided: ("five", "UPDATE delivery_card SET outcome_unknown = 0")
            case .unknownInNone:
                (
                    "five",
                    "DELETE FROM delivery_card WHERE card IN $five; UPDATE card SET delivery = NULL WHERE number = 'five'"
                )
            default: nil
            }
        }
    }

    private static let scenes = Scene.allCases.flatMap { scene in scene.actions.map { (scene, $0) } }

    /// Brings a card into a state.
    private func card(in scene: Scene) async throws -> (StoreHarness, CardID) {
        if [.restoredWhileSent, .restoredBeforeReading].contains(scene) {
            let restored = try await RestoreScene()
            try await restored.closeAndRestore()
            return (restored.harness, restored[scene == .restoredWhileSent ? "delivering" : "prepared"])
        }
        if let damage = scene.damage {
            let harness = try await StoreHarness.furnished()
            try await harness.plant(CheckTests.damage(damage.statements))
            let number = BusinessNumber(stored: damage.card)
            return (harness, try #require(try await harness.value("SELECT id FROM card WHERE number = \(number)")))
        }
        let harness = try await StoreHarness()
        switch scene {
        case .outcomeUnknown:
            return (harness, try await harness.sent("front", number: "N", .failure(.unknown), onUnknown: .hold))
        case .noScores: return (harness, try await harness.heldWithoutScores())
        case .takenEarlierThanErased: return (harness, try await harness.passedOver())
        default: return (harness, try await harness.memberOfEndedDelivery(isDamaged: scene == .deliveryDamaged))
        }
    }

    /// The words that show what is wrong with a card.
    private func words(of scene: Scene, about card: CardID, in harness: StoreHarness) async throws -> Message {
        guard scene.damage != nil else { return try #require(try await harness.card(card).message) }
        let findings = try await harness.store.upkeep.check().filter { $0.card == card }
        return try #require(findings.map(\.message).first { $0.id == scene.message }, "\(findings.map(\.code))")
    }

    @Test(arguments: scenes)
    func `what a message about a card names can be done`(scene: Scene, action: DecisionAction) async throws {
        let (harness, card) = try await self.card(in: scene)
        let words = try await self.words(of: scene, about: card, in: harness)
        #expect(words.id == scene.message)
        #expect(words.text().contains(action == .retry ? "cards retry" : "--as \(action)"), "\(words.text())")
        _ = try await harness.store.decisions.decide(card, action, by: StoreHarness.person, now: harness.now)
        let states: [DecisionAction: String] = [
            .delivered: "delivered", .accept: "verified", .anew: "verified", .reject: "rejected rejected_by_operator",
            .retry: "prepared",
        ]
        // A restored card is judged again, by its stored reading if it has one.
        let isJudged = scene.message == "restore.held" && action == .anew
        #expect(try await harness.state(card) == (isJudged ? "prepared" : states[action]))
    }

    @Test(arguments: [Resolution.delivered, .anew, .reject])
    func `a photo that waits for an older one goes once a person has decided about that one`(
        resolution: Resolution
    ) async throws {
        let harness = try await StoreHarness()
        let older = try await harness.sent("older", number: "N", .failure(.unknown), onUnknown: .hold)
        let newer = try await harness.verified("newer", number: "N", .front)
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(newer) == "verified waits_for_older_photo")
        try await harness.resolve(older, resolution)
        #expect(try await harness.proposals() == [[newer]])
    }

    @Test func `scores that the verifier is licensed to give by now are asked for once more`() async throws {
        let harness = try await StoreHarness()
        let card = try await harness.heldWithoutScores()
        try await harness.retry(card)
        let job = try #require(try await harness.claim().first)
        #expect(job.card.id == card && job.reading == nil && job.attempt != nil)
    }

    @Test func `a card that has no image ends, and its photo is imported again`() async throws {
        let harness = try await StoreHarness.furnished()
        try await harness.plant(CheckTests.damage("DELETE FROM blob WHERE card IN $four"))
        #expect(try await harness.findings() == ["image_missing"])
        // What a run does first.
        let claimed = try await harness.claimed()
        #expect(claimed.jobs.isEmpty)
        #expect(claimed.changes.map(\.state) == [.failed])
        #expect(try await harness.findings() == [])
        #expect(try await !harness.admit("four", number: "four").isDuplicate)
    }

    // MARK: Decisions of two persons

    @Test func `a decision that keeps another one out is withdrawn, and the other one counts`() async throws {
        let harness = try await StoreHarness()
        try await harness.reopen(fourEyes: [.accept])
        let card = try await harness.heldWithoutScores()
        func resolve(_ resolution: Resolution, _ origin: AccessOrigin) async throws -> DecisionOutcome {
            try await harness.store.decisions.resolve(card, as: resolution, by: origin, now: harness.now)
        }
        #expect(try await resolve(.accept, ReviewingTests.li) == .waitsForSecond)
        let error = await #expect(throws: CodedError.self) { _ = try await resolve(.reject, ReviewingTests.wang) }
        #expect(
            error?.message.text().contains("li.na run: idcard-pipeline cards resolve \(card) --as withdraw") == true
        )
        _ = try await resolve(.withdraw, ReviewingTests.li)
        #expect(try await resolve(.reject, ReviewingTests.wang).changes.map(\.state) == [.rejected])
    }

    @Test func `a decision that was not carried out is told until a person has seen it`() async throws {
        let harness = try await StoreHarness()
        let card = try await harness.heldWithoutScores()
        try await harness.decideOnPage(card, .accept, by: ReviewingTests.li)
        try await harness.resolve(card, .reject)
        harness.pass(.seconds(10))
        try await harness.carryOut()
        func issue() async throws -> String? {
            try await harness.store.listings.issues(.ample, now: harness.now).first { $0.code == "decision_refused" }?
                .message
                .text()
        }
        #expect(try await issue()?.contains("idcard-pipeline cards resolve \(card) --as seen") == true)
        try await harness.resolve(card, .seen)
        #expect(try await issue() == nil)
    }
}

extension StoreHarness {
    /// A card that the verifier read without scores.
    fileprivate func heldWithoutScores() async throws -> CardID {
        let rule = VerdictRule.legalityUnavailable
        return try await self.judged("front", .held(rule.reason, message: .verdictLegalityUnavailable))
    }

    /// A front that is older than the one that was delivered and then erased.
    fileprivate func passedOver() async throws -> CardID {
        var (newer, older) = (self.photo("newer", number: "N"), self.photo("older", number: "N"))
        (newer.taken, older.taken) = (self.now, self.now.advanced(by: .seconds(-3_600)))
        let sent = try await self.admit(newer).card
        try await self.verify([:])
        try await self.deliverAll()
        try await self.erase(sent)
        let card = try await self.admit(older).card
        try await self.verify([:])
        #expect(try await self.begin().isEmpty)
        #expect(try await self.state(card) == "superseded taken_earlier")
        return card
    }

    /// A member of a delivery that may have arrived, and that ended since its other member left it or since it is damaged.
    fileprivate func memberOfEndedDelivery(isDamaged: Bool) async throws -> CardID {
        let (front, back, job) = try await self.joint()
        try await self.conclude(job, .failure(.unknown))
        if isDamaged {
            try await self.plant("UPDATE blob SET bytes = x'00' WHERE card = '\(front)' AND kind = 'image'")
            self.pass(.seconds(1))
            #expect(try await self.claimDeliveries().isEmpty)
        } else {
            try await self.resolve(front, .delivered)
        }
        #expect(try await self.state(back) == "held outcome_unknown")
        return isDamaged ? front : back
    }
}
