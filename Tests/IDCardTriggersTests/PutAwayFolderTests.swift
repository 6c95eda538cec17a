import Foundation
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardTriggers

/// Folders into which a watch puts files, met by a run.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1)))) struct PutAwayFolderTests {
    private func lines(_ folder: TemporaryFolder, _ paths: String..., skipping: [String] = []) throws -> [String] {
        var options = ImageRules.options()
        options.skippedFolders = skipping
        return try Listing(folder, paths: paths.map { folder[$0] }, options: options).lines
    }

    @Test("A run over a folder that was watched takes neither done nor refused files, wherever they were put")
    func afterWatch() async throws {
        let watching = try Watching {
            $0.doneFolder = "archive/taken"
            $0.failedFolder = "archive/refused"
        }
        try watching.image("in/L-1/a.jpg", 1)
        try watching.image("in/b.jpg", 2)
        try await watching.run { await watching.events.wait(forPlaced: 2) }
        #expect(watching.files("in/archive/taken") == ["L-1/a.jpg"])
        try watching.image("in/L-2/c.jpg", 3)
        #expect(try self.lines(watching.folder, "in") == ["take L-2 in/L-2/c.jpg"])
        #expect(try self.lines(watching.folder, "in/archive/*") == [])
        #expect(
            try self.lines(watching.folder, "in/archive/*", "in/L-2/c.jpg") == [
                "refuse business_no_missing in/L-2/c.jpg"
            ]
        )
    }

    @Test("Without their mark, the names that the configuration gives them tell, directly below the folder named")
    func names() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/done/a.jpg", "in/old/x/b.jpg", "in/L/old/c.jpg", "out/d.jpg", "in/L/e.jpg")
        try folder.link("in/link", to: "in/done")
        let skipping = ["./done", "old", folder["out"]]
        #expect(
            try self.lines(folder, "in", skipping: skipping) == [
                "take L in/L/e.jpg", "refuse business_no_missing in/L/old/c.jpg",
            ]
        )
        // What the user names is meant.
        #expect(try self.lines(folder, "in/old", skipping: skipping) == ["take x in/old/x/b.jpg"])
    }

    @Test("The names done and failed are no business numbers, and a marked folder lends none")
    func lending() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/done/a.jpg", "in/x/failed/b.jpg", "in/M/c.jpg")
        try folder.makeFolder("in/M/" + PutAwayMark.name)
        #expect(
            try self.lines(folder, "in") == [
                "refuse business_no_missing in/done/a.jpg", "refuse business_no_missing in/x/failed/b.jpg",
            ]
        )
        #expect(
            try self.lines(folder, "in/done/a.jpg", "in/M/c.jpg") == [
                "refuse business_no_missing in/done/a.jpg", "refuse business_no_missing in/M/c.jpg",
            ]
        )
    }
}
