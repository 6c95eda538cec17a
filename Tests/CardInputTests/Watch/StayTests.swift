import CardModel
import Foundation
import Glibc
import Testing

@testable import CardInput

/// What stands still in a watched folder and is never taken is told once, and stays.
@Suite(.timeLimit(.minutes(5))) struct StayTests {
    /// Watches for a while, with three scans after each hour; returns what was told to stay, with the code.
    private func stays(_ watching: Watching, _ body: (FolderWatch) async throws -> Void = { _ in }) async throws
        -> [String]
    {
        try await watching.run { watch in
            for _ in 1...3 { await watching.pass(.seconds(3600), watch) }
            try await body(watch)
        }
        return watching.reports.stays(below: watching.folder["in/"])
    }

    @Test func `each file that is no photo is told once, with what it is, and is not moved`() async throws {
        let watching = try Watching()
        try watching.folder.write("in/扫描.zip", bytes: [0x50, 0x4B, 3, 4, 20, 0])
        try watching.folder.write("in/LOAN-1/scan.docx", bytes: [0xD0, 0xCF, 0x11, 0xE0])
        try watching.folder.write("in/LOAN-1/notes.txt", text: "notes")
        try watching.folder.write("in/LOAN-1/notes.txt.bak", text: "passed over by its name")
        let before = watching.files()
        let told = try await self.stays(watching)
        #expect(
            told == [
                "unsupported_format LOAN-1/notes.txt", "unsupported_format LOAN-1/scan.docx",
                "unsupported_format 扫描.zip",
            ]
        )
        #expect(watching.reports.stayMessages.contains { $0.contains("unpack it") })
        #expect(watching.reports.staying.last == 3)
        #expect(watching.files() == before)
    }

    @Test func `an incomplete photo waits beside the file of its download, and that is told after an hour`()
        async throws
    {
        let pipeline = FakePipeline { _, occasion, _ in
            occasion == .young ? .refused(CodedError(.sourceTooLarge, .input, .sourceChanged), card: nil) : nil
        }
        let watching = try Watching(pipeline: pipeline, photos: ["in/LOAN-1/front.jpg"])
        try watching.folder.write("in/LOAN-1/front.jpg.aria2", text: "half of it")
        try await watching.run(afterScans: 1) { watch in
            await watching.pass(.seconds(60), watch)
            #expect(watching.reports.stayMessages == [])
            try #require(watching.files() == ["LOAN-1/front.jpg", "LOAN-1/front.jpg.aria2"])
            await watching.pass(.seconds(3600), watch)
            await watching.reports.wait { $0.contains { if case .leftInPlace = $0 { true } else { false } } }
            #expect(unlink(watching.folder["in/LOAN-1/front.jpg.aria2"]) == 0)
            await watching.pass(.seconds(60), watch)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.reports.stayMessages.first?.contains("download is not finished") == true)
        #expect(watching.reports.refused == [] && watching.files() == ["done/LOAN-1/front.jpg"])
    }

    @Test func `a photo too deep, or without marker or sidecar, is told once and taken when that comes`() async throws {
        let watching = try Watching {
            $0.doneMarker = ".done"
            $0.sidecar = .required
            $0.quietTime = .seconds(5)
        }
        for (number, name) in ["a", "b"].enumerated() { try watching.photo("in/LOAN-1/\(name).jpg", number) }
        try watching.folder.write("in/LOAN-1/b.jpg.done", text: "")
        try watching.photo("in/LOAN-1/deep/c.jpg", 3)
        try watching.folder.write("in/LOAN-1/deep/c.jpg.done", text: "")
        try watching.folder.write("in/LOAN-1/deep/c.jpg.json", text: "{}")
        let told = try await self.stays(watching) { _ in
            try watching.folder.write("in/LOAN-1/a.jpg.json", text: "{}")
            try watching.folder.write("in/LOAN-1/a.jpg.done", text: "")
            try watching.folder.write("in/LOAN-1/b.jpg.json", text: "{}")
            await watching.reports.wait(forPlaced: 2)
        }
        #expect(
            told == [
                "business_no_missing LOAN-1/deep/c.jpg", "done_marker_missing LOAN-1/a.jpg",
                "sidecar_missing LOAN-1/b.jpg",
            ]
        )
        #expect(watching.pipeline.names.sorted() == ["LOAN-1 a.jpg", "LOAN-1 b.jpg"])
    }

    @Test func `a sidecar or marker without its photo is told once it has waited ten minutes for that`() async throws {
        let watching = try Watching { $0.doneMarker = ".done" }
        try watching.folder.write("in/LOAN-1/front.jpg.json", text: "{}")
        try watching.folder.write("in/LOAN-1/back.jpg.done", text: "")
        try await watching.run { watch in
            await watching.pass(WatchLimits.openWait - .seconds(1), watch)
            #expect(watching.reports.stays(below: "") == [])
            for _ in 1...3 { await watching.pass(.seconds(60), watch) }
        }
        #expect(
            watching.reports.stays(below: watching.folder["in/"]) == [
                "photo_missing LOAN-1/back.jpg.done", "photo_missing LOAN-1/front.jpg.json",
            ]
        )
    }

    @Test func `links, also to folders, and pipes are told once, and again when they come back`() async throws {
        let watching = try Watching(photos: ["out/LOAN-1/a.jpg"])
        try watching.folder.link("in/LOAN-1", to: "out/LOAN-1")
        #expect(mkfifo(watching.folder["in/LOAN-9/pipe"], 0o600) == 0)
        let told = try await self.stays(watching) { watch in
            #expect(unlink(watching.folder["in/LOAN-1"]) == 0)
            await watching.scan(watch)
            try watching.folder.link("in/LOAN-1", to: "out/LOAN-1")
            await watching.scan(watch)
        }
        #expect(told == ["source_unreadable LOAN-1", "source_unreadable LOAN-1", "source_unreadable LOAN-9/pipe"])
        #expect(watching.pipeline.calls == 0)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file that cannot be read and may be a photo is told once`() async throws {
        let watching = try Watching(photos: ["in/LOAN-1/scan"])
        #expect(chmod(watching.folder["in/LOAN-1/scan"], 0) == 0)
        #expect(try await self.stays(watching) == ["source_unreadable LOAN-1/scan"])
    }
}

extension WatchReports {
    /// What was told to stay, sorted: its code, and its path below a folder.
    func stays(below folder: String) -> [String] {
        self.all.compactMap { event in
            guard case .leftInPlace(let name, _, let error) = event else { return nil }
            return "\(error.code) \(name.reveal().replacingOccurrences(of: folder, with: ""))"
        }
        .sorted()
    }

    var stayMessages: [String] {
        self.all.compactMap { if case .leftInPlace(_, _, let error) = $0 { error.message.text() } else { nil } }
    }
}
