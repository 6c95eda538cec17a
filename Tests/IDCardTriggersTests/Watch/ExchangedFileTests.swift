import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardTriggers

/// Files that are exchanged between being examined and being read.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct ExchangedFileTests {
    /// An intake that lets something happen just before it reads its first input.
    private static func intake(before: @escaping @Sendable (String) throws -> Void) -> FakeIntake {
        FakeIntake(answer: { item, call in
            if call == 1 { try before(item.path.reveal()) }
            return nil
        })
    }

    @Test("A link that takes the place of a file that was examined is not followed")
    func link() async throws {
        let folder = try TemporaryFolder()
        try folder.write("outside/secret.jpg")
        let intake = Self.intake { path in
            unlink(path)
            guard symlink(folder["outside/secret.jpg"], path) == 0 else { throw POSIXError(.EIO) }
        }
        let watching = try Watching(folder, intake: intake) { $0.rescanInterval = .milliseconds(30) }
        try watching.image("in/EVIL/N.jpg", 1)
        try await watching.run {
            await watching.events.wait { _ in intake.calls == 1 }
            await watching.events.wait(forScans: 10)
        }
        #expect(intake.cards == 0)
        #expect(intake.calls == 1)
        #expect(watching.events.refusals == [])
        #expect(watching.files("outside") == ["secret.jpg"])
    }

    @Test("A pair that takes the place of another of its name goes out under its own number")
    func pair() async throws {
        let folder = try TemporaryFolder()
        let intake = Self.intake { path in
            try folder.write("in/.new", bytes: ImageRules.jpegStart + Array(repeating: 2, count: 86))
            try folder.write("in/scan.jpg.json", text: #"{"business_no": "B"}"#)
            guard rename(folder["in/.new"], path) == 0 else { throw POSIXError(.EIO) }
        }
        let watching = try Watching(folder, intake: intake) { $0.rescanInterval = .milliseconds(30) }
        try watching.folder.write("in/scan.jpg.json", text: #"{"business_no": "A"}"#)
        try watching.image("in/scan.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(intake.takes.map(\.businessNumber) == ["B"])
        #expect(intake.takes.map(\.bytes) == [90])
        #expect(watching.files() == ["done/scan.jpg", "done/scan.jpg.json"])
    }

    @Test("A time beyond the year 2262 is a time like any other")
    func farFuture() async throws {
        let watching = try Watching()
        try watching.image("in/LOAN-1/front.jpg", 1)
        let times = [timespec(tv_sec: 10_413_792_000, tv_nsec: 1), timespec(tv_sec: 10_413_792_000, tv_nsec: 1)]
        #expect(utimensat(AT_FDCWD, watching.folder["in/LOAN-1/front.jpg"], times, 0) == 0)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(watching.events.places == [.done])
    }
}
