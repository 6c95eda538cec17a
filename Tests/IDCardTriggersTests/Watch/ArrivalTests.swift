import Foundation
import Glibc
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardTriggers

/// The ways in which files come into a watched folder.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct ArrivalTests {
    /// Settings with which only what inotify tells is soon enough for a test.
    private static func onlyNews(_ settings: inout WatchSettings) {
        settings.quietTime = .seconds(3600)
        settings.rescanInterval = .seconds(3600)
    }

    @Test("Files that are there at the start are taken in, and moved below done with their folders")
    func startup() async throws {
        let innermost = try BusinessNumberRule("pattern:([^/]+)/[^/]+$")
        let watching = try Watching { $0.inputs.businessNumberRule = innermost }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.image("in/LOAN-2/more/LOAN-3/back.jpg", 2)
        try await watching.run {
            await watching.events.wait(forPlaced: 2)
        }
        #expect(watching.files() == ["done/LOAN-1/front.jpg", "done/LOAN-2/more/LOAN-3/back.jpg"])
        #expect(Set(watching.intake.takes.map(\.businessNumber)) == ["LOAN-1", "LOAN-3"])
        #expect(watching.events.places == [.done, .done])
    }

    @Test("A file that is closed, moved in or renamed to its final name is taken at once")
    func atOnce() async throws {
        let watching = try Watching(change: Self.onlyNews)
        try watching.folder.makeFolder("in/LOAN-1")
        try watching.image("elsewhere/moved.jpg", 1)
        try await watching.run {
            await watching.events.waitForFirstScan()
            try watching.image("in/LOAN-1/written.jpg", 2)
            await watching.events.wait(forPlaced: 1)
            #expect(rename(watching.folder["elsewhere/moved.jpg"], watching.folder["in/LOAN-1/moved.jpg"]) == 0)
            await watching.events.wait(forPlaced: 2)
            for (number, temporary) in [".front.jpg.Xy12", "front.jpg.part", "front.jpg.filepart"].enumerated() {
                try watching.image("in/LOAN-1/\(temporary)", 3 + number)
                let final = "in/LOAN-1/front-\(number).jpg"
                #expect(rename(watching.folder["in/LOAN-1/\(temporary)"], watching.folder[final]) == 0)
                await watching.events.wait(forPlaced: 3 + number)
            }
        }
        #expect(
            watching.files("in/done/LOAN-1") == [
                "front-0.jpg", "front-1.jpg", "front-2.jpg", "moved.jpg", "written.jpg",
            ]
        )
        #expect(watching.intake.calls == 5)
    }

    @Test("A file that is still open is not taken, however long its writer waits")
    func slowWriter() async throws {
        let watching = try Watching {
            $0.quietTime = .milliseconds(20)
            $0.rescanInterval = .milliseconds(20)
        }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run {
            await watching.events.waitForFirstScan()
            let path = watching.folder["in/LOAN-1/slow.jpg"]
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            for part in 0..<4 {
                let bytes = part == 0 ? ImageRules.jpegStart : Array(repeating: UInt8(part), count: 100)
                #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
                // Each scan lasts longer than a file has to stand still.
                await watching.events.wait(forScans: 3)
                #expect(watching.intake.calls == 0)
            }
            close(file)
            await watching.events.wait(forPlaced: 1)
        }
        #expect(watching.intake.takes.map(\.bytes) == [304])
    }

    @Test("A folder that is moved in is taken with all it holds, and so is one that is moved within")
    func movedFolders() async throws {
        let innermost = try BusinessNumberRule("pattern:([^/]+)/[^/]+$")
        let watching = try Watching {
            $0.rescanInterval = .seconds(3600)
            $0.inputs.businessNumberRule = innermost
        }
        try watching.image("elsewhere/LOAN-1/a/front.jpg", 1)
        try watching.image("elsewhere/LOAN-1/back.jpg", 2)
        try await watching.run {
            await watching.events.waitForFirstScan()
            #expect(rename(watching.folder["elsewhere/LOAN-1"], watching.folder["in/LOAN-1"]) == 0)
            await watching.events.wait(forPlaced: 2)
            #expect(rename(watching.folder["in/LOAN-1"], watching.folder["in/LOAN-2"]) == 0)
            try watching.image("in/LOAN-2/later.jpg", 3)
            await watching.events.wait(forPlaced: 3)
            // Its old watch must not speak for a new folder of the old name.
            try watching.image("in/LOAN-1/new.jpg", 4)
            await watching.events.wait(forPlaced: 4)
        }
        #expect(
            watching.files() == [
                "done/LOAN-1/a/front.jpg", "done/LOAN-1/back.jpg", "done/LOAN-1/new.jpg", "done/LOAN-2/later.jpg",
            ]
        )
        #expect(watching.intake.takes.map(\.businessNumber).sorted() == ["LOAN-1", "LOAN-1", "LOAN-2", "a"])
    }

    @Test("What tar extracts arrives whole")
    func extraction() async throws {
        let watching = try Watching { $0.rescanInterval = .seconds(3600) }
        for number in 0..<60 { try watching.image("pack/LOAN-\(number % 7)/\(number).jpg", number, size: 50_000) }
        let archive = watching.folder["pack.tar"]
        try Self.run("tar", "-C", watching.folder["pack"], "-cf", archive, ".")
        try await watching.run {
            await watching.events.waitForFirstScan()
            try Self.run("tar", "-C", watching.folder["in"], "-xf", archive)
            await watching.events.wait(forPlaced: 60)
        }
        #expect(watching.files("in/done") == watching.files("pack"))
        #expect(watching.intake.cards == 60)
        #expect(watching.intake.takes.allSatisfy { $0.bytes == 50_000 })
    }

    @Test("Sixteen writers at once, each in its own way: every file once", arguments: WatchSettings.Mode.allCases)
    func manyWriters(mode: WatchSettings.Mode) async throws {
        let watching = try Watching {
            $0.mode = mode
            $0.concurrency = 4
            $0.inputs.businessNumberRule = .level(1)
        }
        try await watching.run {
            await watching.events.waitForFirstScan()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<16 {
                    group.addTask { try Self.write(20, as: writer, watching) }
                }
                try await group.waitForAll()
            }
            await watching.events.wait(forPlaced: 320)
        }
        #expect(watching.files("in/done").count == 320)
        #expect(watching.files().count == 320)
        #expect(watching.intake.cards == 320)
        #expect(watching.intake.takes.allSatisfy { $0.bytes == 3000 })
        #expect(watching.intake.mostUnderway <= 4)
    }

    /// Writes files in one of the ways in which programs do.
    private static func write(_ count: Int, as writer: Int, _ watching: Watching) throws {
        let folder = watching.folder
        for index in 0..<count {
            let number = writer * 1000 + index
            let below = "LOAN-\(writer)/\(index % 3)"
            let target = "in/\(below)/\(number).jpg"
            try folder.makeFolder("in/\(below)")
            switch writer % 4 {
            case 0: try watching.image(target, number, size: 3000)
            case 1:
                try watching.image("in/\(below)/.\(number).jpg.tmp", number, size: 3000)
                guard rename(folder["in/\(below)/.\(number).jpg.tmp"], folder[target]) == 0 else {
                    throw POSIXError(.EIO)
                }
            case 2:
                try watching.image("out/\(number).jpg", number, size: 3000)
                guard rename(folder["out/\(number).jpg"], folder[target]) == 0 else { throw POSIXError(.EIO) }
            default:
                try watching.image("out/\(number).jpg", number, size: 3000)
                try FileManager.default.copyItem(atPath: folder["out/\(number).jpg"], toPath: folder[target])
            }
        }
    }

    @Test("A queue that overflows because its reader stands still loses nothing")
    func overflow() async throws {
        var watching = try Watching { $0.rescanInterval = .seconds(3600) }
        let gate = ReaderGate()
        watching.faults.beforeReading = { gate.pass() }
        try watching.folder.makeFolder("in/LOAN-1")
        let running = watching
        try await watching.run {
            await running.events.waitForFirstScan()
            gate.close()
            // The kernel keeps 16,384 events by default; each rename is two.
            try running.folder.write("in/LOAN-1/noise.part")
            let limit =
                try Int(
                    String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).filter(\.isNumber)
                ) ?? 16_384
            for turn in 0...(limit / 2) {
                let names = ["in/LOAN-1/noise.part", "in/LOAN-1/noise.filepart"].map { running.folder[$0] }
                #expect(rename(names[turn % 2], names[1 - turn % 2]) == 0)
            }
            for number in 0..<50 { try running.image("in/LOAN-1/\(number).jpg", number) }
            gate.open()
            await running.events.wait(forPlaced: 50)
        }
        #expect(watching.intake.cards == 50)
        #expect(watching.files("in/done").count == 50)
        // Only the overflow can have asked for a second scan of all.
        let scans = watching.events.all.count { if case .scanned = $0 { true } else { false } }
        #expect(scans >= 2)
    }

    @Test("Without inotify files are found by looking, and one warning says why", arguments: [EMFILE, ENOSPC])
    func fallBack(code: Int32) async throws {
        var watching = try Watching { $0.rescanInterval = .seconds(3600) }
        let failure = SystemFailure(code: code)
        if code == EMFILE { watching.faults.atStart = failure } else { watching.faults.onWatch = { _ in failure } }
        let running = watching
        try await watching.run {
            await running.events.wait(forScans: 3)
            try running.image("in/LOAN-1/front.jpg", 1)
            await running.events.wait(forPlaced: 1)
            await running.events.wait(forScans: 3)
        }
        #expect(watching.files() == ["done/LOAN-1/front.jpg"])
        #expect(watching.events.problems == ["1 polling"])
    }

    /// Runs a program to its end.
    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EIO) }
    }
}

/// Lets the thread that reads inotify stand still.
final class ReaderGate: Sendable {
    private let condition = NSCondition()
    nonisolated(unsafe) private var isClosed = false

    /// Waits as long as the gate is closed.
    func pass() {
        self.condition.lock()
        while self.isClosed { self.condition.wait() }
        self.condition.unlock()
    }

    func close() { self.set(true) }
    func open() { self.set(false) }

    private func set(_ isClosed: Bool) {
        self.condition.lock()
        self.isClosed = isClosed
        self.condition.broadcast()
        self.condition.unlock()
    }
}
