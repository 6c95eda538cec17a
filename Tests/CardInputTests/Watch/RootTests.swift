import CardModel
import Foundation
import Glibc
import Testing

@testable import CardInput

/// The watched folders themselves, and what in them is never an input.
@Suite(.timeLimit(.minutes(5))) struct RootTests {
    private static func codes(_ folder: TemporaryFolder, _ folders: [String], after: WatchOptions.After = .move)
        -> [String]
    {
        var options = WatchOptions(folders: folders.map { folder[$0] }, inputs: Listing.options())
        options.inputs.sandbox = folder["box"]
        options.after = after
        return options.problems().map(\.code.rawValue)
    }

    @Test(arguments: [
        (["in", "other"] as [String], [] as [String]),
        ([], ["watch_folder_missing"]), (["none"], ["watch_folder_missing"]),
        (["in/a.jpg"], ["watch_folder_missing"]), (["in", "in/LOAN-1"], ["watch_folders_overlap"]),
        (["in", "link"], ["watch_folders_overlap"]), (["box"], ["watch_folders_overlap"]),
        (["box/inner", "none"], ["watch_folders_overlap", "watch_folder_missing"]),
        (["put"], ["watch_folders_overlap"]),
    ])
    func `What cannot be watched is said before anything begins`(folders: [String], codes: [String]) throws {
        let folder = TemporaryFolder()
        try folder.write("in/a.jpg", "in/LOAN-1/b.jpg", "other/c.jpg", "box/inner/d.jpg")
        try folder.makeFolder("put/" + IgnoredNames.archiveMark)
        try folder.link("link", to: "in")
        #expect(Self.codes(folder, folders) == codes)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `A folder that cannot be written may be watched if its files stay`() throws {
        let folder = TemporaryFolder()
        try folder.makeFolder("in")
        #expect(chmod(folder["in"], 0o555) == 0)
        #expect(Self.codes(folder, ["in"]) == ["watch_folder_read_only"])
        #expect(Self.codes(folder, ["in"], after: .leave) == [])
    }

    @Test func `Names that are never inputs, ignored ones, links and the sandbox stay as they are`() async throws {
        let folder = TemporaryFolder()
        let stay = [
            "#recycle/a.jpg", "@eaDir/b.jpg", "LOAN-1/front.jpg.bak", "LOAN-1/.c.jpg", "LOAN-1/.c", "LOAN-1/d.jpg.part",
            "LOAN-1/raw-e.jpg", "box/LOAN-2/f.jpg", "failed/LOAN-1/g.jpg", "LOAN-1/link.jpg", "linked",
        ]
        for path in stay.dropLast(2) { try folder.write("in/" + path, bytes: Listing.jpegStart + Array(path.utf8)) }
        try folder.write("strangers/h.jpg")
        try folder.link("in/LOAN-1/link.jpg", to: "strangers/h.jpg")
        try folder.link("in/linked", to: "strangers")
        let watching = try Watching(folder) {
            $0.ignore = ["raw-*"]
            $0.inputs.sandbox = folder["in/box"]
        }
        try watching.photo("in/LOAN-1/front.jpg", 1)
        try await watching.run(afterScans: 1) { _ in
            try folder.write("in/LOAN-1/raw-2.jpg", "in/#recycle/i.jpg")
            try await watching.catchUp()
        }
        #expect(watching.pipeline.names == ["LOAN-1 front.jpg", "LOAN-9 mark.jpg"])
        #expect(Set(stay).subtracting(watching.files()) == [])
        let skipped = watching.reports.all.compactMap { event -> [String: Int]? in
            if case .scanned(_, _, let skipped) = event { skipped } else { nil }
        }
        #expect(skipped.first == ["#recycle": 1, "@eadir": 1, "*.bak": 1, ".*": 2, "*.part": 1])
    }

    @Test(arguments: WatchOptions.Mode.allCases)
    func `A watched folder that comes back is watched again, and told once`(mode: WatchOptions.Mode) async throws {
        let watching = try Watching { $0.mode = mode }
        try watching.photo("in/LOAN-1/a.jpg", 1)
        try await watching.run(afterPlaced: 1) { watch in
            #expect(rename(watching.folder["in"], watching.folder["away"]) == 0)
            for _ in 1...3 { await watching.pass(WatchLimits.missingFolderInterval, watch) }
            #expect(watching.reports.problems == ["watch_folder_missing"])
            try watching.photo("away/LOAN-1/b.jpg", 2)
            #expect(rename(watching.folder["away"], watching.folder["in"]) == 0)
            await watching.pass(WatchLimits.missingFolderInterval, watch)
            await watching.reports.wait(forPlaced: 2)
            try watching.photo("in/LOAN-1/c.jpg", 3)
            if watching.options.mode == .polling { await watching.pass(WatchLimits.poll, watch) }
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.reports.problems == ["watch_folder_missing", "mended watch_folder_missing"])
        #expect(watching.files() == ["done/LOAN-1/a.jpg", "done/LOAN-1/b.jpg", "done/LOAN-1/c.jpg"])
    }

    @Test func `A folder that stands empty is still watched, and one that was emptied goes after a day`() async throws {
        let watching = try Watching()
        let (hour, start) = (3600, 1_700_000_000)
        try watching.photo("in/LOAN-1/a.jpg", 1)
        try watching.photo("in/LOAN-2/b.jpg", 2)
        try watching.folder.makeFolder("in/others")
        try await watching.run(afterPlaced: 2) { watch in
            for name in ["in/LOAN-1", "in/LOAN-2", "in/others", "in/LOAN-9"] {
                try watching.folder.setTime(name, start - 23 * hour)
            }
            await watching.scan(watch)
            // Without another scan.
            try watching.photo("in/LOAN-2/c.jpg", 3)
            await watching.reports.wait(forPlaced: 3)
            for name in ["in/LOAN-1", "in/LOAN-2", "in/others"] { try watching.folder.setTime(name, start - 25 * hour) }
            try watching.photo("in/LOAN-2/d.txt", 4)
            try watching.folder.setTime("in/LOAN-2", start - 25 * hour)
            await watching.scan(watch)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: watching.folder["in"])
        #expect(Set(left).isSuperset(of: ["LOAN-2", "others", "LOAN-9", "done"]) && !left.contains("LOAN-1"))
    }

    @Test(.enabled(if: access(TemporaryFolder.anyTimes, W_OK) == 0), arguments: [Int.max, Int.min])
    func `An empty folder of any time keeps no watch from working`(seconds: Int) async throws {
        let watching = try Watching(TemporaryFolder(in: TemporaryFolder.anyTimes), photos: ["in/LOAN-1/a.jpg"])
        try watching.folder.setTime("in/LOAN-9", seconds)
        try await watching.run(untilPlaced: 1)
        #expect(watching.files() == ["done/LOAN-1/a.jpg"])
    }

    @Test(arguments: ["folder", "none"])
    func `A folder that an earlier watch emptied goes after a day, if folders are cases`(rule: String) async throws {
        let inputs = Listing.options(from: try BusinessNumberRule(rule))
        let watching = try Watching { $0.inputs = inputs }
        for name in ["in/LOAN-1", "in/LOAN-2", "in/LOAN-3", "in/done/LOAN-1", "in/failed/LOAN-2"] {
            try watching.folder.makeFolder(name)
        }
        try await watching.run(afterScans: 1) { watch in
            for name in ["in/LOAN-1", "in/LOAN-2", "in/LOAN-3"] {
                try watching.folder.setTime(name, 1_700_000_000 - 25 * 3600)
            }
            await watching.scan(watch)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: watching.folder["in"])
        let emptied = ["LOAN-1", "LOAN-2"].filter(left.contains)
        #expect(emptied == (rule == "folder" ? [] : ["LOAN-1", "LOAN-2"]))
        #expect(left.contains("LOAN-3"))
    }

    @Test func `Another folder in the place of the watched one is watched from then on`() async throws {
        let watching = try Watching()
        try watching.photo("new/LOAN-1/b.jpg", 2)
        try await watching.run(afterScans: 1) { watch in
            #expect(rename(watching.folder["in"], watching.folder["old"]) == 0)
            #expect(rename(watching.folder["new"], watching.folder["in"]) == 0)
            await watching.pass(WatchLimits.missingFolderInterval, watch)
            await watching.reports.wait(forPlaced: 1)
            try watching.photo("in/LOAN-1/c.jpg", 3)
            await watching.reports.wait(forPlaced: 2)
        }
        #expect(watching.pipeline.names == ["LOAN-1 b.jpg", "LOAN-1 c.jpg"])
    }

    @Test func `A name that is not UTF-8 is told of once, until it is renamed`() async throws {
        let watching = try Watching()
        let strange = Array(watching.folder["in/a"].utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
        let descriptor = open(strange, O_WRONLY | O_CREAT, 0o644)
        #expect(descriptor >= 0)
        close(descriptor)
        try await watching.run(afterScans: 1) { watch in
            await watching.scan(watch)
            #expect(unlink(strange) == 0)
            await watching.scan(watch)
        }
        #expect(watching.reports.problems == ["watch_folder_unreadable", "mended watch_folder_unreadable"])
    }

    @Test func `Reports and notes name no person and no path when they are logged`() async throws {
        let watching = try Watching(photos: ["in/WANG.jpg"])
        try await watching.run(untilPlaced: 1)
        let shown = watching.reports.all.map { "\($0)" }.joined()
        #expect(!shown.contains("WANG") && !shown.contains(watching.folder.path))
        #expect(try !watching.note("in/failed/WANG.jpg.failed.json").description.contains("WANG"))
    }
}
