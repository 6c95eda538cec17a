import CardModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import CardStore

@Suite final class WorkerTests: StoreSuite {
    @Test func `two workers never claim the same card`() async throws {
        for index in 0..<60 { try await harness.admit("\(index)", number: "N\(index)") }
        let other = try await harness.another()
        let second = try await other.upkeep.startWorker(id: "second", command: "watch", now: harness.now)
        let claimants = [(harness.store, harness.worker), (other, second)]
        let now = harness.now
        let claimed = try await withThrowingTaskGroup(of: [CardID].self) { group in
            for round in 0..<20 {
                let (store, worker) = claimants[round % 2]
                group.addTask {
                    try await store.stages.claimVerification(
                        by: worker,
                        provider: "test",
                        parameters: "",
                        limit: 5,
                        untriedFirst: round % 3 == 0,
                        now: now
                    ).jobs.map(\.card.id)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(claimed.count == 60 && Set(claimed).count == 60)
        try other.close()
    }

    @Test func `a process that waits for the writer at its start keeps nobody from opening the sandbox`() async throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let writer = try DatabaseQueue(path: "\(harness.folder)/sandbox.sqlite3", configuration: configuration)
        try await writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let (store, now) = (harness.store, harness.now)
        async let second = store.upkeep.startWorker(id: "second", command: "watch", now: now)
        let lock = store.folder.workerLock("second")
        while !FileManager.default.fileExists(atPath: lock) { await Task.yield() }
        try await harness.another().close()
        try await writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await second.release()
    }

    @Test func `a machine beside another at work refuses to work; what a reboot left keeps nobody`() async throws {
        let far = try await harness.another()
        let theirs = try await far.upkeep.startWorker(id: "far", command: "watch", boot: "far", now: harness.now)
        // As seen from a machine that does not see the locks of others.
        theirs.release()
        var (beats, pauses) = (3, 0)
        func start(_ id: String) async throws -> Worker {
            pauses = 0
            return try await harness.store.upkeep.startWorker(id: id, command: "run", now: harness.now) {
                pauses += 1
                guard pauses == beats else { return }
                harness.pass(.seconds(2))
                let now = harness.now
                try await far.database.write(at: now) { tx in try tx.run("UPDATE worker SET seen_at = \(now)") }
            }
        }
        for beat in 1...3 {
            beats = beat
            let error = await #expect(throws: CodedError.self) { try await start("second") }
            #expect(error?.code == .sandboxUnavailable && error?.kind == .configuration)
            #expect(error?.message.text().contains("watch (process") == true && pauses == beat)
        }
        beats = 0
        let second = try await start("second")
        #expect(pauses == 3)
        // It takes over what the reboot left, and the next start waits for nothing.
        #expect(try await harness.store.upkeep.heartbeat(of: second, now: harness.now).dead == 1)
        _ = try await start("third")
        #expect(pauses == 0)
        try far.close()
    }

    @Test func `machines that start together find each other, and none takes over what another has`() async throws {
        // Each looked before the other had a row; and neither sees the locks of the other.
        let far = try await harness.another()
        let theirs = try await far.upkeep.startWorker(id: "far", command: "watch", boot: "far", now: harness.now) {}
        theirs.release()
        try await harness.admit("front", number: "N")
        try await harness.plant("UPDATE card SET worker = 'far'")
        func beat(_ store: Sandbox, _ worker: Worker) async throws -> String? {
            do { try await store.upkeep.heartbeat(of: worker, now: harness.now) } catch let error as CodedError {
                return error.kind == .configuration ? error.message.text() : nil
            }
            return nil
        }
        #expect(try await beat(harness.store, harness.worker)?.contains("watch (process") == true)
        #expect(try await harness.claim().isEmpty)
        #expect(try await harness.value("SELECT count(*) FROM worker") == 2)
        harness.worker.release()
        harness.pass(.seconds(2))
        try await harness.plant("UPDATE worker SET seen_at = \(harness.now.millisecondsSinceEpoch) WHERE id = 'w1'")
        #expect(try await beat(far, theirs)?.contains("run (process") == true)
        #expect(try await harness.value("SELECT count(*) FROM worker") == 2)
        try far.close()
    }

    @Test func `nobody changes the key while another machine is at work`() async throws {
        let (harness, far) = (self.harness, try await self.harness.another())
        try await harness.store.upkeep.stop(harness.worker, now: harness.now)
        try await far.upkeep.startWorker(id: "far", command: "watch", boot: "far", now: harness.now) {}.release()
        let beats = Task {
            for beat in 1... {
                try await Task.sleep(for: .milliseconds(100))
                try await far.database.write { tx in try tx.run("UPDATE worker SET seen_at = seen_at + \(beat)") }
            }
        }
        let error = await #expect(throws: CodedError.self) {
            _ = try await harness.store.upkeep.rotateKeys(to: .random(), by: StoreHarness.person) {}
        }
        #expect(error?.message.text().contains("watch (process") == true)
        beats.cancel()
        _ = await beats.result
        try far.close()
    }

    @Test func `tokens that open nothing are trouble, and none that opens anything is worse`() async throws {
        func issues(_ tokens: TokenIssue) async throws -> [String] {
            try await harness.store.upkeep.heartbeat(of: harness.worker, tokens: tokens, now: harness.now)
            return try await harness.store.listings.issues(.ample, now: harness.now).map { "\($0.severity) \($0.code)" }
        }
        #expect(try await issues(TokenIssue()) == [])
        #expect(try await issues(TokenIssue(barred: ["acme", "desk"])) == ["warning token_barred"])
        let message = try await harness.store.listings.issues(.ample, now: harness.now)[0].message.text()
        #expect(message.contains("acme, desk") && message.contains("tokens revoke"), "\(message)")
        #expect(try await issues(TokenIssue(barred: ["acme"], isShut: true)) == ["critical no_token"])
    }

    @Test func `cards are claimed by priority, then in the order of intake`() async throws {
        var ids: [CardID] = []
        for priority in [0, 5, 0, 5] {
            ids.append(try await harness.admit("\(ids.count)", number: "N", priority: priority).card)
        }
        #expect(try await harness.claim(3).map(\.card.id) == [ids[1], ids[3], ids[0]])
        #expect(try await harness.claim().map(\.card.id) == [ids[2]])
    }

    @Test func `what a dead worker had is taken over at once, what a living one has never`() async throws {
        let card = try await harness.admit("front", number: "N").card
        _ = try await harness.claim()
        let other = try await harness.another()
        let second = try await other.upkeep.startWorker(id: "second", command: "watch", now: harness.now)
        // A year without a heartbeat does not make it dead: it holds its lock.
        harness.pass(.seconds(365 * 86_400))
        #expect(try await other.upkeep.heartbeat(of: second, staying: 2, now: harness.now).dead == 0)
        #expect(try await other.upkeep.workers().map(\.staying) == [2, 0])
        #expect(try await harness.claim().isEmpty)
        #expect(try await other.upkeep.workers().map(\.id) == ["second", "w1"])
        #expect(try await other.upkeep.workers().map(\.claims) == [0, 1])
        // Its lock ends with its process.
        harness.worker.release()
        harness.worker = second
        #expect(try await other.upkeep.workers().map(\.id) == ["second"])
        #expect(try await other.upkeep.heartbeat(of: second, now: harness.now).dead == 1)
        #expect(try await harness.claim().map(\.card.id) == [card])
        #expect(try await other.upkeep.workers().map(\.id) == ["second"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(harness.folder)/workers") == ["second"])
        try other.close()
    }

    @Test func `a person need not wait for a process that is dead`() async throws {
        let sent = try await harness.sent("sent", number: "N", .failure(.transient))
        harness.pass(.seconds(1))
        _ = try await harness.claimDeliveries()
        let read = try await harness.admit("read", number: "M").card
        try await harness.fail(#require(try await harness.claim().first), delay: .zero)
        _ = try await harness.claim()
        await #expect(throws: CodedError.self) { try await harness.resolve(sent, .delivered) }
        await #expect(throws: CodedError.self) { try await harness.resolve(read, .reject) }
        await #expect(throws: CodedError.self) { try await harness.retry(read) }
        let other = try await harness.another()
        // The lock of the first ends with its process, and nobody has taken its work over.
        harness.worker.release()
        harness.worker = try await other.upkeep.startWorker(id: "second", command: "watch", now: harness.now)
        #expect(try await other.upkeep.workers().map(\.id) == ["second"])
        let retry = await #expect(throws: CodedError.self) { try await harness.retry(sent) }
        #expect(
            retry?.message.text().contains(
                "the backend may have the card, and its delivery is sent again without a retry; if the card is in the backend"
            ) == true
        )
        try await harness.resolve(sent, .delivered)
        #expect(try await harness.state(sent) == "delivered")
        try await harness.resolve(read, .reject)
        #expect(try await harness.state(read) == "rejected rejected_by_operator")
        #expect(try await harness.findings() == [])
        try other.close()
    }

    @Test func `a worker whose lock file was removed knows, and cannot claim any more`() async throws {
        try await harness.admit("front", number: "N")
        #expect(harness.worker.isAlive)
        try FileManager.default.removeItem(atPath: "\(harness.folder)/workers/w1")
        #expect(!harness.worker.isAlive)
        let other = try await harness.store.upkeep.startWorker(id: "second", command: "run", now: harness.now)
        #expect(try await harness.store.upkeep.heartbeat(of: other, now: harness.now).dead == 1)
        let dead = harness.worker
        harness.worker = other
        try await harness.verify([:])
        try await harness.admit("other", number: "M")
        harness.worker = dead
        let attempts: [() async throws -> Void] = [
            { _ = try await self.harness.claim() }, { _ = try await self.harness.claimDeliveries() },
            { _ = try await self.harness.claimFetching().jobs }, { _ = try await self.harness.claimPreparation().jobs },
            { try await self.harness.store.upkeep.heartbeat(of: dead, now: self.harness.now) },
            { _ = try await self.harness.begin() },
        ]
        for attempt in attempts {
            let error = await #expect(throws: CodedError.self) { try await attempt() }
            #expect(error?.code == .sandboxUnavailable)
            #expect(error.map { "\($0.message)".contains("lock file of this process was removed") } == true)
        }
    }

    @Test func `a worker that ends gives back what it claimed, and no attempt is spent`() async throws {
        let card = try await harness.admit("front", number: "N").card
        _ = try await harness.claim()
        try await harness.store.upkeep.stop(harness.worker, now: harness.now)
        harness.worker = try await harness.store.upkeep.startWorker(id: "second", command: "run", now: harness.now)
        let again = try #require(try await harness.claim().first)
        #expect(again.card.id == card && again.card.failures == 0 && again.tries == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(harness.folder)/workers") == ["second"])
    }

    @Test func `what comes late changes nothing for the call under way, and is not paid for twice`() async throws {
        let (card, first) = try await harness.verifying("front", number: "N")
        try await harness.killWorker()
        let late = try #require(try await harness.claim().first)
        try await harness.killWorker()
        let job = try #require(try await harness.claim().first)
        try await harness.fail(first, .rejected, maxAttempts: 1, delay: .zero)
        #expect(try await harness.state(card) == "prepared")
        try await harness.conclude(late, side: .front, number: nil)
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.claim().isEmpty)
        try await harness.fail(job, delay: .zero)
        let again = try #require(try await harness.claim().first)
        #expect(again.attempt == nil && again.reading?.side == .front)
    }

