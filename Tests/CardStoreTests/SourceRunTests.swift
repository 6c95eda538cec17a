import CardModel
import Foundation
import Testing

@testable import CardStore

/// Runs on demand.
@Suite final class SourceRunTests: StoreSuite {
    @discardableResult
    private func ask(_ source: String) async throws -> SourceRun {
        try await harness.store.upkeep.askForRun(over: source, by: StoreHarness.person, now: harness.now)
    }

    private static let unreadable = SourceRun.Report(reason: .sourceUnreadable, counts: [:])

    @Test func `a run that waits is the answer to who asks again, one that has begun is not`() async throws {
        let store = harness.store
        let first = try await ask("inbox")
        #expect(try await ask("inbox") == first)
        #expect(try await ask("other").id != first.id)
        #expect(try await store.upkeep.beginRun(over: "inbox", by: harness.worker.id)?.id == first.id)
        harness.pass(.seconds(1))
        let second = try await ask("inbox")
        #expect(second.id != first.id)
        // One run of a source at a time.
        #expect(try await store.upkeep.beginRun(over: "inbox", by: harness.worker.id) == nil)
        var report = SourceRun.Report(counts: ["admitted": 2, "refused": 1])
        report.refusals = ["unsupported_format": 1]
        try await store.upkeep.finish(first, as: report, by: harness.worker.id, now: harness.now)
        #expect(try await store.upkeep.run(first.id)?.report == report)
        #expect(try await store.upkeep.run(first.id)?.endedAt == harness.now)
        #expect(try await store.upkeep.beginRun(over: "inbox", by: harness.worker.id)?.id == second.id)
        #expect(try await store.upkeep.runs().first?.id == second.id)
    }

    @Test func `a run of a dead worker is begun by the next one, which alone may end it`() async throws {
        // The harness counts its workers with its cards; the first of them is there.
        _ = harness.id()
        let run = try await ask("inbox")
        #expect(try await harness.store.upkeep.beginRun(over: "inbox", by: harness.worker.id)?.id == run.id)
        let dead = harness.worker.id
        try await harness.killWorker()
        #expect(try await harness.store.upkeep.beginRun(over: "inbox", by: harness.worker.id)?.id == run.id)
        let report = SourceRun.Report(counts: [:])
        await #expect(throws: (any Error).self) {
            try await harness.store.upkeep.finish(run, as: report, by: dead, now: harness.now)
        }
        #expect(try await harness.store.upkeep.run(run.id)?.endedAt == nil)
        try await harness.store.upkeep.finish(run, as: report, by: harness.worker.id, now: harness.now)
    }

    @Test func `runs whose source is gone end, and of those that have ended the newest are kept`() async throws {
        let store = harness.store
        let gone = try await ask("gone")
        let open = try await ask("inbox")
        try await store.upkeep.endRuns(exceptOver: ["inbox"], by: "me", as: Self.unreadable, now: harness.now)
        #expect(try await store.upkeep.run(gone.id)?.report == Self.unreadable)
        #expect(try await store.upkeep.run(open.id)?.endedAt == nil)
        try await store.upkeep.endRuns(exceptOver: [], by: "me", as: Self.unreadable, now: harness.now)
        #expect(try await store.upkeep.run(open.id)?.report == Self.unreadable)
        for _ in 0..<(Limits.runsKept + 3) {
            harness.pass(.seconds(1))
            try await ask("inbox")
            try await store.upkeep.endRuns(exceptOver: [], by: "me", as: Self.unreadable, now: harness.now)
        }
        #expect(try await store.upkeep.runs().count == Limits.runsKept + 1)
        #expect(try await store.upkeep.run(gone.id) == nil)
    }

    @Test(arguments: [true, false])
    func `a run whose source another server may have ends only once that server has`(wasKilled: Bool) async throws {
        let (store, now) = (harness.store, harness.now)
        let run = try await ask("theirs")
        let me = try await store.upkeep.startWorker(id: "me", command: "serve", now: now)
        func end() async throws -> Bool {
            try await store.upkeep.heartbeat(of: me, now: now)
            try await store.upkeep.endRuns(exceptOver: ["mine"], by: me.id, as: Self.unreadable, now: now)
            return try await store.upkeep.run(run.id)?.endedAt != nil
        }
        let other = try await harness.another()
        var server: Worker? = try await other.upkeep.startWorker(id: "other", command: "serve", now: now)
        #expect(try await !end())
        // At work on it, too.
        #expect(try await other.upkeep.beginRun(over: "theirs", by: "other")?.id == run.id)
        #expect(try await !end())
        if !wasKilled { try await other.upkeep.stop(#require(server), now: now) }
        // Its lock ends with the last reference to it.
        server = nil
        // A run or a watch has no sources: the harness's own worker is one.
        #expect(try await end())
        try other.close()
    }

    @Test func `a run that a living process is at is ended by nobody else`() async throws {
        let run = try await ask("inbox")
        _ = try await harness.store.upkeep.beginRun(over: "inbox", by: harness.worker.id)
        try await harness.store.upkeep.endRuns(exceptOver: [], by: "me", as: Self.unreadable, now: harness.now)
        #expect(try await harness.store.upkeep.run(run.id)?.endedAt == nil)
    }
}
