import Foundation
import Glibc
import IDCardCore
import Testing

@testable import IDCardTriggers

/// How source files are put away, on real file systems.
@Suite struct DisposalTests {
    private let watching: Watching

    init() throws {
        self.watching = try Watching()
    }

    private func taken(_ path: String, companions: [String] = [], done: String = "done") throws -> TakenFile {
        var settings = Watching.settings
        settings.doneFolder = done
        let root = try WatchedRoot(index: 0, given: self.watching.folder["in"], settings: settings)
        let (folders, name) = root.components(of: self.watching.folder["in/\(path)"])
        let shape = try #require(try FileShape.of(path: self.watching.folder["in/\(path)"]))
        var file = TakenFile(root: root, folders: folders, name: name, shape: shape)
        file.companions = try companions.map { suffix in
            let shape = try #require(try FileShape.of(path: self.watching.folder["in/\(path)\(suffix)"]))
            return TakenFile.Companion(suffix: suffix, shape: shape)
        }
        return file
    }

    private static let note = FailureNote(
        code: .businessNumberMissing,
        message: "no number",
        time: "2026-01-01T00:00:00Z"
    )

    @Test("A file is moved below its folder, with what goes with it")
    func moved() throws {
        try self.watching.image("in/LOAN-1/a/front.jpg", 1)
        try self.watching.folder.write("in/LOAN-1/a/front.jpg.json", text: "{}")
        let file = try self.taken("LOAN-1/a/front.jpg", companions: [".json"])
        #expect(try SourceDisposal(file: file).put(as: .done) == .done)
        #expect(self.watching.files() == ["done/LOAN-1/a/front.jpg", "done/LOAN-1/a/front.jpg.json"])
        #expect(try FileShape.of(path: self.watching.folder["in/done/LOAN-1/a/front.jpg"]) == file.shape)
    }

