import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Drives the store through random steps and checks after each that nothing was sent twice, early or lost.
@Suite struct RandomTests {
    @Test(arguments: [(1 as UInt64, DeliveryLayoutKind.single), (2, .application), (3, .single), (4, .application)])
    func `thousands of random steps break no rule`(seed: UInt64, layout: DeliveryLayoutKind) async throws {
        let world = try await RandomWorld(seed: seed, layout: layout)
        var before = try await world.seen()
        for step in 0..<1_500 {
            try await world.step()
            if step % 4 == 0 {
                let after = try await world.seen()
                for (number, now) in after where before[number].map({ $0.rules != now.rules }) ?? false {
                    #expect(now.revision > before[number]?.revision ?? 0, "step \(step): \(number)")
                }
                before = after
            }
            try await world.check(step, withRules: step % 50 == 0)
        }
        try await world.settle()
        try await world.check(1_500, withRules: true)
        // It was worth it only if cards came to every end.
        let states = try await world.harness.store.listings.counts()
        #expect((states[.delivered] ?? 0) > 20 && (states[.rejected] ?? 0) > 0 && (states[.held] ?? 0) > 0)
    }
}

/// A sandbox, a backend that remembers what it took, and a die.
private final class RandomWorld {
    let harness: StoreHarness
    private let terms: DecidingTerms
    private var random: SeededRandom
    private var verifications: [VerificationJob] = []
    private var deliveries: [DeliveryJob] = []
    /// Jobs of workers that were killed; what they learn comes late.
    private var lateDeliveries: [DeliveryJob] = []
    private var admitted: [CardID] = []
    /// The keys under which the backend took each card.
    private var taken: [CardID: Set<String>] = [:]
    /// Cards that a person sent again, or declared to be lacking: a second key is their word.
    private var trusted: Set<CardID> = []
    private var fronts: Set<String> = []
    private var lone: Set<CardID> = []
    private var bytes = 0

    init(seed: UInt64, layout: DeliveryLayoutKind) async throws {
        self.harness = try await StoreHarness()
        self.random = SeededRandom(seed: seed)
        self.terms = DecidingTerms(policy: CasePolicy(layout: layout), rules: VerdictRules())
    }

