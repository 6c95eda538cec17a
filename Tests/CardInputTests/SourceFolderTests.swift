import CardInput
import CardModel
import Foundation
import Testing

/// A source of the configuration: whoever may put files into it may not name others.
@Suite struct SourceFolderTests {
    private let folder = TemporaryFolder()

    private func items(_ source: String) throws -> [String] {
        try Listing(self.folder, BatchSource(source: self.folder[source], options: Listing.options())).lines
    }

    @Test func `Rows of a manifest that lies in the folder name files of the folder; others are refused`() throws {
        try self.folder.write("in/L/a.jpg", "secret/b.jpg", "in-2/c.jpg")
        try self.folder.link("in/link.jpg", to: "secret/b.jpg")
        try self.folder.link("in/inner.jpg", to: "in/L/a.jpg")
        let rows = [
            "L/a.jpg", "L/../L/a.jpg", self.folder["secret/b.jpg"], "../secret/b.jpg", "../in-2/c.jpg", "link.jpg",
            "inner.jpg", "https://images.example/1.jpg",
        ]
        let table = rows.enumerated().map { "\($1),B-\($0)\n" }.joined()
        try self.folder.write("in/manifest.csv", text: "path,business_no\n" + table)
        let refused = "refuse source_unreadable "
        let lines = try Set(self.items("in"))
        // The second row of one file is that file again.
        for path in ["secret/b.jpg", "in/../in-2/c.jpg"] { #expect(lines.contains(refused + path)) }
        #expect(lines.contains { $0.hasPrefix(refused) && $0.hasSuffix("in/link.jpg") })
        let taken = lines.filter { $0.hasPrefix("take") }
        #expect(taken.allSatisfy { !$0.contains("secret") && !$0.contains("in-2") && !$0.contains("link.jpg") })
        #expect(taken.contains { $0.hasSuffix("in/inner.jpg") })
    }

    @Test func `A manifest in the folder that is a link is refused, not followed and not passed over`() throws {
        try self.folder.write("in/L/a.jpg")
        try self.folder.write("other.csv", text: "path,business_no\nL/a.jpg,B-1\n")
        try self.folder.link("in/manifest.csv", to: "other.csv")
        let error = #expect(throws: CodedError.self) { try self.items("in") }
        #expect(error?.code == .manifestUnreadable)
    }

    @Test func `A manifest that the configuration names itself may name every file`() throws {
        try self.folder.write("elsewhere/b.jpg")
        try self.folder.write("lists/today.csv", text: "path,business_no\n../elsewhere/b.jpg,B-1\n")
        #expect(try self.items("lists/today.csv") == ["take B-1 lists/../elsewhere/b.jpg"])
    }

    @Test func `A source is a folder with the manifest that it holds, or a manifest alone`() throws {
        try self.folder.write("c/LOAN-1/a.jpg", "c/LOAN-1/b.jpg")
        #expect(try self.items("c") == ["take LOAN-1 c/LOAN-1/a.jpg", "take LOAN-1 c/LOAN-1/b.jpg"])
        try self.folder.write("c/manifest.jsonl", text: #"{"path": "LOAN-1/b.jpg", "business_no": "R-1"}"#)
        #expect(try self.items("c") == ["take LOAN-1 c/LOAN-1/a.jpg", "take R-1 c/LOAN-1/b.jpg"])
        #expect(try self.items("c/manifest.jsonl") == ["take R-1 c/LOAN-1/b.jpg"])
    }
}