    @Test func `a pause is known to all processes until it is ended`() async throws {
        let pause = self.pause(.stop, from: -60, until: 60)
        try await harness.store.endpoints.pause(pause)
        try await harness.store.endpoints.pause(pause)
        let other = try await harness.another()
        #expect(try await other.endpoints.pauses() == [pause])
        let shown = pause.text.text()
        #expect(pause.state == .stopped && shown.contains("deliver a:443 stopped since \(pause.since.local) (CODE)"))
        try await other.endpoints.resume(pause)
        #expect(try await harness.store.endpoints.pauses() == [])
        try await harness.store.endpoints.pause(pause)
        try await harness.store.endpoints.endPauses(exceptOfVerifier: "v:443", backend: "a:443")
        #expect(try await harness.store.endpoints.pauses() == [pause])
        // Whoever found it to be over had read an older one.
        try await other.endpoints.resume(self.pause(.stop, from: -90, until: 60))
        #expect(try await harness.store.endpoints.pauses() == [pause])
        // The configuration names another backend.
        try await harness.store.endpoints.endPauses(exceptOfVerifier: "v:443", backend: "b:443")
        #expect(try await harness.store.endpoints.pauses() == [])
        try other.close()
    }

    @Test func `a pause of a host of images counts only while one is fetched from it`() async throws {
        let job = try await harness.fetching("photo", from: "front", number: "N")
        try await harness.address("other", number: "M")
        let failure = RemoteFailure(.transient, code: "CODE", message: "it fails")
        let host = "photos:443"
        // One that our rules forbid has no host.
        try await harness.plant("UPDATE card SET host = '\(host)' WHERE number = 'N'")
        let wait = Wait(from: harness.now, until: harness.now)
        let pauses = [host, "gone:443"].map {
            EndpointPause(stage: .fetch, host: $0, after: failure, since: harness.now, wait: wait)
        }
        for pause in pauses { try await harness.store.endpoints.pause(pause) }
        #expect(try await harness.store.endpoints.pauses() == [pauses[0]])
        try await harness.store.endpoints.endPauses(exceptOfVerifier: "v:443", backend: "b:443")
        #expect(try await harness.value("SELECT host FROM pause", as: String.self) == host)
        try await harness.conclude(job, .fetched)
        #expect(try await harness.store.endpoints.pauses() == [])
        #expect(try await harness.store.listings.issues(.ample, now: harness.now).isEmpty)
    }

