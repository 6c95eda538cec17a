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

    /// What a killed process may have done with a photo and its sidecar before it died.
    enum Step: CaseIterable { case companion, note, hardLink }

    @Test(arguments: Step.allCases, [false, true])
    func `What was half moved is found again and finished under its name`(step: Step, isNumbered: Bool) async throws {
        let pipeline = FakePipeline { _, _, _ in
            step == .note ? .refused(CodedError(.imageUnreadable, .input, "no"), card: nil) : nil
        }
        let watching = try Watching(pipeline: pipeline)
        let (place, base) = (step == .note ? "in/failed" : "in/done", isNumbered ? "scan-2.jpg" : "scan.jpg")
        if isNumbered { try watching.photo(place + "/scan.jpg", 9) }
        try watching.photo("in/scan.jpg", 1)
        // The number stands in the sidecar alone: without it the photo would be refused.
        try watching.folder.write("\(place)/\(base).json", text: #"{"business_no": "LOAN-1", "user_no": "u-1"}"#)
        if step == .note { try watching.folder.write("\(place)/\(base).failed.json", text: "{}") }
        if step == .hardLink { #expect(link(watching.folder["in/scan.jpg"], watching.folder["\(place)/\(base)"]) == 0) }
        try await watching.run(untilPlaced: 1)
        #expect(watching.pipeline.taken.map(\.user) == (step == .note ? [] : ["u-1"]))
        let names = [base, "\(base).json"] + (step == .note ? ["\(base).failed.json"] : [])
        let files = names.map { place.dropFirst(3) + "/" + $0 } + (isNumbered ? [place.dropFirst(3) + "/scan.jpg"] : [])
        #expect(watching.files() == files.map { String($0) }.sorted())
        if step == .note {
            #expect(try watching.note("\(place)/\(base).failed.json")["code"] == "stored_image_unreadable")
        }
    }

    @Test func `What went ahead of a photo does not speak for a newer one of its name`() async throws {
        let watching = try Watching()
        try watching.folder.write("in/done/scan.jpg.json", text: #"{"business_no": "LOAN-1"}"#)
        var (ahead, newer) = (stat(), stat())
        // The system's clock for files is coarse.
        repeat {
            try watching.photo("in/scan.jpg", 1)
            #expect(lstat(watching.folder["in/done/scan.jpg.json"], &ahead) == 0)
            #expect(lstat(watching.folder["in/scan.jpg"], &newer) == 0)
        } while (newer.st_ctim.tv_sec, newer.st_ctim.tv_nsec) <= (ahead.st_ctim.tv_sec, ahead.st_ctim.tv_nsec)
        try await watching.run(untilPlaced: 1)
        #expect(watching.reports.refused == ["business_no_missing"])
        #expect(watching.files() == ["done/scan.jpg.json", "failed/scan.jpg", "failed/scan.jpg.failed.json"])
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
