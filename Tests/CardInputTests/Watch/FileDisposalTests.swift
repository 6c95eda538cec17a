import CardModel
import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import CardInput

/// Moving files: never over another, never another, and found again after a kill.
@Suite(.timeLimit(.minutes(5))) struct FileDisposalTests {
    private static func identity(_ path: String) throws -> FileIdentity {
        FileIdentity(path: path, try FilePath(path).status(followingLinks: false))
    }

    private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test(arguments: FileMove.Way.allCases)
    func `By whatever way, a file is moved, replaces none, and no other is moved for it`(way: FileMove.Way) throws {
        let folder = TemporaryFolder()
        try folder.write("from/a", text: "a")
        try folder.write("from/b", text: "b")
        try folder.write("to/taken", text: "taken")
        let from = try OpenFolder(FilePath(folder["from"]))
        let to = try OpenFolder(FilePath(folder["to"]))
        let ways = way == .reservation ? [way] : [way, .reservation]
        let move = FileMove(identity: try Self.identity(folder["from/a"]), ways: ways)
        #expect(try move.move("a", from: from, as: "taken", to: to) == .nameTaken)
        #expect(try move.move("b", from: from, as: "new", to: to) == .gone)
        #expect(try move.move("none", from: from, as: "new", to: to) == .gone)
        #expect(try move.move("a", from: from, as: "new", to: to) == .moved)
        #expect(try Self.text(folder["to/new"]) == "a")
        #expect(try Self.text(folder["to/taken"]) == "taken")
        #expect(try Set(from.names().map(\.text)) == ["b"])
        #expect(try Set(to.names().map(\.text)) == ["new", "taken"])
    }

    @Test(arguments: ["x", "证", "\u{301}"])
    func `Names are numbered before the extension and cut between characters`(letter: String) throws {
        #expect((1...3).map { NumberedName("a.jpg", leavingRoomFor: 17)[$0] } == ["a.jpg", "a-2.jpg", "a-3.jpg"])
        #expect(NumberedName(".jpg", leavingRoomFor: 17)[2] == ".jpg-2")
        let long = String(repeating: letter, count: 251 / letter.utf8.count) + ".jpg"
        for number in [1, 2, 1_000_000] {
            let name = NumberedName(long, leavingRoomFor: 17)[number]
            #expect(name.utf8.count <= Int(NAME_MAX) - 17 && name.hasSuffix(".jpg"))
        }
        var questions = 0
        let free = try NumberedName("a", leavingRoomFor: 0).free(above: 1) { name in
            questions += 1
            return (2...5000).contains(Int(name.dropFirst(2)) ?? 0)
        }
        #expect(free == 5001)
        #expect(questions < 40)
    }

    // MARK: Notes in done

    @Test func `The note of a photo that was taken away does not come to stand beside the next one`() async throws {
        let watching = try Watching(photos: ["in/LOAN-9/a.jpg"])
        try watching.folder.write("in/done/LOAN-9/a.jpg.failed.txt", text: "old")
        try await watching.run(untilPlaced: 1)
        #expect(watching.files() == ["done/LOAN-9/a-2.jpg", "done/LOAN-9/a.jpg.failed.txt"])
    }

    @Test(arguments: [true, false])
    func `A note in done stays as it is, past gaps in the numbers the photo is found, another one gets none`(
        isSame: Bool
    ) async throws {
        let watching = try Watching(photos: ["in/done/LOAN-9/a-7.jpg"])
        try watching.folder.write("in/done/LOAN-9/a-7.jpg.failed.json", text: "old")
        var file = try Self.identity(watching.folder["in/done/LOAN-9/a-7.jpg"])
        file.path = Redacted("../else/LOAN-9/a.jpg")
        if !isSame { file.size += 1 }
        let error = CodedError(.sourceUnreadable, .input, .inputNotRegular)
        await watching.makeWatch().writeNote(error, card: CardID(rawValue: "card"), beside: [file], moving: false)
        let notes = [".failed.json"] + (isSame ? [".failed.txt"] : [])
        #expect(watching.files() == ["done/LOAN-9/a-7.jpg"] + notes.map { "done/LOAN-9/a-7.jpg" + $0 })
        #expect(try Self.text(watching.folder["in/done/LOAN-9/a-7.jpg.failed.json"]) == "old")
    }

    // MARK: After a kill

    /// What a killed process had done with a photo and its sidecar before it died.
    enum Step: CaseIterable { case note, transit, companion, hardLink }

    /// Leaves `scan.jpg` with a sidecar in a folder as a killed process does; files appear there under their last names only.
    private static func leave(
        _ watching: Watching,
        in below: String,
        _ step: Step,
        _ disposition: WatchEvent.Disposition,
        number: Int = 1
    ) throws {
        let folder = watching.folder
        let archive = "in/\(disposition)/\(below)"
        let base = number == 1 ? "scan.jpg" : "scan-\(number).jpg"
        for other in 1..<number { try watching.photo(archive + (other == 1 ? "scan.jpg" : "scan-\(other).jpg"), 9) }
        try watching.photo("out/scan.jpg", 1)
        // The number stands in the sidecar alone: without it the photo would be refused.
        try folder.write("out/scan.jpg.json", text: #"{"business_no": "LOAN-1", "user_no": "u-1"}"#)
        try folder.makeFolder(archive)
        let (photo, sidecar) = (
            try Self.identity(folder["out/scan.jpg"]), try Self.identity(folder["out/scan.jpg.json"])
        )
        if disposition == .failed { try folder.write("\(archive)\(base).failed.json", text: "{}") }
        let transit = TransitName(photo, with: [sidecar], as: "scan.jpg", number: number, disposition).text
        let name = step == .note ? "scan.jpg" : transit
        let isArchived = step == .companion || step == .hardLink
        let target = isArchived ? "\(archive)\(base).json" : "in/\(below)scan.jpg.json"
        #expect(rename(folder["out/scan.jpg"], folder["in/\(below)\(name)"]) == 0)
        #expect(rename(folder["out/scan.jpg.json"], folder[target]) == 0)
        if step == .hardLink { #expect(link(folder["in/\(below)\(name)"], folder[archive + base]) == 0) }
    }

    @Test(arguments: Step.allCases, [WatchEvent.Disposition.done, .failed])
    func `What was half moved is finished under its name`(step: Step, disposition: WatchEvent.Disposition) async throws
    {
        for number in 1...2 where step != .note || disposition == .failed {
            let pipeline = FakePipeline { _, _, _ in .refused(CodedError(.imageUnreadable, .input, "no"), card: nil) }
            let watching = try Watching(pipeline: pipeline)
            try Self.leave(watching, in: "", step, disposition, number: number)
            try await watching.run(afterScans: 1, afterPlaced: step == .note ? 1 : 0) { _ in }
            #expect(pipeline.calls == (step == .note ? 1 : 0))
            let base = number == 1 ? "scan" : "scan-2"
            let suffixes = ["jpg", "jpg.json"] + (disposition == .failed ? ["jpg.failed.json"] : [])
            let files =
                suffixes.map { "\(disposition)/\(base).\($0)" } + (number == 2 ? ["\(disposition)/scan.jpg"] : [])
            #expect(watching.files() == files.sorted())
            if step == .note { #expect(try watching.note("in/failed/\(base).jpg.failed.json")["message"] == "no") }
        }
    }

    @Test(arguments: [Step.transit, .companion])
    func `What another process left is finished after a while, and its sidecar given to no newer photo`(
        step: Step
    ) async throws {
        let watching = try Watching()
        try await watching.run(afterScans: 1) { watch in
            try Self.leave(watching, in: "LOAN-9/", step, .done)
            try watching.photo("in/LOAN-9/scan.jpg", 2)
            await watching.pass(.seconds(30), watch)
            #expect(watching.pipeline.calls == 0)
            // By the system's clock, years after the year of the test's clock.
            await watching.pass(.seconds(1_000_000_000), watch)
            for _ in 1...3 { await watching.pass(.seconds(60), watch) }
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.pipeline.taken.map(\.user) == [nil])
        #expect(watching.files("in/done/LOAN-9") == ["scan-2.jpg", "scan.jpg", "scan.jpg.json"])
    }

    @Test func `A process that begins finishes what a living one moves, and each file is moved once`() async throws {
        let watching = try Watching()
        for number in 0..<60 {
            try watching.photo("in/LOAN-9/\(number).jpg", number)
            try watching.folder.write("in/LOAN-9/\(number).jpg.json", text: #"{"user_no": "u-\#(number)"}"#)
        }
        let (root, suffixes) = (FilePath(watching.folder["in"]), watching.options.companionSuffixes)
        let sweeping = Task.detached {
            let folder = PhotoFolder(root: root, below: ["LOAN-9"], suffixes: suffixes)
            while !Task.isCancelled { _ = try FileDisposal.sweep(folder, before: nil) }
        }
        try await watching.run { watch in
            while watching.files("in/LOAN-9").count > 0 { await watching.scan(watch) }
        }
        sweeping.cancel()
        try await sweeping.value
        let names = (0..<60).flatMap { ["\($0).jpg", "\($0).jpg.json"] }
        #expect(watching.files("in/done/LOAN-9") == names.sorted())
        for number in 0..<60 {
            #expect(try Self.text(watching.folder["in/done/LOAN-9/\(number).jpg.json"]).contains("u-\(number)\""))
        }
    }

    @Test(arguments: ["changed", "name taken"])
    func `A file that cannot be finished gets its own name back, and its sidecar with it`(why: String) async throws {
        let watching = try Watching { $0.after = .leave }
        try Self.leave(watching, in: "LOAN-9/", .companion, .done)
        let name = try #require(watching.files("in/LOAN-9").first)
        try watching.photo(why == "changed" ? "in/LOAN-9/" + name : "in/done/LOAN-9/scan.jpg", 1000)
        try watching.photo("in/LOAN-9/scan.jpg", 2)
        try await watching.run(untilPlaced: 2)
        #expect(watching.files("in/LOAN-9") == ["scan-2.jpg", "scan-2.jpg.json", "scan.jpg"])
        #expect(watching.files("in/done") == (why == "changed" ? [] : ["LOAN-9/scan.jpg"]))
    }

    @Test func `A sidecar in done does not speak for a newer photo of its name`() async throws {
        let watching = try Watching()
        try watching.folder.write("in/done/scan.jpg.json", text: #"{"business_no": "LOAN-1"}"#)
        try watching.photo("in/scan.jpg", 1)
        try await watching.run(untilPlaced: 1)
        #expect(watching.reports.refused == ["business_no_missing"])
        #expect(watching.files() == ["done/scan.jpg.json", "failed/scan.jpg", "failed/scan.jpg.failed.json"])
    }

    @Test(arguments: ["x", "证", "\u{301}"], WatchOptions.After.allCases.dropLast())
    func `Long names and those with a combining mark are archived whole`(letter: String, after: WatchOptions.After)
        async throws
    {
        let name = String(repeating: letter, count: 196 / letter.utf8.count) + ".jpg"
        let watching = try Watching(photos: ["in/LOAN-9/" + name]) { $0.after = after }
        try watching.folder.write("in/LOAN-9/\(name).json", text: "{}")
        try await watching.run(untilPlaced: 1)
        #expect(watching.files() == (after == .move ? ["done/LOAN-9/\(name)", "done/LOAN-9/\(name).json"] : []))
    }

    @Test func `A link in the place of done is not entered`() async throws {
        let watching = try Watching()
        try watching.folder.makeFolder("elsewhere")
        try watching.folder.link("in/done", to: "elsewhere")
        try watching.photo("in/LOAN-1/a.jpg", 1)
        try await watching.run { _ in await watching.reports.waitForProblem() }
        #expect(watching.files("elsewhere") == [])
        #expect(watching.files() == ["LOAN-1/a.jpg", "done"])
    }

    @Test func `A sidecar is numbered with its photo, and never lies beside another one`() async throws {
        let watching = try Watching()
        for (number, path) in ["in/done/LOAN-1/a.jpg", "in/LOAN-1/a.jpg"].enumerated() {
            try watching.photo(path, number)
        }
        try watching.folder.write("in/LOAN-1/a.jpg.json", text: #"{"user_no": "u-1"}"#)
        try watching.folder.write("in/done/LOAN-1/a-2.jpg.json", text: "{}")
        try watching.photo("in/done/LOAN-1/a-2.jpg", 7)
        try await watching.run(untilPlaced: 1)
        #expect(watching.files("in/done/LOAN-1") == ["a-2.jpg", "a-2.jpg.json", "a-3.jpg", "a-3.jpg.json", "a.jpg"])
    }
}