    @Test("No file is ever replaced: the next free number is taken")
    func numbered() throws {
        for number in 1...3 {
            try self.watching.image("in/L/front.jpg", number)
            try self.watching.folder.write("in/L/front.jpg.json", text: "{}")
            let file = try self.taken("L/front.jpg", companions: [".json"])
            #expect(try SourceDisposal(file: file).put(as: .done) == .done)
        }
        #expect(
            self.watching.files("in/done/L") == [
                "front-2.jpg", "front-2.jpg.json", "front-3.jpg", "front-3.jpg.json", "front.jpg", "front.jpg.json",
            ]
        )
        let third = try Data(contentsOf: URL(fileURLWithPath: self.watching.folder["in/done/L/front-3.jpg"]))
        #expect(third.contains(UInt8(ascii: "3")))
    }

    @Test(
        "A file that is not the one that was taken is left alone, whatever was to become of it",
        arguments: [SourceDisposal.Ending.done, .deleted, .failed(note)]
    )
    func replaced(ending: SourceDisposal.Ending) throws {
        try self.watching.image("in/L/front.jpg", 1)
        let file = try self.taken("L/front.jpg")
        try self.watching.image("in/L/.new", 2, size: 90)
        #expect(rename(self.watching.folder["in/L/.new"], self.watching.folder["in/L/front.jpg"]) == 0)
        #expect(try SourceDisposal(file: file).put(as: ending) == .gone)
        #expect(self.watching.files() == ["L/front.jpg"])
    }

    @Test("A file that has vanished is gone, and nothing is made for it")
    func vanished() throws {
        try self.watching.image("in/L/front.jpg", 1)
        let file = try self.taken("L/front.jpg")
        try FileManager.default.removeItem(atPath: self.watching.folder["in/L"])
        for ending in [SourceDisposal.Ending.done, .deleted, .failed(Self.note)] {
            #expect(try SourceDisposal(file: file).put(as: ending) == .gone)
        }
        #expect(self.watching.files() == [])
    }

    @Test("A file that takes another's place in the very moment of the rename is put back")
    func replacedDuringRename() throws {
        try self.watching.image("in/L/front.jpg", 1)
        let file = try self.taken("L/front.jpg")
        let stop = StopFlag()
        let folder = self.watching.folder
        // Somebody replaces the file all the time; whatever is moved away must be the one that was taken.
        let writer = Thread {
            var number = 2
            while !stop.isSet {
                let bytes = ImageRules.jpegStart + Array("\(number)".utf8)
                _ = try? folder.write("in/L/.new", bytes: bytes)
                rename(folder["in/L/.new"], folder["in/L/front.jpg"])
                number += 1
            }
            stop.ended.signal()
        }
        writer.start()
        var done: Set<FileShape> = []
        for _ in 0..<1000 {
            guard let shape = try? FileShape.of(path: folder["in/L/front.jpg"]) else { continue }
            var current = file
            current.shape = shape
            switch try SourceDisposal(file: current).put(as: .done) {
            case .done: done.insert(shape)
            case let place: #expect(place == .gone)
            }
        }
        stop.set()
        stop.ended.wait()
        let moved = try self.watching.files("in/done/L").map { try FileShape.of(path: folder["in/done/L/\($0)"]) }
        #expect(Set(moved) == Set(done.map(Optional.some)))
        #expect(!done.isEmpty)
    }

    @Test("A file is deleted with what goes with it, and with after: delete nothing else is made")
    func deleted() throws {
        try self.watching.image("in/L/front.jpg", 1)
        try self.watching.folder.write("in/L/front.jpg.json", text: "{}")
        try self.watching.folder.write("in/L/other.jpg.json", text: "{}")
        let file = try self.taken("L/front.jpg", companions: [".json"])
        #expect(try SourceDisposal(file: file).put(as: .deleted) == .deleted)
        #expect(self.watching.files() == ["L/other.jpg.json"])
    }

    @Test("A file whose deletion was interrupted gets its name back")
    func interruptedDeletion() throws {
        try self.watching.image("in/L/.front.jpg.idcard-taken", 1)
        try self.watching.image("in/L/.back.jpg.idcard-taken", 2)
        try self.watching.image("in/L/back.jpg", 3)
        let folder = try FolderDescriptor(path: self.watching.folder["in/L"])
        #expect(SourceDisposal.recover(".front.jpg.idcard-taken", in: folder) == "front.jpg")
        #expect(SourceDisposal.recover(".back.jpg.idcard-taken", in: folder) == "back-2.jpg")
        #expect(SourceDisposal.recover("back.jpg", in: folder) == nil)
        #expect(self.watching.files() == ["L/back-2.jpg", "L/back.jpg", "L/front.jpg"])
    }

    @Test("A refused file has a note that says why, and keeps its sidecar under its name")
    func failed() throws {
        try self.watching.image("in/a/front.jpg", 1)
        try self.watching.folder.write("in/a/front.jpg.json", text: "{}")
        let file = try self.taken("a/front.jpg", companions: [".json"])
        #expect(try SourceDisposal(file: file).put(as: .failed(Self.note)) == .failed)
        #expect(
            self.watching.files() == [
                "failed/a/front.jpg", "failed/a/front.jpg.failed.json", "failed/a/front.jpg.json",
            ]
        )
        let note = try self.watching.note("in/failed/a/front.jpg.failed.json")
        #expect(note == ["code": "business_no_missing", "message": "no number", "time": "2026-01-01T00:00:00Z"])
    }

    @Test("A note that an interrupted move left is written anew; a refused file of the same name keeps its own")
    func failedAgain() throws {
        try self.watching.folder.write("in/failed/front.jpg.failed.json", text: "old")
        for number in 1...2 {
            try self.watching.image("in/front.jpg", number)
            #expect(try SourceDisposal(file: self.taken("front.jpg")).put(as: .failed(Self.note)) == .failed)
        }
        #expect(
            self.watching.files("in/failed") == [
                "front-2.jpg", "front-2.jpg.failed.json", "front.jpg", "front.jpg.failed.json",
            ]
        )
        #expect(try self.watching.note("in/failed/front.jpg.failed.json")["code"] == "business_no_missing")
    }

    @Test(
        "Names as long as they can be are cut to make room for what is put to them",
        arguments: ["x", "照", "e\u{301}"]
    )
    func longNames(letter: String) throws {
        let stem = String(repeating: letter, count: (255 - 4) / letter.utf8.count)
        for _ in 1...2 {
            for ending in [SourceDisposal.Ending.done, .failed(Self.note), .deleted] {
                try self.watching.image("in/L/\(stem).jpg", 1)
                let file = try self.taken("L/\(stem).jpg")
                #expect(try SourceDisposal(file: file).put(as: ending) != .gone)
            }
        }
        #expect(self.watching.files("in/L") == [])
        #expect(self.watching.files("in/done/L").count == 2)
        #expect(self.watching.files("in/failed/L").count == 4)
        #expect(self.watching.files("in").allSatisfy { $0.hasSuffix(".jpg") || $0.hasSuffix(".failed.json") })
    }

    @Test("A link in the place of a folder is not entered, neither on the way in nor on the way out")
    func linkedFolders() throws {
        try self.watching.image("in/L/front.jpg", 1)
        let file = try self.taken("L/front.jpg")
        try self.watching.folder.makeFolder("outside")
        try self.watching.folder.makeFolder("in/done")
        try self.watching.folder.link("in/done/L", to: "outside")
        #expect(throws: SystemFailure.self) { try SourceDisposal(file: file).put(as: .done) }
        #expect(self.watching.files("outside") == [])
        #expect(self.watching.files("in/L") == ["front.jpg"])
    }

    // MARK: To another file system

    /// A folder on another file system, if the machine has one.
    private static let otherFileSystem: String? = {
        var (here, there) = (stat(), stat())
        guard stat(NSTemporaryDirectory(), &here) == 0, stat("/dev/shm", &there) == 0 else { return nil }
        return here.st_dev != there.st_dev && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil
    }()

    @Test("To another file system a file is copied, synced and only then deleted", .enabled(if: otherFileSystem != nil))
    func acrossFileSystems() throws {
        let other = try #require(Self.otherFileSystem) + "/idcard-watch-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: other) }
        try self.watching.image("in/L/front.jpg", 1, size: 700_000)
        try self.watching.folder.write("in/L/front.jpg.json", text: "{}")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: self.watching.folder["in/L/front.jpg"]))
        let file = try self.taken("L/front.jpg", companions: [".json"], done: other)
        #expect(try SourceDisposal(file: file).put(as: .done) == .done)
        #expect(self.watching.files() == [])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: other + "/L").sorted() == [
                "front.jpg", "front.jpg.json",
            ]
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: other + "/L/front.jpg")) == bytes)
        let copy = try #require(try FileShape.of(path: other + "/L/front.jpg"))
        #expect(copy.modified == file.shape.modified)
    }

    @Test(
        "A copy that was made before the process was killed is not made twice",
        .enabled(if: otherFileSystem != nil),
        arguments: [true, false]
    )
    func interruptedCopy(isSame: Bool) throws {
        let other = try #require(Self.otherFileSystem) + "/idcard-watch-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: other) }
        try self.watching.image("in/L/front.jpg", 1, size: 700_000)
        let file = try self.taken("L/front.jpg", done: other)
        try FileManager.default.createDirectory(atPath: other + "/L", withIntermediateDirectories: true)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: self.watching.folder["in/L/front.jpg"]))
        if !isSame { bytes[699_999] ^= 1 }
        try bytes.write(to: URL(fileURLWithPath: other + "/L/front.jpg"))
        #expect(try SourceDisposal(file: file).put(as: .done) == .done)
        let names = try FileManager.default.contentsOfDirectory(atPath: other + "/L").sorted()
        #expect(names == (isSame ? ["front.jpg"] : ["front-2.jpg", "front.jpg"]))
        #expect(self.watching.files() == [])
    }
}

/// Ends a thread of a test.
private final class StopFlag: Sendable {
    let ended = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    // Guarded by the lock.
    nonisolated(unsafe) private var value = false

    var isSet: Bool { self.lock.withLock { self.value } }
    func set() { self.lock.withLock { self.value = true } }
}