    private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self.random) }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self.random) < percent }

    func step() async throws {
        self.harness.pass(.milliseconds(Int.random(in: 0...2_000, using: &self.random)))
        switch Int.random(in: 0..<100, using: &self.random) {
        case 0..<22: try await self.admit()
        case 22..<36: self.verifications += try await self.harness.claim(3, untriedFirst: self.chance(30))
        case 36..<54: try await self.concludeVerification()
        case 54..<66: self.deliveries += try await self.harness.begin(self.terms)
        case 66..<70: self.deliveries += try await self.harness.claimDeliveries(2)
        case 70..<84: try await self.concludeDelivery(of: \.deliveries)
        case 84..<86: try await self.kill()
        case 86..<89: try await self.concludeDelivery(of: \.lateDeliveries)
        default: try await self.act()
        }
    }

    /// Ends what is under way, without failures, so that what may go has gone.
    func settle() async throws {
        for _ in 0..<200 {
            self.harness.pass(.seconds(3_600))
            self.verifications += try await self.harness.claim()
            while !self.verifications.isEmpty { try await self.concludeVerification(passing: true) }
            self.deliveries += try await self.harness.claimDeliveries(100)
            self.deliveries += try await self.harness.begin(self.terms)
            if self.deliveries.isEmpty { break }
            while let job = self.deliveries.popLast() { try await self.conclude(job, .accepted) }
        }
        // Nobody is left behind: what has not ended waits for a person or a front.
        let states = try await self.harness.store.listings.counts()
        #expect((states[.prepared] ?? 0) + (states[.delivering] ?? 0) == 0)
        var filter = CardFilter()
        filter.states = [.verified]
        let waiting = try await self.harness.store.listings.cards(filter, after: 0, limit: 1_000, for: .process)
        let reasons: Set<ReasonCode?> = [.frontMissing, .waitsForFront, .waitsForOlderPhoto]
        #expect(waiting.allSatisfy { reasons.contains($0.reason) })
    }

    private func admit() async throws {
        let number = "N\(Int.random(in: 0..<25, using: &self.random))"
        self.bytes += self.chance(85) ? 1 : 0
        let submitter = self.chance(5) ? "other" : "local"
        let name = self.chance(10)
        let photo = self.harness.photo(
            "\(number) \(self.bytes)",
            number: number,
            submitter: submitter,
            priority: Int.random(in: 0...2, using: &self.random)
        ) { if name { $0.expectedName = Redacted("SPECIMEN") } }
        do {
            let outcome = try await self.harness.store.intake.admit([photo], now: self.harness.now)[0]
            if !outcome.isDuplicate { self.admitted.append(outcome.card) }
        } catch let error as CodedError where error.code == .submitterConflict && submitter == "other" {
            // The same image is another's card.
        }
    }

    private func concludeVerification(passing: Bool = false) async throws {
        guard let index = self.verifications.indices.randomElement(using: &self.random) else { return }
        let job = self.verifications.remove(at: index)
        if passing || self.chance(75) {
            let side: CardSide = job.card.order % 2 == 0 ? .back : .front
            // Now and then another person's front.
            let number = self.chance(3) ? "110105194912310038" : "11010519491231002X"
            try await self.harness.conclude(job, side: side, number: number)
        } else {
            let failureClass = try #require(self.pick(FailureClass.allCases.filter { $0 != .accepted }))
            let scope: RemoteFailure.StopScope = self.chance(50) ? .request : .account
            try await self.harness.fail(job, failureClass, scope: scope, maxAttempts: 3)
        }
    }

    private func outcome(of job: DeliveryJob) -> DeliveryOutcome {
        if job.members.count > 1, self.chance(30) {
            let items = job.members.prefix(self.chance(20) ? 1 : 2).map { _ -> DeliveryItemOutcome in
                switch Int.random(in: 0..<6, using: &self.random) {
                case 0: .rejected(.specimen(.rejected, isUnlisted: self.chance(50)))
                case 1: .notApplied(.specimen(.transient))
                case 2: .unknown(.specimen(.unknown))
                default: .accepted(alreadyExisted: false, code: "0")
                }
            }
            return .items(Array(items))
        }
        if self.chance(55) { return .accepted }
        if self.chance(10) { return .tokenExpired(.specimen(.stop)) }
        let classes = FailureClass.allCases.filter { $0 != .accepted }
        return .failure(
            self.pick(classes) ?? .unknown,
            scope: self.chance(50) ? .request : .account,
            isUnlisted: self.chance(30)
        )
    }

    private func concludeDelivery(of jobs: ReferenceWritableKeyPath<RandomWorld, [DeliveryJob]>) async throws {
        guard let index = self[keyPath: jobs].indices.randomElement(using: &self.random) else { return }
        let job = self[keyPath: jobs].remove(at: index)
        try await self.conclude(job, self.outcome(of: job))
    }

    private func conclude(_ job: DeliveryJob, _ outcome: DeliveryOutcome) async throws {
        let key = job.outbound.idempotencyKey
        // A back that goes with its front in one form does not wait for what becomes of it.
        if job.members.count > 1 { self.lone.formUnion(job.members) }
        switch outcome {
        case .accepted: for card in job.members { self.take(card, key) }
        case .items(let items):
            for (card, item) in zip(job.members, items) {
                if case .accepted = item { self.take(card, key) }
            }
            // What the reply does not name, and what it does not know, may be there.
            for (index, card) in job.members.enumerated() {
                if !items.indices.contains(index) { self.take(card, key) }
                if items.indices.contains(index), case .unknown = items[index] { self.take(card, key) }
            }
        case .failed(let failure) where failure.failureClass == .unknown:
            if self.chance(50) { for card in job.members { self.take(card, key) } }
        case .failed, .tokenExpired: break
        }
        try await self.harness.conclude(job, outcome, maxAttempts: 3, onUnknown: self.chance(20) ? .hold : .resend)
    }

    private func take(_ card: CardID, _ key: String) { self.taken[card, default: []].insert(key) }

    private func kill() async throws {
        // What was being sent may have arrived.
        for job in self.deliveries where self.chance(50) {
            for card in job.members { self.take(card, job.outbound.idempotencyKey) }
        }
        self.lateDeliveries += self.deliveries
        self.deliveries = []
        self.verifications = []
        try await self.harness.killWorker()
    }

    private func act() async throws {
        guard let card = self.pick(self.admitted) else { return }
        let before = try await self.harness.card(card)
        do {
            if self.chance(40) { return try await self.harness.retry(card) }
            let resolution = try #require(self.pick(Resolution.allCases))
            try await self.harness.resolve(card, resolution)
            if resolution == .accept, before.reason == .outcomeUnknown { self.trusted.insert(card) }
            if resolution == .accept, before.isAccepted || before.state == .verified { self.lone.insert(card) }
            if resolution == .delivered, (before.side ?? .front) == .front {
                self.fronts.insert(before.metadata.businessNumber.rawValue)
            }
        } catch let error as CodedError { #expect(error.code == .cardConflict) }
    }

    // MARK: Invariants

    /// What the rules see of each number, and its revision.
    func seen() async throws -> [BusinessNumber: (rules: [String], revision: Int64)] {
        let (store, terms) = (self.harness.store, self.terms)
        return try await store.read(at: self.harness.now) { tx in
            let numbers = try tx.values("SELECT number FROM cases", as: BusinessNumber.self)
            return try numbers.reduce(into: [:]) { seen, number in
                let rows = try DeliveryProposal.rows(of: number, in: tx)
                let (snapshot, revision) = try DeliveryProposal.snapshot(
                    of: number,
                    rows,
                    terms: terms,
                    store: store,
                    in: tx
                )
                var rules =
                    ["\(snapshot.isDisputed)"]
                    + CardSide.allCases.map { "\(String(describing: snapshot.delivered[$0]))" }
                rules += snapshot.cards.map { card in
                    let reason = card.state == .held ? card.reason?.rawValue ?? "" : ""
                    return
                        "\(card.id) \(card.state) \(reason) \(String(describing: card.anySide)) \(card.age) \(card.wait) "
                        + "\(card.isAccepted) \(card.goesWithoutFront) \(card.isSplit) \(snapshot.withoutAccount.contains(card.id))"
                }
                seen[number] = (rules, revision)
            }
        }
    }

    func check(_ step: Int, withRules: Bool) async throws {
        for (card, keys) in self.taken where keys.count > 1 {
            #expect(self.trusted.contains(card), "step \(step): \(card) went under \(keys)")
        }
        let delivered = try await self.harness.store.database.read { tx in
            try tx.rows("SELECT id, number, side FROM card WHERE state = 'delivered' ORDER BY changed_at, intake_order")
            { row in (try row.next(CardID.self), try row.next(String.self), try row.next(CardSide?.self)) }
        }
        for (_, number, side) in delivered where side == .front { self.fronts.insert(number) }
        for (card, number, side) in delivered where side == .back {
            #expect(
                self.fronts.contains(number) || self.lone.contains(card),
                "step \(step): \(card) went before its front"
            )
        }
        guard withRules else { return }
        #expect(try await self.harness.store.upkeep.check().isEmpty, "step \(step)")
    }
}
