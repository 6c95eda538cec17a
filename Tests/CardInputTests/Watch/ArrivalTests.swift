import CardModel
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import CardInput

/// How files come, and when they are complete.
@Suite(.timeLimit(.minutes(5))) struct ArrivalTests {
    @Test(arguments: WatchOptions.Mode.allCases)
    func `Files that are there at the start are taken in, and moved below done`(mode: WatchOptions.Mode) async throws {
        let watching = try Watching { $0.mode = mode }
        try watching.photo("in/LOAN-1/front.jpg", 1)
        try watching.photo("in/LOAN-2/scan", 2)
        try watching.folder.write("in/LOAN-1/notes.txt", text: "no image")
        try await watching.run(untilPlaced: 2)
        #expect(watching.files() == ["LOAN-1/notes.txt", "done/LOAN-1/front.jpg", "done/LOAN-2/scan"])
        #expect(watching.pipeline.names.sorted() == ["LOAN-1 front.jpg", "LOAN-2 scan"])
        // A run over the same folder passes over what was put away.
        #expect(try Listing(watching.folder, paths: [watching.folder["in"]]).lines == ["ignore in/LOAN-1/notes.txt"])
    }

    @Test func `A file that is closed, moved in or renamed to its final name is taken at once`() async throws {
        let watching = try Watching { $0.quietTime = .seconds(60) }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run(afterScans: 1) { _ in
            try watching.photo("in/LOAN-1/written.jpg", 1)
            try watching.photo("moved.jpg", 2)
            #expect(rename(watching.folder["moved.jpg"], watching.folder["in/LOAN-1/moved.jpg"]) == 0)
            try watching.photo("in/LOAN-1/upload.jpg.part", 3)
            #expect(rename(watching.folder["in/LOAN-1/upload.jpg.part"], watching.folder["in/LOAN-1/upload.jpg"]) == 0)
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.files("in/done/LOAN-1") == ["moved.jpg", "upload.jpg", "written.jpg"])
    }

    @Test func `A file that is still open is not taken, however long its writer waits`() async throws {
        let watching = try Watching { $0.quietTime = .seconds(5) }
        try watching.folder.makeFolder("in/LOAN-1")
        try watching.folder.makeFolder("in/LOAN-9")
        try await watching.run(afterScans: 1) { watch in
            let descriptor = open(watching.folder["in/LOAN-1/slow.jpg"], O_WRONLY | O_CREAT, 0o644)
            #expect(write(descriptor, Listing.jpegStart, 4) == 4)
            try await watching.catchUp("first")
            await watching.pass(.seconds(60), watch)
            try await watching.catchUp("second")
            #expect(watching.pipeline.names == ["LOAN-9 first.jpg", "LOAN-9 second.jpg"])
            close(descriptor)
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.pipeline.names.last == "LOAN-1 slow.jpg")
    }

    @Test func `Where nobody tells of its end, a file is complete when it has stood still`() async throws {
        let watching = try Watching {
            $0.quietTime = .seconds(5)
            $0.mode = .polling
        }
        try watching.photo("in/LOAN-1/a.jpg", 1)
        try await watching.run { watch in
            await watching.pass(.seconds(4), watch)
            #expect(watching.pipeline.calls == 0)
            try watching.photo("in/LOAN-1/a.jpg", 22)
            await watching.pass(.seconds(4), watch)
            #expect(watching.pipeline.calls == 0)
            await watching.pass(.seconds(5), watch)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.files() == ["done/LOAN-1/a.jpg"])
    }

    @Test func `A folder that is moved in is taken with all it holds, and one that is moved, too`() async throws {
        let watching = try Watching { $0.inputs.businessNumberRule = .level(1) }
        try watching.photo("new/LOAN-1/deep/a.jpg", 1)
        try watching.folder.makeFolder("in/empty")
        try await watching.run(afterScans: 1) { _ in
            #expect(rename(watching.folder["new/LOAN-1"], watching.folder["in/LOAN-1"]) == 0)
            await watching.reports.wait(forPlaced: 1)
            #expect(rename(watching.folder["in/empty"], watching.folder["in/LOAN-2"]) == 0)
            try watching.photo("in/LOAN-2/b.jpg", 2)
            await watching.reports.wait(forPlaced: 2)
            // Its old name is that of another folder now.
            try watching.photo("in/empty/c.jpg", 3)
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.files() == ["done/LOAN-1/deep/a.jpg", "done/LOAN-2/b.jpg", "done/empty/c.jpg"])
    }

    @Test(arguments: WatchOptions.Mode.allCases)
    func `Many writers at once, each in its own way: every file once`(mode: WatchOptions.Mode) async throws {
        let watching = try Watching { $0.mode = mode }
        let isPolled = mode == .polling
        try await watching.run(afterScans: 1) { watch in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        for count in 0..<10 {
                            let (path, number) = ("in/LOAN-\(writer)/\(count).jpg", 100 * writer + count)
                            if writer.isMultiple(of: 2) {
                                try watching.photo(path, number)
                            } else {
                                try watching.photo("new/\(number).jpg", number)
                                try watching.folder.makeFolder("in/LOAN-\(writer)")
                                guard rename(watching.folder["new/\(number).jpg"], watching.folder[path]) == 0 else {
                                    throw POSIXError(.EIO)
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            if isPolled { await watching.pass(WatchLimits.poll, watch) }
            await watching.reports.wait(forPlaced: 80)
        }
        #expect(watching.pipeline.cards == 80)
        #expect(watching.files("in/done").count == 80)
    }

    @Test func `Thousands of files in one folder are taken by bounded work`() async throws {
        let watching = try Watching { $0.after = .leave }
        for number in 0..<1500 { try watching.photo("in/LOAN-\(number % 40)/\(number).jpg", number) }
        try await watching.run(afterPlaced: 1500) { watch in
            await watching.scan(watch)
        }
        #expect(watching.pipeline.calls == 1500)
        #expect(watching.pipeline.mostUnderway <= WatchLimits.handedOverAtOnce)
    }

    @Test func `Changes that were lost are found by a scan`() async throws {
        let folder = TemporaryFolder()
        let notifier = try FolderNotifier(limit: 3) {}
        defer { notifier.stop() }
        let root = WatchedFolder(root: 0, path: FilePath(folder.path), folderPath: FolderPath())
        try notifier.watch(root)
        var (changes, round): ([FolderChange], Int) = ([], 0)
        // However little is read at a time: nothing is taken between the files of a round.
        while !changes.contains(.overflow) {
            try Task.checkCancellation()
            for number in 0..<20 { try folder.write("\(round)-\(number).jpg") }
            round += 1
            changes = notifier.drainChanges()
            await Task.yield()
        }
        #expect(changes.count <= 4)
    }

    @Test func `A cut event ends the list, and a name that is not UTF-8 has the folder looked through`() throws {
        let head = MemoryLayout<inotify_event>.size
        var bytes = [UInt8](repeating: 0, count: head + 16)
        bytes.withUnsafeMutableBytes { buffer in
            var event = inotify_event()
            (event.wd, event.mask, event.len) = (7, UInt32(IN_CLOSE_WRITE), 16)
            buffer.storeBytes(of: event, as: inotify_event.self)
        }
        bytes[head] = UInt8(ascii: "a")
        let folder = WatchedFolder(root: 0, path: "/in", folderPath: FolderPath())
        let events = (bytes + bytes.dropLast()).withUnsafeBytes { InotifyEvent.events(in: $0) }
        #expect(events.map { $0.change(in: folder) } == [.file("a", folder, .closed)])
        bytes[head] = 0xFF
        #expect(
            bytes.withUnsafeBytes { InotifyEvent.events(in: $0) }.map { $0.change(in: folder) } == [.folder(folder)]
        )
    }
}
