import CardModel
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import CardInput

/// Which sandbox a watched folder belongs to.
@Suite(.timeLimit(.minutes(5))) struct WatchMarkTests {
    private static let other = "sandbox-2"

    @Test func `a folder of another sandbox is told of and not entered, until its mark is removed`() async throws {
        let watching = try Watching(photos: ["in/LOAN-1/a.jpg"])
        try watching.folder.write("in/" + WatchMark.name, text: Self.other + "\n")
        try await watching.run { watch in
            await watching.reports.waitForProblem()
            await watching.pass(WatchLimits.missingFolderInterval, watch)
            #expect(watching.pipeline.calls == 0)
            #expect(unlink(watching.folder["in/" + WatchMark.name]) == 0)
            await watching.pass(WatchLimits.missingFolderInterval, watch)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.reports.problems == ["watch_folder_claimed", "mended watch_folder_claimed"])
        #expect(watching.files() == ["done/LOAN-1/a.jpg"])
        let text = try String(contentsOfFile: watching.folder["in/" + WatchMark.name], encoding: .utf8)
        #expect(text == watching.sandbox + "\n")
    }

    @Test func `a folder that comes back as that of another sandbox is left to that one`() async throws {
        let watching = try Watching()
        try watching.photo("new/LOAN-1/b.jpg", 2)
        try watching.folder.write("new/" + WatchMark.name, text: Self.other)
        try await watching.run(afterScans: 1) { watch in
            #expect(rename(watching.folder["in"], watching.folder["old"]) == 0)
            #expect(rename(watching.folder["new"], watching.folder["in"]) == 0)
            await watching.reports.waitForProblem()
        }
        #expect(watching.reports.problems == ["watch_folder_claimed"])
        #expect(watching.pipeline.calls == 0)
    }

    @Test func `of two sandboxes that start at once, with several processes each, one gets the folder`() async throws {
        for _ in 1...20 {
            let folder = TemporaryFolder()
            let root = FilePath(folder.path)
            let ids = (0..<8).map { "sandbox-\($0 % 2)" }
            let owners = await withTaskGroup(of: String?.self) { group in
                for id in ids {
                    group.addTask {
                        do { return try WatchMark(sandbox: id).claim(root, given: "in") == nil ? id : nil } catch {
                            return nil
                        }
                    }
                }
                return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            #expect(owners.count == 4 && Set(owners).count == 1)
            #expect(try OpenFolder(root).names().map(\.text) == [WatchMark.name])
        }
    }

    @Test func `a folder above or below one that another sandbox watches is not watched by this one`() async throws {
        let watching = try Watching(photos: ["in/LOAN-1/a.jpg", "in/LOAN-2/b.jpg"])
        try watching.folder.write("in/LOAN-1/" + WatchMark.name, text: Self.other)
        try await watching.run(afterPlaced: 1) { _ in
            try watching.photo("in/LOAN-1/c.jpg", 3)
            try await watching.catchUp()
        }
        #expect(watching.pipeline.names == ["LOAN-2 b.jpg", "LOAN-9 mark.jpg"])
        #expect(watching.reports.problems == ["watch_folder_unreadable"])
        let mark = WatchMark(sandbox: Self.other)
        let error = #expect(throws: CodedError.self) {
            _ = try mark.claim(FilePath(watching.folder["in/LOAN-2"]), given: "in/LOAN-2")
        }
        #expect(error?.code == .watchFolderClaimed)
        #expect(error?.message.text().contains("rm " + watching.folder["in/" + WatchMark.name]) == true)
    }

    /// What may stand in the place of a mark.
    enum Stranger: CaseIterable { case empty, long, folder, link, pipe }

    @Test(arguments: Stranger.allCases)
    func `what stands in the place of a mark and names no sandbox is not replaced`(stranger: Stranger) throws {
        let folder = TemporaryFolder()
        let path = folder[WatchMark.name]
        try folder.write("own", text: "sandbox-1\n")
        switch stranger {
        case .empty: try folder.write(WatchMark.name, text: "")
        case .long: try folder.write(WatchMark.name, text: "sandbox-1" + String(repeating: "x", count: 1_000_000))
        case .folder: try folder.makeFolder(WatchMark.name)
        case .link: try folder.link(WatchMark.name, to: "own")
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        }
        let error = #expect(throws: CodedError.self) {
            _ = try WatchMark(sandbox: "sandbox-1").claim(FilePath(folder.path), given: folder.path)
        }
        #expect(error?.code == .watchFolderClaimed && error?.kind == .configuration)
    }

    @Test func `what a process left that was killed while it made its mark is removed`() throws {
        let folder = TemporaryFolder()
        try folder.write(WatchMark.name + ".7.part", text: "sandb")
        #expect(try WatchMark(sandbox: "sandbox-1").claim(FilePath(folder.path), given: folder.path) == nil)
        #expect(try OpenFolder(FilePath(folder.path)).names().map(\.text) == [WatchMark.name])
    }
}
