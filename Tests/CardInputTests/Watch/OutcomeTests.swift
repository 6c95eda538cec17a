import CardModel
import Foundation
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CardInput

/// What becomes of files, by what the pipeline says of them.
@Suite(.timeLimit(.minutes(5))) struct OutcomeTests {
    private static func refusal(_ code: String, _ kind: CodedError.Kind = .input) -> CodedError {
        CodedError(ReasonCode(rawValue: code), kind, Message("test.refused", "it is \(Redacted("WANG")), refused"))
    }

    @Test(arguments: [WatchOptions.After.move, .delete])
    func `A process that dies before the move finds the card again, and moves`(after: WatchOptions.After) async throws {
        let folder = TemporaryFolder()
        let sandbox = FakePipeline()
        let dying = FakePipeline { photo, occasion, _ in
            _ = try await sandbox.take(photo, occasion)
            throw POSIXError(.EIO)
        }
        let first = try Watching(folder, pipeline: dying, photos: ["in/LOAN-1/front.jpg"]) { $0.after = after }
        await #expect(throws: POSIXError.self) { try await first.makeWatch().run() }
        #expect(first.files() == ["LOAN-1/front.jpg"])
        let second = try Watching(folder, pipeline: sandbox) { $0.after = after }
        try await second.run(untilPlaced: 1)
        #expect(second.files() == (after == .move ? ["done/LOAN-1/front.jpg"] : []))
        #expect(sandbox.taken.map(\.isDuplicate) == [false, true])
    }

    @Test func `The same bytes again are moved, too, under the next free name, and are no new card`() async throws {
        let watching = try Watching(photos: ["in/LOAN-1/front.jpg"])
        try await watching.run(afterPlaced: 1) { _ in
            try watching.photo("in/LOAN-1/front.jpg", 1)
            await watching.reports.wait(forPlaced: 2)
            try watching.photo("in/LOAN-1/copy.jpg", 1)
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.files() == ["done/LOAN-1/copy.jpg", "done/LOAN-1/front-2.jpg", "done/LOAN-1/front.jpg"])
        #expect(watching.pipeline.taken.map(\.isDuplicate) == [false, true, true])
        #expect(watching.pipeline.cards == 1)
    }

    @Test func `Two names of one file are two inputs and one card`() async throws {
        let watching = try Watching(photos: ["in/LOAN-1/front.jpg"])
        #expect(link(watching.folder["in/LOAN-1/front.jpg"], watching.folder["in/LOAN-1/again.jpg"]) == 0)
        try await watching.run(afterPlaced: 2) { _ in
            #expect(link(watching.folder["in/done/LOAN-1/front.jpg"], watching.folder["in/LOAN-1/front.jpg"]) == 0)
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.pipeline.cards == 1)
        #expect(watching.files() == ["done/LOAN-1/again.jpg", "done/LOAN-1/front.jpg"])
    }

    @Test func `With after: delete the file goes, with what goes with it`() async throws {
        let watching = try Watching { $0.after = .delete }
        try watching.photo("in/LOAN-1/front.jpg", 1)
        try watching.folder.write("in/LOAN-1/front.jpg.json", text: #"{"user_no": "u-1"}"#)
        try await watching.run(untilPlaced: 1)
        #expect(watching.files() == [])
        #expect(watching.pipeline.taken.map(\.user) == ["u-1"])
        #expect(access(watching.folder["in/done"], F_OK) != 0)
    }

    @Test(arguments: [true, false])
    func `a deletion that was cut short is finished at the start, and its sidecar speaks for no newer photo`(
        isNewer: Bool
    ) async throws {
        let watching = try Watching { $0.after = .delete }
        try watching.photo("in/LOAN-1/front.jpg", 1)
        try watching.folder.write("in/LOAN-1/front.jpg.json", text: #"{"user_no": "u-1"}"#)
        let identities = try ["front.jpg", "front.jpg.json"].map { name in
            let path = watching.folder["in/LOAN-1/" + name]
            return FileIdentity(path: path, try FilePath(path).status(followingLinks: false))
        }
        let passing = TransitName(identities[0], with: [identities[1]]).text
        #expect(rename(watching.folder["in/LOAN-1/front.jpg"], watching.folder["in/LOAN-1/" + passing]) == 0)
        // A file that took the place of one that was about to be deleted: it was never read.
        let other = TransitName(identities[1], with: []).text
        try watching.photo("in/LOAN-1/" + other, 3)
        if isNewer { try watching.photo("in/LOAN-1/front.jpg", 2) }
        try await watching.run(afterScans: 1) { watch in
            if isNewer { await watching.reports.wait(forPlaced: 1) }
        }
        #expect(watching.files() == ["LOAN-1/" + other])
        #expect(watching.pipeline.taken.map(\.user) == (isNewer ? [nil] : []))
    }

    @Test func `With after: leave the file stays, is taken once, and again only when it changes`() async throws {
        let watching = try Watching { $0.after = .leave }
        try watching.photo("in/LOAN-1/front.jpg", 1)
        try watching.photo("in/nobody.jpg", 2)
        try await watching.run(afterPlaced: 2) { watch in
            for _ in 1...3 { await watching.pass(WatchLimits.rescan, watch) }
            #expect(watching.pipeline.calls == 1)
            try watching.photo("in/LOAN-1/front.jpg", 3)
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.files() == ["LOAN-1/front.jpg", "nobody.jpg"])
        #expect(watching.reports.refused == ["business_no_missing"])
        #expect(watching.pipeline.cards == 2)
    }

    @Test func `A note shows the name of the folder that it lies in, and no other name`() async throws {
        let message = Message("test.folder", "\(Redacted("LOAN-1")) is not \(Redacted("LOAN-2"))")
        let error = CodedError(ReasonCode(rawValue: "business_no_conflict"), .input, message)
        let pipeline = FakePipeline { _, _, _ in .refused(error, card: nil) }
        let watching = try Watching(pipeline: pipeline, photos: ["in/LOAN-1/a.jpg"])
        try await watching.run(untilPlaced: 1)
        let note = try watching.note("in/failed/LOAN-1/a.jpg.failed.json")
        #expect(note["message"] == "LOAN-1 is not <redacted>")
    }

    @Test(arguments: [nil, "0192a3b4-0000-7000-8000-000000000001"])
    func `A refused file goes to failed, with a note of code, message, time and card`(card: String?) async throws {
        let id = card.map { CardID(rawValue: $0) }
        let pipeline = FakePipeline { _, _, _ in .refused(Self.refusal("image_corrupt"), card: id) }
        let watching = try Watching(pipeline: pipeline, photos: ["in/LOAN-1/a.jpg"])
        try watching.folder.write("in/LOAN-1/a.jpg.json", text: #"{"user_no": "u-1"}"#)
        try await watching.run(untilPlaced: 1)
        #expect(
            watching.files() == ["failed/LOAN-1/a.jpg", "failed/LOAN-1/a.jpg.failed.json", "failed/LOAN-1/a.jpg.json"]
        )
        let note = try watching.note("in/failed/LOAN-1/a.jpg.failed.json")
        var expected = [
            "code": "image_corrupt", "message": "it is <redacted>, refused", "time": "2023-11-14T22:13:20.000Z",
        ]
        expected["card_id"] = card
        #expect(note == expected)
        #expect(watching.reports.refused == ["image_corrupt"])
    }

    @Test func `A young file that cannot be used waits until it stands still, and may grow by then`() async throws {
        let pipeline = FakePipeline { photo, occasion, _ in
            guard case .file(let identity) = photo.location, identity.size < 100 else { return nil }
            return .refused(Self.refusal(occasion == .young ? "image_truncated" : "image_final"), card: nil)
        }
        let watching = try Watching(pipeline: pipeline) { $0.quietTime = .seconds(5) }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run(afterScans: 1) { watch in
            for size in [10, 20, 40] {
                for name in ["grows", "stays"] where name == "grows" || size == 10 {
                    try watching.folder.write("in/LOAN-1/\(name).jpg", bytes: [UInt8](repeating: 1, count: size))
                }
                await watching.pass(.seconds(1), watch)
            }
            #expect(watching.files("in/failed") == [])
            try watching.folder.write("in/LOAN-1/grows.jpg", bytes: [UInt8](repeating: 1, count: 200))
            await watching.reports.wait(forPlaced: 1)
            await watching.pass(.seconds(5), watch)
            await watching.reports.wait(forPlaced: 2)
        }
        #expect(watching.reports.refused == ["image_final"])
        #expect(
            watching.files() == [
                "done/LOAN-1/grows.jpg", "failed/LOAN-1/stays.jpg", "failed/LOAN-1/stays.jpg.failed.json",
            ]
        )
    }

    @Test func `While the pipeline is full nothing is refused or lost, and waits grow`() async throws {
        let isFull = Mutex(true)
        let pipeline = FakePipeline { _, _, _ in
            isFull.withLock { $0 } ? .later(Self.refusal("queue_full", .temporary)) : nil
        }
        let watching = try Watching(pipeline: pipeline, photos: ["in/LOAN-1/a.jpg"])
        try await watching.run { watch in
            await watching.reports.wait { $0.contains { if case .paused = $0 { true } else { false } } }
            for seconds in [1, 2, 4] {
                let calls = pipeline.calls
                await watching.pass(.seconds(seconds) - .milliseconds(1), watch)
                #expect(pipeline.calls == calls)
                if seconds == 4 { isFull.withLock { $0 = false } }
                await watching.pass(.milliseconds(1), watch)
                while pipeline.calls == calls { await Task.yield() }
                await watching.scan(watch)
            }
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(pipeline.calls == 4)
        #expect(watching.reports.all.count { if case .paused = $0 { true } else { false } } == 1)
        #expect(watching.reports.all.count { if case .resumed = $0 { true } else { false } } == 1)
        #expect(watching.files() == ["done/LOAN-1/a.jpg"])
    }

    @Test func `What may pass is tried six times before it is refused`() async throws {
        let pipeline = FakePipeline { _, _, _ in .refused(Self.refusal("image_decode_time", .temporary), card: nil) }
        let watching = try Watching(pipeline: pipeline, photos: ["in/LOAN-1/a.jpg"])
        try await watching.run { watch in
            for call in 1...6 {
                while pipeline.calls < call { await Task.yield() }
                await watching.pass(.seconds(1 << (call - 1)), watch)
            }
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(pipeline.calls == WatchLimits.tries)
        #expect(watching.files("in/failed/LOAN-1") == ["a.jpg", "a.jpg.failed.json"])
    }

    @Test(arguments: ["replaced", "touched", "gone"])
    func `A file that changes while it is taken in is never put away for another`(change: String) async throws {
        let folder = TemporaryFolder()
        let pipeline = FakePipeline { photo, _, call in
            guard call == 1, case .file(let identity) = photo.location else { return nil }
            _ = try SourceFile.read(identity, limit: 1000)
            switch change {
            case "replaced":
                try folder.write("new.jpg", bytes: Listing.jpegStart + [9])
                guard rename(folder["new.jpg"], photo.path) == 0 else { throw POSIXError(.EIO) }
            case "touched": guard utimes(photo.path, nil) == 0 else { throw POSIXError(.EIO) }
            default: guard unlink(photo.path) == 0 else { throw POSIXError(.EIO) }
            }
            return .admitted
        }
        let watching = try Watching(folder, pipeline: pipeline, photos: ["in/LOAN-1/a.jpg", "in/LOAN-2/b.jpg"])
        try await watching.run { watch in
            await watching.reports.wait(forPlaced: change == "gone" ? 1 : 2)
            await watching.scan(watch)
        }
        #expect(pipeline.calls == (change == "gone" ? 2 : 3))
        #expect(watching.files() == (change == "gone" ? [] : ["done/LOAN-1/a.jpg"]) + ["done/LOAN-2/b.jpg"])
        #expect(watching.reports.problems == [] && watching.reports.refused == [])
    }

    @Test func `A file that cannot be put away is told of once, taken once, and moved when it can be`() async throws {
        let watching = try Watching()
        try watching.folder.write("in/done", text: "in the way")
        try watching.photo("in/LOAN-1/a.jpg", 1)
        try await watching.run { watch in
            await watching.reports.waitForProblem()
            for _ in 1...4 { await watching.pass(.seconds(60), watch) }
            #expect(unlink(watching.folder["in/done"]) == 0)
            await watching.pass(.seconds(60), watch)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.reports.problems == ["put_away_failed", "mended put_away_failed"])
        #expect(watching.pipeline.calls == 1)
        #expect(watching.files() == ["done/LOAN-1/a.jpg"])
    }
}
