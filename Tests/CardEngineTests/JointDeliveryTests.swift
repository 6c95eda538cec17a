import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct JointDeliveryTests {
    let harness: EngineHarness
    var time: ManualTime { harness.time }

    init() async throws { self.harness = try await EngineHarness() }

    @Test func `a batch keeps to its bytes, and a larger card goes alone`() async throws {
        let settings = harness.settings(layout: .batch) {
            $0.batchWait = .milliseconds(50)
            // Each photo is "N1 front": eight bytes.
            $0.batchMaxBytes = 20
            $0.delivery.concurrency = 1
        }
        try await harness.run(harness.items((1...5).map { ("N\($0)", ["front"]) }), settings)
        #expect(Set(try await harness.states().values) == ["delivered"])
        #expect(harness.delivered.allSatisfy { $0.count <= 2 })
        #expect(harness.delivered.joined().count == 5)
    }

    @Test(arguments: [(5, 1), (15, 2), (16, 2)])
    func `a batch that is full by its bytes does not wait for more cards`(mostBytes: Int, photos: Int) async throws {
        let settings = harness.settings(layout: .batch) {
            $0.batchWait = .seconds(600)
            $0.batchMaxBytes = mostBytes
        }
        let sentAt = Mutex<[Duration]>([])
        harness.state.withLock { $0.onDeliver = { sentAt.withLock { $0.append(time.elapsed) } } }
        let items = try harness.items((0..<photos).map { ("N\($0)", ["front"]) }).flatMap(\.self)
        try await harness.take(items, settings, time, until: .seconds(300))
        #expect(try #require(sentAt.withLock { $0.first }) < .seconds(300))
        // What does not fill a delivery waits on.
        #expect(harness.delivered.joined().count == (mostBytes == 15 ? 1 : photos))
    }

    @Test func `a batch waits once for more cards, also while its endpoint is probed`() async throws {
        let settings = harness.settings(layout: .batch) { $0.batchWait = .seconds(2) }
        // The address was wrong, and is right again.
        let stop = RemoteFailure.specimen(.stop, code: "http_404", scope: .request)
        harness.answer { _ in .failed(stop) }
        let items = try harness.items((1...3).map { ("N\($0)", ["front"]) }).flatMap(\.self)
        try await harness.take(items, settings, time, until: .seconds(300))
        #expect(harness.delivered.joined().count == 3)
    }

    @Test func `two spellings of a number in a batch are one case, and all goes`() async throws {
        let settings = harness.settings(layout: .batch) { $0.batchWait = .seconds(1) }
        let photos = [("Cr\u{E9}dit-7", ["front"]), ("Cre\u{301}dit-7", ["back"]), ("N1", ["front"])]
        try await harness.take(harness.items(photos).flatMap(\.self), settings, time, until: .seconds(300))
        #expect(harness.delivered.joined().count == 3)
        #expect(
            try await harness.store.listings.cases(CaseFilter(), after: nil, limit: 9, for: .process).cases.count == 2
        )
    }

    @Test func `front and back go in one form, however large they are`() async throws {
        let settings = harness.settings(layout: .application) { $0.batchMaxBytes = 1 }
        try await harness.run(harness.items(["N1": ["front", "back"]]), settings)
        #expect(harness.delivered == [["N1 front", "N1 back"]])
    }

    @Test func `a TOKEN refused for one member of a delivery is fetched again`() async throws {
        let refusal = RemoteFailure.specimen(.stop, code: "TOKEN")
        harness.state.withLock { $0.tokens = ["TOKEN-1", "TOKEN-2"] }
        harness.answer { _ in .items([.notApplied(refusal), .notApplied(refusal)]) }
        let settings = harness.settings(layout: .application)
        #expect(try await harness.run(harness.items(["N1": ["front", "back"]]), settings).isEmpty)
        #expect(harness.state.withLock { $0.tokens } == ["TOKEN-2"])
        #expect(harness.delivered.joined().count == 2)
    }

    @Test func `what a reply accepted is stored before the TOKEN is read again, which may take long`() async throws {
        let states = Mutex<[String: String]>([:])
        harness.state.withLock { state in
            state.tokens = ["TOKEN-1", "TOKEN-2"]
            state.onRefresh = { [harness] in
                let stored = try? await harness.states()
                states.withLock { $0 = stored ?? [:] }
            }
        }
        harness.answer { _ in
            .items([.accepted(alreadyExisted: false, code: "0"), .notApplied(.specimen(.stop, code: "TOKEN"))])
        }
        try await harness.run(harness.items(["N1": ["front", "back"]]), harness.settings(layout: .application))
        #expect(states.withLock(\.self)["N1 front"] == "delivered")
        #expect(harness.delivered == [["N1 back"]])
    }

    /// Two batches rest the stage where both cards meet such a code, three where one of them does; then two probes meet the same
    /// word, and the batch ends.
    @Test(arguments: [(true, 8), (false, 5)])
    func `joint replies that take no card, and refuse some by a RETCODE of no list, rest the stage`(
        isEach: Bool,
        held: Int
    ) async throws {
        let refusal = DeliveryItemOutcome.rejected(.specimen(.rejected, code: "9999", isUnlisted: true))
        let other = isEach ? refusal : .rejected(.specimen(.rejected, code: "1"))
        harness.answer(100) { _ in .items([refusal, other]) }
        let settings = harness.settings(layout: .batch) {
            $0.batchMaxCards = 2
            $0.delivery.concurrency = 1
        }
        let stopped = try await harness.run(harness.items((1...20).map { ("N\($0)", ["front"]) }), settings)
        let states = try await harness.states()
        #expect(states.values.filter { $0 == "held retcode_unlisted" }.count == held)
        #expect(states.values.filter { $0 == "verified" }.count == (isEach ? 12 : 10))
        #expect(stopped[.deliver]?.code == "9999")
    }

    @Test func `a photo that a newer one replaces is told of`() async throws {
        let settings = harness.settings { $0.verification.concurrency = 1 }
        try await harness.run(harness.items(["N1": ["front", "front again"]]), settings)
        let reporting = harness.reporting { if case .changed(let change) = $0 { change.state } else { nil } }
        #expect(reporting.count { $0 == .superseded } == 1)
    }

    @Test func `members of a batch that was refused as a whole go alone, after a restart too`() async throws {
        let settings = harness.settings(layout: .batch) {
            $0.batchMaxCards = 3
            $0.batchWait = .seconds(600)
            $0.delivery.concurrency = 1
        }
        let asked = Mutex<[Int]>([])
        harness.state.withLock { state in
            state.onDeliver = { harness.state.withLock { $0.engine }?.stop() }
            state.deliveries = [
                { delivery in
                    asked.withLock { $0.append(delivery.images.count) }
                    return .failed(.specimen(.rejected, code: "ODD"))
                }
            ]
        }
        let items = try harness.items((1...3).map { ("N\($0)", ["front"]) })
        try await harness.run(items, settings)
        #expect(asked.withLock { $0 } == [3] && harness.delivered.isEmpty)
        harness.state.withLock { state in
            state.onDeliver = nil
            // Whatever comes first is the odd one.
            state.deliveries = [{ _ in .failed(.specimen(.rejected, code: "ODD")) }]
        }
        try await harness.run([], settings)
        #expect(harness.delivered.map(\.count) == [1, 1])
        #expect(try await harness.states().values.sorted() == ["delivered", "delivered", "rejected refused_by_remote"])
    }

    @Test func `a card of a batch that waits for its user account writes no history while it waits`() async throws {
        let settings = harness.settings(layout: .batch) { $0.hasDefaultUserNumber = false }
        let items = try harness.items(["N1": ["front"]])[0]
        try await harness.take(items, settings, time, until: .seconds(900))
        let details = try await harness.onlyCard()
        #expect(details.card.state == .verified && harness.delivered.isEmpty)
        let steps = details.events.filter { $0.state != nil }
        #expect(steps.count <= 3, "\(steps)")
    }

    @Test func `in an outage one delivery is formed at a time, and none goes with a TOKEN of before`() async throws {
        let tokens = Mutex<[String]>([])
        let mostOpen = Mutex(0)
        harness.answer(10_000) { delivery in
            for part in delivery.parts {
                if case .text(let value) = part.content { tokens.withLock { $0.append(value.reveal()) } }
            }
            guard time.elapsed < .seconds(900) else { return nil }
            return .failed(.specimen(.notSent, code: "connect_refused"))
        }
        harness.state.withLock { state in
            state.onDeliver = {
                let open = try await harness.store.listings.counts()[.delivering] ?? 0
                if time.elapsed < .seconds(900) { mostOpen.withLock { $0 = max($0, open) } }
                // The TOKEN changes while nobody can be reached.
                if time.elapsed > .seconds(60) { harness.state.withLock { $0.tokens = ["TOKEN-2"] } }
            }
        }
        let settings = harness.settings {
            $0.patience = .seconds(7200)
            $0.retry = RetryPolicy(base: .seconds(1), cap: .seconds(60))
        }
        let items = try harness.items((1...20).map { ("N\($0)", ["front"]) })
        try await time.passing { try await harness.run(items, settings, time: time.engineTime) }
        #expect(harness.delivered.joined().count == 20)
        // The first level of calls that begin together; afterwards one at a time probes.
        #expect(mostOpen.withLock { $0 } <= 4)
        let accepted = tokens.withLock { $0.suffix(20) }
        #expect(Set(accepted) == ["TOKEN-2"])
    }
}
