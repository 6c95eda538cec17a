import CardModel
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import CardInput

/// Files that others exchange while they are being taken in.
@Suite(.timeLimit(.minutes(5))) struct ExchangedFileTests {
    /// A pipeline that lets something happen before it reads its first photo.
    private static func pipeline(before: @escaping @Sendable (InputItem) throws -> Void) -> FakePipeline {
        FakePipeline { photo, _, call in
            if call == 1 { try before(photo) }
            return nil
        }
    }

    @Test func `A link that takes the place of a photo is not followed`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("stranger.jpg", bytes: Listing.jpegStart + [8])
        let pipeline = Self.pipeline { photo in
            guard unlink(photo.path) == 0, symlink(folder["stranger.jpg"], photo.path) == 0 else {
                throw POSIXError(.EIO)
            }
        }
        let watching = try Watching(folder, pipeline: pipeline)
        try watching.photo("in/LOAN-1/a.jpg", 1)
        try await watching.run { watch in
            try await watching.catchUp()
            await watching.pass(.seconds(60), watch)
        }
        #expect(pipeline.names == ["LOAN-9 mark.jpg"])
        #expect(watching.files("in/LOAN-1") == ["a.jpg"])
        #expect(watching.reports.refused == [])
    }

    @Test func `A folder that gives way to a link takes nothing along`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("strangers/a.jpg", bytes: Listing.jpegStart + [8])
        let pipeline = Self.pipeline { _ in
            guard rename(folder["in/LOAN-1"], folder["away"]) == 0,
                symlink(folder["strangers"], folder["in/LOAN-1"]) == 0
            else { throw POSIXError(.EIO) }
        }
        let watching = try Watching(folder, pipeline: pipeline)
        try watching.photo("in/LOAN-1/a.jpg", 1)
        try await watching.run { watch in
            try await watching.catchUp()
            await watching.pass(.seconds(60), watch)
        }
        #expect(pipeline.names == ["LOAN-9 mark.jpg"])
        #expect(watching.files("strangers") == ["a.jpg"])
        #expect(watching.files("away") == ["a.jpg"])
    }

    @Test func `A pair that takes the place of another of its name goes out under its own number`() async throws {
        let folder = try TemporaryFolder()
        let pipeline = Self.pipeline { photo in
            try folder.write("new.jpg", bytes: Listing.jpegStart + [2])
            try folder.write("in/scan.jpg.json", text: #"{"business_no": "LOAN-2"}"#)
            guard rename(folder["new.jpg"], photo.path) == 0 else { throw POSIXError(.EIO) }
        }
        let watching = try Watching(folder, pipeline: pipeline)
        try watching.photo("in/scan.jpg", 1)
        try folder.write("in/scan.jpg.json", text: #"{"business_no": "LOAN-1"}"#)
        try await watching.run { watch in
            while pipeline.calls == 0 { await Task.yield() }
            await watching.pass(.seconds(60), watch)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(pipeline.names == ["LOAN-2 scan.jpg"])
        #expect(watching.files() == ["done/scan.jpg", "done/scan.jpg.json"])
    }

    @Test func `A newer photo that comes when what goes with the older one is moved finds that again`() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/L/a.jpg", text: "older")
        try folder.write("in/L/a.jpg.json", text: "{}")
        let options = Listing.options()
        let examiner = FileExaminer(options: WatchOptions(folders: [], inputs: options), root: .init(folder["in"]))
        let item = try #require(try Listing(folder, paths: [folder["in"]]).items.first)
        let candidate = Candidate(
            source: "a.jpg",
            path: .init(item.path),
            real: .init(item.path),
            place: FolderPlace(folders: ["L"]),
            origin: .found,
            finding: .notAFile
        )
        let sight = try #require(examiner.sight(of: candidate))
        #expect(rename(folder["in/L/a.jpg"], folder["older"]) == 0)
        try folder.write("in/L/a.jpg", text: "newer")
        let step = PutAway(root: .init(folder["in"]), below: ["L"], sight: sight, suffixes: [".json"])
        #expect(try step.put(as: .done) == nil)
        #expect(try String(contentsOfFile: folder["in/L/a.jpg"], encoding: .utf8) == "newer")
        #expect(access(folder["in/L/a.jpg.json"], F_OK) == 0)
    }
}
