import Foundation
import Glibc
import IDCardCore
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardTriggers

/// Files that are put away on another file system, or where renames replace, while newer ones come or the process is killed.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct OtherFileSystemTests {
    /// A folder on another file system than that of temporary files, for any user.
    private static let other: String? = {
        var (here, there) = (stat(), stat())
        guard stat(NSTemporaryDirectory(), &here) == 0, stat("/dev/shm", &there) == 0 else { return nil }
        return here.st_dev != there.st_dev && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil
    }()

    /// How a file system lets files be moved.
    enum Way: CaseIterable {
        case otherFileSystem, sameFileSystem, links, plainRenames

        var faults: FileMoveFaults {
            switch self {
            case .otherFileSystem, .sameFileSystem: FileMoveFaults()
            case .links: FileMoveFaults(onRename: SystemFailure(code: EINVAL))
            case .plainRenames:
                FileMoveFaults(onRename: SystemFailure(code: EINVAL), onLink: SystemFailure(code: EPERM))
            }
        }
    }

    private static let note = FailureNote(code: .businessNumberMissing, message: "none", time: "2026-01-01T00:00:00Z")

    /// A watch of a folder whose files go to another one.
    private final class Place {
        let watching: Watching
        let away: String

        init(_ way: Way) throws {
            let folder = try TemporaryFolder()
            let away =
                way == .otherFileSystem
                ? try #require(OtherFileSystemTests.other) + "/idcard-watch-\(UUID().uuidString)" : folder["away"]
            self.away = away
            self.watching = try Watching(folder) {
                $0.doneFolder = away + "/done"
                $0.failedFolder = away + "/failed"
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: self.away) }

        func taken(_ name: String) throws -> TakenFile {
            let path = self.watching.folder["in/\(name)"]
            let root = try WatchedRoot(index: 0, given: self.watching.folder["in"], settings: self.watching.settings)
            let shape = try #require(try FileShape.of(path: path))
            var file = TakenFile(root: root, folders: [], name: name, shape: shape)
            if let shape = try? FileShape.of(path: path + ".json") {
                file.companions = [TakenFile.Companion(suffix: ".json", shape: shape)]
            }
            return file
        }
    }

    /// Calls a function before a certain step.
    private static func faults(_ way: Way, before step: Int, _ action: @escaping @Sendable () -> Void) -> FileMoveFaults
    {
        let count = Mutex(0)
        var faults = way.faults
        faults.beforeStep = {
            let isDue = count.withLock { count in
                count += 1
                return count == step
            }
            if isDue { action() }
        }
        return faults
    }

    @Test(
        "A newer photo that takes the name at any moment is neither deleted nor put away unread",
        .enabled(if: other != nil),
        arguments: Way.allCases,
        [SourceDisposal.Ending.done, .failed(note), .deleted]
    )
    func newerPhoto(way: Way, ending: SourceDisposal.Ending) throws {
        // A name too long for another one is moved as it is, in one step less.
        for (name, leastSteps) in [("scan.jpg", 2), (String(repeating: "x", count: 240) + ".jpg", 1)] {
            var steps = 0
            while try self.comes(before: steps + 1, name, way, ending) { steps += 1 }
            #expect(steps >= leastSteps, "\(name.count) bytes")
        }
    }

    /// Has a newer photo take the name of one that is put away, before a certain step.
    ///
    /// - Returns: whether there is such a step.
    private func comes(
        before step: Int,
        _ name: String,
        _ way: Way,
        _ ending: SourceDisposal.Ending
    ) throws -> Bool {
        let place = try Place(way)
        try place.watching.image("in/\(name)", 1)
        let file = try place.taken(name)
        try place.watching.image("in/.new", 2, size: 90)
        let newer = try Data(contentsOf: URL(fileURLWithPath: place.watching.folder["in/.new"]))
        let folder = place.watching.folder
        let came = Mutex(false)
        let faults = Self.faults(way, before: step) {
            came.withLock { $0 = rename(folder["in/.new"], folder["in/\(name)"]) == 0 }
        }
        // Whatever became of the older one, which its sender may have replaced.
        _ = try? SourceDisposal(file: file, faults: faults).put(as: ending)
        guard came.withLock({ $0 }) else { return false }
        let found = try? Data(contentsOf: URL(fileURLWithPath: folder["in/\(name)"]))
        #expect(found == newer, "step \(step), \(name.count) bytes")
        return true
    }

    @Test("A file that bears the name of an unfinished copy is nobody's to overwrite", .enabled(if: other != nil))
    func strangePart() throws {
        let place = try Place(.otherFileSystem)
        try place.watching.image("in/scan.jpg", 1)
        let file = try place.taken("scan.jpg")
        let names = [".idcard-\(file.shape.device)-\(file.shape.inode).part", ".scan.jpg.failed.json.part"]
        for (folder, name) in zip(["done", "failed"], names) {
            try FileManager.default.createDirectory(
                atPath: "\(place.away)/\(folder)",
                withIntermediateDirectories: true
            )
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(place.away)/\(folder)/\(name)"))
        }
        #expect(try SourceDisposal(file: file).put(as: .done) == .done)
        try place.watching.image("in/scan.jpg", 2)
        #expect(try SourceDisposal(file: place.taken("scan.jpg")).put(as: .failed(Self.note)) == .failed)
        for (folder, name) in zip(["done", "failed"], names) {
            let data = try? Data(contentsOf: URL(fileURLWithPath: "\(place.away)/\(folder)/\(name)"))
            #expect(data == Data("mine".utf8))
        }
    }

    // MARK: Kills

    /// Copies folders; a file that has names in several of them is one file in the copies, too.
    private static func copy(_ folders: [String], into target: String) throws {
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["cp", "-a"] + folders + [target]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EIO) }
    }

    @Test(
        "Whenever the process is killed, the photo is taken in once, and lies in its place once",
        .enabled(if: other != nil),
        arguments: [Way.otherFileSystem, .links],
        [true, false]
    )
    func kills(way: Way, isFollowed: Bool) async throws {
        let place = try Place(way)
        let folder = place.watching.folder
        try FileManager.default.createDirectory(atPath: place.away, withIntermediateDirectories: true)
        try place.watching.image("in/scan.jpg", 1, size: 300_000)
        try folder.write("in/scan.jpg.json", text: #"{"business_no": "PERSON-1"}"#)
        let file = try place.taken("scan.jpg")
        let away = place.away
        let count = Mutex(0)
        let look: @Sendable () -> Void = {
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            // As a kill leaves it; what fails here shows in the steps.
            if way == .otherFileSystem {
                try? Self.copy([folder["in"]], into: folder["step-\(number)"])
                try? Self.copy([away], into: away + "-\(number)")
            } else {
                try? Self.copy([folder["in"], away], into: folder["step-\(number)"])
            }
        }
        var faults = way.faults
        faults.beforeStep = look
        #expect(try SourceDisposal(file: file, faults: faults).put(as: .done) == .done)
        look()
        let steps = count.withLock { $0 }
        #expect(steps > 5)
        defer { for step in 0..<steps { try? FileManager.default.removeItem(atPath: away + "-\(step)") } }
        for step in 0..<steps {
            let root = folder["step-\(step)/in"]
            let above = way == .otherFileSystem ? away + "-\(step)" : folder["step-\(step)"]
            let away = "\(above)/\(URL(fileURLWithPath: away).lastPathComponent)"
            var second = try Watching(folder) {
                $0.doneFolder = away + "/done"
                $0.failedFolder = away + "/failed"
                $0.rescanInterval = .milliseconds(50)
            }
            second.roots = [root]
            // A photo of another person, without a sidecar.
            let isFollowed = isFollowed && access(root + "/scan.jpg", F_OK) != 0
            if isFollowed { try second.image("step-\(step)/in/scan.jpg", 2, size: 90) }
            let running = second
            try await second.run {
                await running.events.wait { _ in running.files("step-\(step)/in") == [] }
                await running.events.wait(forScans: 2)
            }
            #expect(running.intake.takes.allSatisfy { $0.businessNumber == "PERSON-1" && $0.bytes == 300_000 })
            #expect(running.intake.cards <= 1)
            #expect(running.events.refusals == (isFollowed ? ["business_no_missing"] : []), "step \(step)")
            let files = Self.files(away)
            let refused = isFollowed ? ["failed/scan.jpg", "failed/scan.jpg.failed.json"] : []
            #expect(files == ["done/scan.jpg", "done/scan.jpg.json"] + refused, "step \(step)")
        }
    }

    private static func files(_ folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { (try? FileShape.of(path: folder + "/" + $0)) != nil }.sorted()
    }

    // MARK: Numbers

    @Test("A free number is found by few questions, however many are taken", arguments: [1, 2, 3, 10, 3000, 1_000_000])
    func questions(taken: Int) {
        var search = FreeNumberSearch(above: 1)
        var questions = 0
        while let candidate = search.candidate {
            questions += 1
            search.note(candidate, isTaken: candidate <= taken)
        }
        #expect(search.found == max(2, taken + 1))
        #expect(Double(questions) <= 2 * log2(Double(taken)) + 2)
    }

    @Test("Between gaps, too, a number is found that is free")
    func gaps() {
        for taken in [Set([1, 2, 4, 8, 16]), Set(1...9).subtracting([5]), Set([1, 3])] {
            var search = FreeNumberSearch(above: 1)
            while let candidate = search.candidate { search.note(candidate, isTaken: taken.contains(candidate)) }
            #expect(!taken.contains(search.found))
        }
    }

    @Test("Photos of one name go on being numbered where the last one was, also after a start")
    func manyOfOneName() throws {
        let place = try Place(.sameFileSystem)
        let names = (1...3000).map { $0 == 1 ? "away/done/scan.jpg" : "away/done/scan-\($0).jpg" }
        for name in names { try place.watching.folder.write(name, text: "") }
        for number in 3001...3003 {
            try place.watching.image("in/scan.jpg", number)
            let steps = Mutex(0)
            let faults = FileMoveFaults(beforeStep: { steps.withLock { $0 += 1 } })
            #expect(try SourceDisposal(file: place.taken("scan.jpg"), faults: faults).put(as: .done) == .done)
            #expect(access(place.away + "/done/scan-\(number).jpg", F_OK) == 0)
            #expect(steps.withLock { $0 } < 10)
        }
    }
}
