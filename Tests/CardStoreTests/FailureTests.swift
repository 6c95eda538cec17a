import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

@Suite final class FailureTests: StoreSuite {
    /// Fails to verify the cards that are due, each once.
    @discardableResult
    private func fail(
        _ failureClass: FailureClass = .transient,
        scope: RemoteFailure.StopScope = .account,
        maxAttempts: Int = 2
    ) async throws -> Int {
        let jobs = try await harness.claim()
        for job in jobs { try await harness.fail(job, failureClass, scope: scope, maxAttempts: maxAttempts) }
        harness.pass(.seconds(1))
        return jobs.count
    }

    /// The service reads another card.
    private func pass(_ name: String) async throws {
        let card = try await harness.admit(name, number: name, priority: 9).card
        let job = try #require(try await harness.claim(1).first)
        #expect(job.card.id == card)
        try await harness.conclude(job, side: .front, number: nil)
    }

    @Test(arguments: [1, 2])
    func `an outage fails nobody, however few failures end a card`(_ maxAttempts: Int) async throws {
        let card = try await harness.admit("front", number: "N").card
        // Others were read after it was taken in, and one while it failed.
        try await pass("before")
        try await harness.admit("meanwhile", number: "M", priority: 9)
        let meanwhile = try #require(try await harness.claim(1).first)
        harness.pass(.seconds(1))
        #expect(try await fail(maxAttempts: maxAttempts) == 1)
        try await harness.conclude(meanwhile, side: .front, number: nil)
        for _ in 0..<20 { #expect(try await fail(maxAttempts: maxAttempts) == 1) }
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.card(card).failures == 0)
    }

    @Test(arguments: [1, 3], [Duration.zero, .seconds(86_400 * 365)])
    func `a failure counts once the endpoint took another card after it, and used up ones end`(
        _ maxAttempts: Int,
        ahead: Duration
    ) async throws {
        let card = try await harness.admit("front", number: "N").card
        // The first may be under a clock that is ahead.
        harness.pass(ahead)
        try await fail(maxAttempts: maxAttempts)
        harness.pass(.zero - ahead)
        try await fail(maxAttempts: maxAttempts)
        for round in 1...maxAttempts {
            #expect(try await harness.state(card) == "prepared")
            try await pass("other \(round)")
            try await fail(maxAttempts: maxAttempts)
        }
        #expect(try await harness.state(card) == "failed attempts_exhausted")
    }

    @Test func `a card that fails faster than others are read ends, too`() async throws {
        let card = try await harness.admit("front", number: "N").card
        try await fail(maxAttempts: 1)
        try await harness.admit("slow", number: "M", priority: 9)
        let slow = try #require(try await harness.claim(1).first)
        for _ in 0..<3 { #expect(try await fail(maxAttempts: 1) == 1) }
        try await harness.conclude(slow, side: .front, number: nil)
        try await fail(maxAttempts: 1)
        #expect(try await harness.state(card) == "failed attempts_exhausted")
    }

    @Test func `fewer attempts than a card has used end nobody in an outage`() async throws {
        let card = try await harness.admit("front", number: "N").card
        try await fail(maxAttempts: 9)
        for round in 0..<5 {
            try await pass("other \(round)")
            try await fail(maxAttempts: 9)
        }
        try await fail(maxAttempts: 2)
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.card(card).failures == 5)
    }

