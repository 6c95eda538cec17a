import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import IDCardTriggers

/// Roots, folders below them, links, limits and the end of a watch.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct RootTests {
    // MARK: Configuration

    private func code(_ roots: [String], _ change: (inout WatchSettings) -> Void = { _ in }) throws -> WatchError.Code?
    {
        var watching = try Watching(change: change)
        try watching.folder.makeFolder("in/sub")
        try watching.folder.makeFolder("in-2")
        try watching.folder.write("in/file.jpg")
        try watching.folder.link("link", to: "in")
        watching.roots = roots.map { watching.folder[$0] }
        do throws(WatchError) {
            _ = try FolderWatch(
                roots: watching.roots,
                settings: watching.settings,
                intake: watching.intake,
                logger: Logger(label: "watch") { _ in SwiftLogNoOpLogHandler() },
                observer: { _ in }
            )
            return nil
        } catch {
            #expect(!error.description.contains(watching.folder.path))
            return error.code
        }
    }

    @Test("Roots that are one or lie in each other are refused, also by way of a link; neighbours are not")
    func overlap() throws {
        #expect(try self.code(["in", "in/sub"]) == .rootsOverlap)
        #expect(try self.code(["in/sub", "in"]) == .rootsOverlap)
        #expect(try self.code(["in", "in"]) == .rootsOverlap)
        #expect(try self.code(["in", "link"]) == .rootsOverlap)
        #expect(try self.code(["in", "in-2"]) == nil)
    }

    @Test("Roots are there at the start, and are folders")
    func missing() throws {
        #expect(try self.code([]) == .rootNotFound)
        #expect(try self.code(["none"]) == .rootNotFound)
        #expect(try self.code(["in/file.jpg"]) == .rootUnreadable)
    }

    @Test("Folders for done and refused files are two, and no root lies in one")
    func folders() throws {
        #expect(try self.code(["in"]) { $0.failedFolder = "done" } == .folderOverlap)
        #expect(try self.code(["in"]) { $0.failedFolder = "./done/" } == .folderOverlap)
        #expect(try self.code(["in"]) { $0.doneFolder = "../x" } == .settingInvalid)
        #expect(try self.code(["in"]) { $0.doneFolder = "" } == .settingInvalid)
        #expect(try self.code(["in"]) { $0.doneFolder = "/" } == .settingInvalid)
        let folder = try TemporaryFolder()
        var watching = try Watching(folder) { $0.doneFolder = folder.path }
        watching.roots = [folder["in"]]
        #expect(throws: WatchError.self) { try watching.makeWatch() }
    }

    @Test("Settings out of their range are refused")
    func ranges() throws {
        let changes: [(inout WatchSettings) -> Void] = [
            { $0.quietTime = .zero }, { $0.rescanInterval = .zero }, { $0.pollInterval = .seconds(-1) },
            { $0.concurrency = 0 }, { $0.attempts = 0 }, { $0.pendingFiles = 0 }, { $0.doneMarker = "" },
            { $0.doneMarker = ".json" }, { $0.retryBase = .zero },
        ]
        for change in changes { #expect(try self.code(["in"], change) == .settingInvalid) }
    }

    // MARK: Roots

    @Test("Several roots each have their own folders, and may share one that is elsewhere")
    func severalRoots() async throws {
        let folder = try TemporaryFolder()
        var watching = try Watching(folder) { $0.doneFolder = folder["archive"] }
        try folder.makeFolder("in-2")
        watching.roots = [folder["in"], folder["in-2"]]
        let running = watching
        try running.image("in/LOAN-1/front.jpg", 1)
        try running.image("in-2/LOAN-1/front.jpg", 2)
        try running.image("in-2/none.jpg", 3)
        try await running.run { await running.events.wait(forPlaced: 3) }
        #expect(running.files("archive") == ["LOAN-1/front-2.jpg", "LOAN-1/front.jpg"])
        #expect(running.files("in") == [])
        #expect(running.files("in-2") == ["failed/none.jpg", "failed/none.jpg.failed.json"])
    }

    @Test(
        "A root that goes away is told of once, and watched again when it is back",
        arguments: WatchSettings.Mode.allCases
    )
    func rootReturns(mode: WatchSettings.Mode) async throws {
        let watching = try Watching {
            $0.mode = mode
            $0.rescanInterval = .seconds(3600)
        }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run {
            await watching.events.waitForFirstScan()
            for turn in 1...3 {
                #expect(rename(watching.folder["in"], watching.folder["away"]) == 0)
                await watching.events.wait { events in
                    events.count { if case .problem(_, .rootMissing, _) = $0 { true } else { false } } == turn
                }
                // What is told of the folder that was moved away means nothing here.
                try watching.image("away/LOAN-1/\(turn).jpg", turn)
                #expect(rename(watching.folder["away"], watching.folder["in"]) == 0)
                await watching.events.wait(forPlaced: 2 * turn - 1)
                try watching.image("in/LOAN-1/new-\(turn).jpg", 10 + turn)
                await watching.events.wait(forPlaced: 2 * turn)
            }
        }
        #expect(watching.files("in/done").count == 6)
        #expect(watching.intake.cards == 6)
        #expect(watching.events.problems.count == 6)
    }

    @Test("A root that is deleted and made anew is watched like the first")
    func rootAnew() async throws {
        let watching = try Watching { $0.rescanInterval = .seconds(3600) }
        try await watching.run {
            await watching.events.waitForFirstScan()
            for turn in 1...5 {
                try FileManager.default.removeItem(atPath: watching.folder["in"])
                try watching.image("in/LOAN-1/front.jpg", turn)
                await watching.events.wait(forPlaced: turn)
            }
        }
        #expect(watching.intake.cards == 5)
    }

    @Test("A folder that cannot be listed is told of once, and keeps nobody else waiting")
    func unreadableFolder() async throws {
        let watching = try Watching { $0.rescanInterval = .milliseconds(30) }
        // Too deep for any path to name, which holds for the superuser, too.
        let deep = try DeepFolders(below: watching.folder["in"], count: 21)
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            await watching.events.wait(forScans: 10)
            let problems = watching.events.problems
            // Here and only here: they are held by their descriptors, which are another's afterwards.
            deep.remove()
            #expect(problems == ["1 folder_unreadable"])
            await watching.events.wait { $0.contains { if case .mended = $0 { true } else { false } } }
        }
        #expect(watching.events.problems == ["1 folder_unreadable", "1 mended folder_unreadable"])
    }

    @Test(
        "A file that cannot be opened is tried again, and then refused",
        .enabled(if: geteuid() != 0, "root opens every file")
    )
    func unreadableFile() async throws {
        let watching = try Watching { $0.attempts = 3 }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.image("in/LOAN-1/later.jpg", 2)
        chmod(watching.folder["in/LOAN-1/front.jpg"], 0)
        chmod(watching.folder["in/LOAN-1/later.jpg"], 0)
        try await watching.run {
            await watching.events.wait { $0.contains { if case .putOff = $0 { true } else { false } } }
            chmod(watching.folder["in/LOAN-1/later.jpg"], 0o644)
            await watching.events.wait(forPlaced: 2)
        }
        #expect(watching.events.refusals == ["source_unreadable"])
        #expect(watching.files("in/done") == ["LOAN-1/later.jpg"])
    }

    @Test("A name that is not UTF-8 stays where it is, told of once")
    func undecodableName() async throws {
        let watching = try Watching { $0.rescanInterval = .milliseconds(30) }
        let path = Array(watching.folder["in/"].utf8) + [0x66, 0xFF] + Array(".jpg".utf8) + [0]
        let descriptor = path.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                open($0.baseAddress.unsafelyUnwrapped, O_CREAT | O_WRONLY, 0o644)
            }
        }
        close(descriptor)
        try await watching.run { await watching.events.wait(forScans: 10) }
        #expect(watching.events.problems == ["1 name_unreadable"])
        #expect(watching.intake.calls == 0)
    }

    // MARK: Links

    @Test("Links are not followed and not touched, wherever they lead", arguments: WatchSettings.Mode.allCases)
    func links(mode: WatchSettings.Mode) async throws {
        let watching = try Watching {
            $0.mode = mode
            $0.rescanInterval = .milliseconds(50)
        }
        try watching.image("outside/LOAN-9/secret.jpg", 9)
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.folder.link("in/LOAN-1/file.jpg", to: "outside/LOAN-9/secret.jpg")
        try watching.folder.link("in/LOAN-1/inside.jpg", to: "in/LOAN-1/front.jpg")
        try watching.folder.link("in/LOAN-2", to: "outside/LOAN-9")
        try watching.folder.link("in/loop", to: "in")
        try watching.folder.link("in/dead.jpg", to: "nowhere")
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            try watching.folder.link("in/LOAN-1/later.jpg", to: "outside/LOAN-9/secret.jpg")
            try watching.folder.link("in/LOAN-3", to: "outside/LOAN-9")
            try watching.image("outside/LOAN-9/more.jpg", 10)
            await watching.events.wait(forScans: 10)
        }
        #expect(watching.intake.takes.map(\.businessNumber) == ["LOAN-1"])
        #expect(watching.files("outside") == ["LOAN-9/more.jpg", "LOAN-9/secret.jpg"])
        #expect(
            try ["LOAN-1/file.jpg", "LOAN-1/inside.jpg", "LOAN-1/later.jpg", "LOAN-2", "LOAN-3", "dead.jpg", "loop"]
                .allSatisfy { try FileKind.of(watching.folder["in/\($0)"], followingLinks: false) == .link }
        )
    }

    @Test("A root that is itself a link is followed: the operator named it")
    func linkedRoot() async throws {
        var watching = try Watching()
        try watching.folder.link("link", to: "in")
        watching.roots = [watching.folder["link"]]
        let running = watching
        try running.image("in/LOAN-1/front.jpg", 1)
        try await running.run { await running.events.wait(forPlaced: 1) }
        #expect(running.intake.takes.map(\.source) == [running.folder["link/LOAN-1/front.jpg"]])
    }

    // MARK: Pressure and the end

    @Test("While the pipeline has no room files stay where they are, and one line is logged for each change")
    func pressure() async throws {
        let watching = try Watching()
        watching.intake.set(.closed(ReasonCode(rawValue: "queue_full"), message: "full", retryAfter: .milliseconds(10)))
        for number in 0..<20 { try watching.image("in/LOAN-1/\(number).jpg", number) }
        let lines = LogLines()
        try await watching.run(logger: lines.logger) {
            await watching.events.wait { $0.contains { if case .pressure = $0 { true } else { false } } }
            #expect(watching.intake.calls == 0)
            #expect(watching.files("in/LOAN-1").count == 20)
            watching.intake.set(.open)
            await watching.events.wait(forPlaced: 20)
        }
        let changes = watching.events.all.compactMap { if case .pressure(let pressure) = $0 { pressure } else { nil } }
        #expect(changes.count == 2)
        #expect(changes.last == .open)
        #expect(lines.all.count { $0.contains("no files of watched folders are taken in for now") } == 1)
        #expect(lines.all.count { $0.contains("files of watched folders are taken in again") } == 1)
    }

    @Test("Graceful shutdown lets what is being taken in end and be put away, and begins nothing else")
    func shutdown() async throws {
        let began = Mutex(0)
        let gate = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let entered = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(10))
        let intake = FakeIntake(answer: { _, _ in
            began.withLock { $0 += 1 }
            entered.continuation.yield()
            for await _ in gate.stream {}
            return nil
        })
        let watching = try Watching(intake: intake)
        for number in 0..<10 { try watching.image("in/LOAN-1/\(number).jpg", number) }
        let group = ServiceGroup(
            services: [try watching.makeWatch()],
            logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var count = 0
            for await _ in entered.stream {
                count += 1
                if count == 2 { break }
            }
            await group.triggerGracefulShutdown()
            gate.continuation.finish()
            try await tasks.waitForAll()
        }
        #expect(began.withLock { $0 } == 2)
        #expect(watching.events.places == [.done, .done])
        #expect(watching.files("in/LOAN-1").count == 8)
        #expect(watching.files("in/done").count == 2)
    }

    @Test("More files than are kept in mind at a time are all taken in, a few at a time")
    func manyFiles() async throws {
        let watching = try Watching {
            $0.pendingFiles = 100
            $0.concurrency = 3
            $0.rescanInterval = .seconds(3600)
            $0.quietTime = .milliseconds(10)
        }
        for number in 0..<1000 { try watching.image("in/LOAN-\(number % 10)/\(number).jpg", number) }
        let before = try Self.openDescriptors()
        let most = Mutex(0)
        try await watching.run {
            await watching.events.wait { events in
                if events.count.isMultiple(of: 100), let open = try? Self.openDescriptors() {
                    most.withLock { $0 = max($0, open) }
                }
                return events.count { if case .placed = $0 { true } else { false } } == 1000
            }
        }
        #expect(watching.intake.cards == 1000)
        #expect(watching.intake.mostUnderway <= 3)
        #expect(watching.files("in/done").count == 1000)
        // Other tests run beside this one; a thousand descriptors would show all the same.
        #expect(most.withLock { $0 } < before + 500)
    }

    private static func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    // MARK: Privacy

    @Test("No log line names a file, a folder or a number")
    func privacy() async throws {
        let secret = "zhangsan-110105"
        let watching = try Watching { $0.rescanInterval = .milliseconds(50) }
        try watching.folder.write("in/\(secret)/done-marker.txt", text: "x")
        try watching.image("in/\(secret)/\(secret).jpg", 1)
        try watching.image("in/\(secret).jpg", 2)
        try watching.folder.write("in/\(secret)/broken.jpg.json", text: secret)
        try watching.image("in/\(secret)/broken.jpg", 3)
        let lines = LogLines()
        try await watching.run(logger: lines.logger) {
            await watching.events.wait(forPlaced: 3)
            #expect(rename(watching.folder["in"], watching.folder["away"]) == 0)
            await watching.events.wait { $0.contains { if case .problem = $0 { true } else { false } } }
        }
        #expect(lines.all.count > 5)
        #expect(lines.all.filter { $0.contains(secret) || $0.contains("/") || $0.contains(".jpg") } == [])
        for event in watching.events.all { #expect(!"\(event)".contains("/")) }
        let notes = watching.files("away/failed").filter { $0.hasSuffix(".failed.json") }
        #expect(notes.count == 2)
        for note in notes {
            let text = try String(contentsOfFile: watching.folder["away/failed/\(note)"], encoding: .utf8)
            #expect(!text.contains(secret))
        }
    }
}

/// Keeps log lines as text.
private final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { self.lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "watch") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    private func add(_ line: String) { self.lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            self.lines.add("\(event.message) \(event.metadata ?? [:])")
        }
    }
}