    @Test(arguments: [
        // Seconds from now until it ends, since when, and whether the shorter one takes its place.
        (until: 600, setAt: 0, failureClass: FailureClass.throttled, isReplaced: false),
        (until: 10, setAt: -60, failureClass: .throttled, isReplaced: true),
        // It was written first, though it was set a moment later.
        (until: 600, setAt: 1, failureClass: .throttled, isReplaced: false),
        // By a clock that was ahead.
        (until: 600, setAt: 500, failureClass: .throttled, isReplaced: true),
        (until: 600, setAt: 0, failureClass: .stop, isReplaced: true),
    ])
    func `of two waits that an endpoint asked two processes for the longer one holds`(
        until: Int,
        setAt: Int,
        failureClass: FailureClass,
        isReplaced: Bool
    ) async throws {
        let first = self.pause(failureClass, from: setAt, until: until)
        let second = self.pause(.throttled, from: 0, until: 20)
        try await harness.store.endpoints.pause(first)
        try await harness.store.endpoints.pause(second)
        #expect(try await harness.store.endpoints.pauses() == [isReplaced ? second : first])
        // A stop is what a person must see.
        let stop = self.pause(.stop, from: 0, until: 1)
        try await harness.store.endpoints.pause(stop)
        #expect(try await harness.store.endpoints.pauses() == [stop])
    }

    /// A pause with its ends in seconds from now.
    private func pause(_ failureClass: FailureClass, from: Int, until: Int) -> EndpointPause {
        let now = self.harness.now
        return EndpointPause(
            stage: .deliver,
            host: "a:443",
            after: RemoteFailure(
                failureClass,
                code: "CODE",
                message: Message("test.quoted", "it quoted \(Redacted("somebody"))")
            ),
            since: now,
            wait: Wait(from: now.advanced(by: .seconds(from)), until: now.advanced(by: .seconds(until)))
        )
    }
}
