import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// What a process lives through: wrong clocks, a lack of memory, files that are taken from under it.
@Suite(.timeLimit(.minutes(5))) struct ResilienceTests {
    let harness: EngineHarness

    init() async throws { self.harness = try await EngineHarness() }

    @Test func `a date rule under a wrong clock holds its card until the clock is right`() async throws {
        let items = try harness.items(["N1": ["front", "back"]])
        let wrong = ManualTime(start: Timestamp(millisecondsSinceEpoch: 946_684_800_000))
        try await wrong.passing { try await harness.run(items, time: wrong.engineTime) }
        #expect(try await harness.states() == ["N1 front": "delivered", "N1 back": "held clock_doubtful"])
        let verified = harness.state.withLock { $0.verified.count }
        try await harness.run([])
        #expect(Set(try await harness.states().values) == ["delivered"])
        #expect(harness.state.withLock { $0.verified.count } == verified, "nothing is paid for it")
    }

    @Test func `an image that cannot be made smaller for lack of memory ends alone, after five tries`() async throws {
        harness.state.withLock { state in
            state.shrinkingFailures = 100
            let failure = RemoteFailure.specimen(.shrink, code: "IMAGE_SIZE")
            state.verifyFailures["N1"] = Array(repeating: failure, count: 100)
        }
        try await harness.run(harness.items(["N1": ["front"], "N2": ["front"]]))
        #expect(try await harness.states() == ["N1 front": "failed image_memory", "N2 front": "delivered"])
        #expect(harness.state.withLock { state in state.verified.count { $0.contains("N1") } } == 5)
    }

    @Test func `a list of erasures that cannot be written is told of, and ends nothing`() async throws {
        try await harness.run(harness.items(["N1": ["broken front"]]))
        // In the place of the list lies a folder.
        let list = harness.folder + "/sandbox/erasures.jsonl"
        try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: false)
        let settings = harness.settings { $0.retention.rejected = .milliseconds(1) }
        try await harness.run(harness.items(["N2": ["front"]]), settings)
        let reporting = harness.reporting { if case .erasingFailed(let error) = $0 { error.code } else { nil } }
        #expect(reporting == [.sandboxUnavailable])
        #expect(try await harness.states() == ["N1 broken front": "rejected image_truncated", "N2 front": "delivered"])
        try FileManager.default.removeItem(atPath: list)
        try await harness.run([], settings)
        #expect(try await harness.store.listings.counts() == [.erased: 1, .delivered: 1])
    }

    @Test func `a run deletes the images of delivered cards whose time is over, and keeps the cards`() async throws {
        try await harness.run(harness.items(["N1": ["front"], "N2": ["broken front"]]))
        // However little time there is: each kind gets a turn.
        let settings = harness.settings {
            $0.retention.images = .milliseconds(1)
            $0.patience = .zero
        }
        try await harness.run([], settings)
        #expect(try await harness.states() == ["N1 front": "delivered", "N2 broken front": "rejected image_truncated"])
        let cards = try await harness.store.upkeep.check()
        #expect(cards.isEmpty)
        #expect(try await harness.store.upkeep.dropImages(settings.retention, now: Timestamp(Date())) == 0)
    }

    @Test func `a run erases all that is past its retention, however many there are`() async throws {
        let refused = (0..<600).map { ("N\($0)", ["broken front"]) }
        try await harness.run(harness.items(refused))
        let settings = harness.settings { $0.retention.rejected = .milliseconds(1) }
        try await harness.run([], settings)
        #expect(try await harness.store.listings.counts() == [.erased: 600])
        // Without time for it, what is left is counted.
        try await harness.run(harness.items(refused.prefix(520).map { ("M" + $0.0, $0.1) }))
        var hurried = settings
        hurried.patience = .zero
        try await harness.run([], hurried)
        #expect(harness.reporting { if case .overdue(let count) = $0 { count } else { nil } } == [20])
    }

    @Test(arguments: [["sandbox.sqlite3", "sandbox.sqlite3-wal", "sandbox.sqlite3-shm"], ["sandbox.sqlite3-wal"]])
    func `a sandbox whose files are deleted under a process is written no more`(files: [String]) async throws {
        harness.state.withLock { state in
            state.onVerify = { photo, _ in
                guard photo == "N1 front" else { return }
                for file in files { try FileManager.default.removeItem(atPath: harness.folder + "/sandbox/" + file) }
            }
        }
        let items = try harness.items(["N1": ["front"]])
        let error = await #expect(throws: CodedError.self) { _ = try await harness.run(items) }
        #expect(error?.code == .sandboxUnavailable && error?.kind == .storage)
        #expect(error?.message.text().contains("were deleted or exchanged") == true)
        #expect(harness.delivered.isEmpty)
    }
}