    @Test(arguments: [FailureClass.throttled, .notSent, .stop])
    func `what is not the card's fault costs no attempt`(_ failureClass: FailureClass) async throws {
        let card = try await harness.admit("front", number: "N").card
        for round in 0..<5 {
            try await fail(failureClass, maxAttempts: 1)
            try await pass("other \(round)")
        }
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.card(card).failures == 0)
    }

    @Test func `a stop about a request ends a card only after another passed and one more try`() async throws {
        let card = try await harness.admit("front", number: "N").card
        for _ in 0..<3 { try await fail(.stop, scope: .request) }
        #expect(try await harness.state(card) == "prepared")
        try await pass("other")
        #expect(try await harness.state(card) == "prepared")
        try await fail(.stop, scope: .request)
        #expect(try await harness.state(card) == "failed refused_by_remote")
    }

    @Test(arguments: [(FailureClass.transient, "failed attempts_exhausted"), (.unknown, "held outcome_unknown")])
    func `a delivery whose attempts are used up fails, or is held if it may have arrived`(
        failureClass: FailureClass,
        end: String
    ) async throws {
        var (card, job) = try await harness.delivering("front", number: "N")
        for _ in 0..<5 {
            try await harness.conclude(job, .failure(failureClass), maxAttempts: 1)
            #expect(try await harness.state(card) == "delivering")
            job = try await harness.repeated()
        }
        try await harness.sent("other", number: "M", .accepted)
        try await harness.conclude(job, .failure(failureClass), maxAttempts: 1)
        #expect(try await harness.state(card) == end)
        #expect(try await harness.findings() == [])
    }

    @Test func `a delivery waits its backoff and is then due`() async throws {
        try await harness.sent("front", number: "N", .failure(.transient))
        #expect(try await harness.claimDeliveries().isEmpty)
        #expect(
            try await harness.store.deliveries.nextDelivery(now: harness.now) == harness.now.advanced(by: .seconds(1))
        )
        #expect(try await harness.repeated().tries == 1)
        #expect(try await harness.store.deliveries.nextDelivery(now: harness.now) == nil)
    }

    @Test func `while an endpoint fails, untried cards go first, then the one that failed longest ago`() async throws {
        let first = try await harness.admit("first", number: "N").card
        try await fail()
        // The higher priority does not make it the probe for ever.
        let second = try await harness.admit("second", number: "O", priority: 9).card
        let job = try #require(try await harness.claim(1).first)
        #expect(job.card.id == second)
        try await harness.fail(job)
        harness.pass(.seconds(1))
        let new = try await harness.admit("new", number: "M").card
        for expected in [new, first, second] {
            #expect(try await harness.claim(1, untriedFirst: true).map(\.card.id) == [expected])
        }
    }

    @Test func `attempted deliveries go again by priority, then the one with the fewest failures`() async throws {
        var jobs: [DeliveryJob] = []
        for (index, priority) in [0, 0, 9].enumerated() {
            let card = try await harness.admit("\(index)", number: "N\(index)", priority: priority).card
            try await harness.verify([card: (.front, nil)])
            jobs += try await harness.begin()
            harness.pass(.seconds(1))
        }
        for job in jobs { try await harness.conclude(job, .failure(.transient)) }
        harness.pass(.seconds(1))
        #expect(try await harness.claimDeliveries(1).map(\.members) == [jobs[2].members])
        let second = try #require(try await harness.claimDeliveries(1).first)
        #expect(second.members == jobs[0].members)
        try await harness.conclude(second, .failure(.transient))
        harness.pass(.seconds(1))
        #expect(try await harness.claimDeliveries(1).map(\.members) == [jobs[1].members])
    }

    @Test func `a card made smaller is due at once with its new image, and is not read by its old one`() async throws {
        let (card, job) = try await harness.verifying("front", number: "N")
        let image = StoreHarness.image("small")
        try await harness.conclude(job, .failed(.specimen(.shrink)), shrunk: .success(image))
        let again = try #require(try await harness.claim().first)
        #expect(again.card.id == card && again.card.isShrunk && again.content == image)
        #expect(again.attempt != nil)
    }

    @Test(arguments: [("other", "", "front"), ("test", "legality=1", "front"), ("test", "", "another image")])
    func `a reading is used again for the same bytes, provider and parameters only`(
        provider: String,
        parameters: String,
        bytes: String
    ) async throws {
        let card = try await harness.verified("front", number: "N", .front)
        try await harness.plant("UPDATE card SET state = 'prepared'")
        if bytes != "front" {
            let image = StoreHarness.image(bytes)
            try await harness.store.database.write { [store = harness.store] tx in
                try store.records.put(image, of: card, key: CardRow.require(card, in: tx).key(store.vault), in: tx)
            }
            try await harness.forgetImages()
        }
        let jobs = try await harness.claim(provider: provider, parameters: parameters)
        #expect(jobs.map { $0.attempt != nil && $0.reading == nil } == [true])
    }

    @Test func `a reading that does not open is made again`() async throws {
        let card = try await harness.verified("front", number: "N", .front)
        try await harness.plant("UPDATE card SET state = 'prepared'; UPDATE reading SET bytes = x'00'")
        let job = try #require(try await harness.claim().first)
        #expect(job.card.id == card && job.attempt != nil)
    }
}
