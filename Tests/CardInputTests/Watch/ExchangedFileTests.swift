import CardModel
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import CardInput

/// Files that others exchange while they are being taken in.
@Suite(.timeLimit(.minutes(5))) struct ExchangedFileTests {
    private let folder = TemporaryFolder()

    /// A pipeline that lets something happen before it reads its first photo.
    private static func pipeline(before: @escaping @Sendable (Photo) throws -> Void) -> FakePipeline {
        FakePipeline { photo, _, call in
            if call == 1 { try before(photo) }
            return nil
        }
    }

    @Test(arguments: ["in/LOAN-1/a.jpg", "in/LOAN-1"])
    func `A link that takes the place of a photo or of its folder is not followed`(path: String) async throws {
        let stranger = path.replacing("in/LOAN-1", with: "strangers")
        try self.folder.write("strangers/a.jpg", bytes: Listing.jpegStart + [8])
        let pipeline = Self.pipeline { _ in
            guard rename(self.folder[path], self.folder["away"]) == 0,
                symlink(self.folder[stranger], self.folder[path]) == 0
            else { throw POSIXError(.EIO) }
        }
        let watching = try Watching(self.folder, pipeline: pipeline, photos: ["in/LOAN-1/a.jpg"])
        try await watching.run { watch in
            try await watching.catchUp()
            await watching.pass(.seconds(60), watch)
        }
        #expect(pipeline.names == ["LOAN-9 mark.jpg"])
        #expect(watching.files("strangers") == ["a.jpg"])
        #expect(access(self.folder["in/LOAN-1/a.jpg"], F_OK) == 0 && access(self.folder["away"], F_OK) == 0)
        #expect(watching.reports.refused == [])
    }

    @Test func `A pair that takes the place of another of its name goes out under its own number`() async throws {
        let pipeline = Self.pipeline { photo in
            try self.folder.write("new.jpg", bytes: Listing.jpegStart + [2])
            try self.folder.write("in/scan.jpg.json", text: #"{"business_no": "LOAN-2"}"#)
            guard rename(self.folder["new.jpg"], photo.path) == 0 else { throw POSIXError(.EIO) }
        }
        let watching = try Watching(self.folder, pipeline: pipeline, photos: ["in/scan.jpg"])
        try self.folder.write("in/scan.jpg.json", text: #"{"business_no": "LOAN-1"}"#)
        try await watching.run { watch in
            while pipeline.calls == 0 { await Task.yield() }
            await watching.pass(.seconds(60), watch)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(pipeline.names == ["LOAN-2 scan.jpg"])
        #expect(watching.files() == ["done/scan.jpg", "done/scan.jpg.json"])
    }

    @Test func `A file that cannot be looked at is told from one that is not there`() throws {
        try self.folder.makeFolder("in")
        let root = FilePath(self.folder["in"])
        let examiner = FileExaminer(options: WatchOptions(folders: [], inputs: Listing.options()), root: root)
        func candidate(_ folder: String) -> ListedFile {
            let path = root.appending(folder).appending("a.jpg")
            return ListedFile("a.jpg", at: path, folderPath: FolderPath(folders: [folder]), .found, .notAFile)
        }
        var folders: [FilePath: SidecarNames] = [:]
        #expect(try examiner.observation(of: candidate("L"), &folders) == nil)
        #expect(throws: Errno.fileNameTooLong) {
            try examiner.observation(of: candidate(String(repeating: "L", count: 256)), &folders)
        }
    }

    @Test func `A newer photo that comes when what goes with the older one is moved finds that again`() throws {
        try self.folder.write("in/L/a.jpg", text: "older")
        try self.folder.write("in/L/a.jpg.json", text: "{}")
        let options = Listing.options()
        let examiner = FileExaminer(options: WatchOptions(folders: [], inputs: options), root: .init(self.folder["in"]))
        let item = try #require(try self.folder.listing("in").items.first)
        let place = FolderPath(folders: ["L"])
        let candidate = ListedFile("a.jpg", at: .init(item.path), folderPath: place, .found, .notAFile)
        var folders: [FilePath: SidecarNames] = [:]
        let observation = try #require(try examiner.observation(of: candidate, &folders))
        #expect(rename(self.folder["in/L/a.jpg"], self.folder["older"]) == 0)
        try self.folder.write("in/L/a.jpg", text: "newer")
        let step = FileDisposal(folder: examiner.folder(of: candidate), observation: observation)
        #expect(try step.archive(as: .done) == nil)
        #expect(try String(contentsOfFile: self.folder["in/L/a.jpg"], encoding: .utf8) == "newer")
        #expect(access(self.folder["in/L/a.jpg.json"], F_OK) == 0)
    }
}
