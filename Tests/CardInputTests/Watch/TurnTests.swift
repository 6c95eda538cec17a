import CardModel
import Foundation
import Glibc
import Synchronization
import Testing

@testable import CardInput

/// Whose turn it is, and how a watch ends.
@Suite(.timeLimit(.minutes(5))) struct TurnTests {
    @Test func `The end waits for what is being taken in, and begins nothing more`() async throws {
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let (goes, going) = AsyncStream.makeStream(of: Void.self)
        let pipeline = FakePipeline { _, _, _ in
            starting.finish()
            for await _ in goes {}
            return nil
        }
        let watching = try Watching(pipeline: pipeline, photos: ["in/LOAN-1/a.jpg"])
        try await watching.run { watch in
            for await _ in started {}
            try watching.photo("in/LOAN-2/b.jpg", 2)
            await watching.scan(watch)
            await watch.stop()
            going.finish()
        }
        #expect(watching.files().contains("done/LOAN-1/a.jpg"))
        // Whether the other one had begun, it is in one place.
        #expect(watching.files().count == 2)
    }

    @Test func `A watch whose task is cancelled returns, and leaves what was not taken`() async throws {
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let pipeline = FakePipeline { _, _, _ in
            starting.finish()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
        let watching = try Watching(pipeline: pipeline, photos: ["in/LOAN-1/a.jpg"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watching.makeWatch().run() }
            for await _ in started {}
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(watching.files() == ["LOAN-1/a.jpg"])
        #expect(watching.reports.refused == [])
    }

    @Test func `A photo that goes while it waits for an older one of its number holds up no other`() async throws {
        let folder = TemporaryFolder()
        let pipeline = FakePipeline { photo, _, call in
            // By now the others have had their turn, or will: all come behind this one.
            if call == 1 {
                for name in ["b", "c"] {
                    guard unlink(folder["in/LOAN-1/\(name).jpg"]) == 0 else { throw POSIXError(.EIO) }
                }
            }
            return nil
        }
        let watching = try Watching(folder, pipeline: pipeline)
        for (number, name) in ["a", "b", "c", "d"].enumerated() {
            try watching.photo("in/LOAN-1/\(name).jpg", number)
            try folder.setTime("in/LOAN-1/\(name).jpg", 1_700_000_000 + number)
        }
        try await watching.run(untilPlaced: 2)
        #expect(watching.pipeline.taken.map(\.file) == ["a.jpg", "d.jpg"])
    }

    @Test func `A number without room waits alone, in its order, and is told of once`() async throws {
        let hasRoom = Mutex(false)
        let pipeline = FakePipeline { photo, _, _ in
            guard photo.metadata.businessNumber.rawValue == "LOAN-1", !hasRoom.withLock({ $0 }) else { return nil }
            return .waits(CodedError(.tooManyPhotos, .input, .sourceChanged))
        }
        let photos = ["in/LOAN-1/a.jpg", "in/LOAN-1/b.jpg", "in/LOAN-2/c.jpg"]
        let watching = try Watching(pipeline: pipeline, photos: photos)
        for (second, path) in photos.enumerated() { try watching.folder.setTime(path, 1_700_000_000 + second) }
        try await watching.run(afterPlaced: 1) { watch in
            await watching.pass(WatchLimits.retry.longest, watch)
            await watching.pass(WatchLimits.retry.longest, watch)
            #expect(watching.files() == ["LOAN-1/a.jpg", "LOAN-1/b.jpg", "done/LOAN-2/c.jpg"])
            hasRoom.withLock { $0 = true }
            await watching.pass(WatchLimits.retry.longest, watch)
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.pipeline.taken.map(\.file) == ["c.jpg", "a.jpg", "b.jpg"])
        #expect(watching.reports.stays(below: watching.folder["in/"]) == ["too_many_photos LOAN-1/a.jpg"])
    }

    @Test func `A photo that waits for room and is refused after all holds up no other of its number`() async throws {
        let pipeline = FakePipeline { photo, _, _ in
            photo.path.hasSuffix("a.jpg") ? .waits(CodedError(.tooManyPhotos, .input, .sourceChanged)) : nil
        }
        let photos = ["in/LOAN-1/a.jpg", "in/LOAN-1/b.jpg"]
        let watching = try Watching(pipeline: pipeline, photos: photos) {
            ($0.after, $0.sidecar, $0.sidecarWait) = (.leave, .optional, .zero)
        }
        for (second, path) in photos.enumerated() { try watching.folder.setTime(path, 1_700_000_000 + second) }
        try await watching.run { _ in
            await watching.reports.wait { $0.contains { if case .leftInPlace = $0 { true } else { false } } }
            try watching.folder.write("in/LOAN-1/a.jpg.json", bytes: Array("{".utf8))
            await watching.reports.wait(forPlaced: 2)
        }
        #expect(watching.reports.refused == ["sidecar_invalid"])
        #expect(watching.pipeline.taken.map(\.file) == ["b.jpg"])
    }

    @Test func `Photos of one number are taken one by one, in the order of their names`() async throws {
        let watching = try Watching()
        for number in 1...9 {
            try watching.photo("in/LOAN-1/\(10 - number).jpg", number)
            // Which of two is newer by its time, the rules of the number say.
            try watching.folder.setTime("in/LOAN-1/\(10 - number).jpg", 1_700_000_000 + number)
        }
        try await watching.run(untilPlaced: 9)
        #expect(watching.pipeline.taken.map(\.file) == (1...9).map { "\($0).jpg" })
        #expect(watching.pipeline.mostUnderway == 1)
    }
}
