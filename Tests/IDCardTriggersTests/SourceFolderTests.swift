import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Testing

/// A source of the configuration: whoever may put files into it may not name others.
@Suite struct SourceFolderTests {
    private func items(_ folder: TemporaryFolder, _ source: String) throws -> [String] {
        let source = BatchSource(
            source: folder[source],
            manifestNames: ["manifest.csv", "manifest.jsonl"],
            options: ImageRules.options()
        )
        return try source.items().map { item in
            let path = item.source.reveal().replacingOccurrences(of: folder.path + "/", with: "")
            switch item.disposition {
            case .take(let metadata): return "take \(metadata.businessNumber) \(path)"
            case .refuse(let reason, _, _): return "refuse \(reason) \(path)"
            case .ignore: return "ignore \(path)"
            }
        }
    }

    @Test("Rows of a manifest that lies in the folder name files of the folder, or URLs; others are refused")
    func rows() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/L/a.jpg", "secret/b.jpg", "in-2/c.jpg")
        try folder.link("in/link.jpg", to: "secret/b.jpg")
        try folder.link("in/inner.jpg", to: "in/L/a.jpg")
        let rows = [
            "L/a.jpg", "L/../L/a.jpg", folder["secret/b.jpg"], "../secret/b.jpg", "../in-2/c.jpg", "link.jpg",
            "inner.jpg", "https://images.example/1.jpg",
        ]
        let table = rows.enumerated().map { "\($1),B-\($0)\n" }.joined()
        try folder.write("in/manifest.csv", text: "path,business_no\n" + table)
        let refused = "refuse source_unreadable "
        let lines = try Set(self.items(folder, "in"))
        // The second row of one file is that file again.
        for path in ["secret/b.jpg", "in/../in-2/c.jpg"] { #expect(lines.contains(refused + path)) }
        #expect(lines.contains { $0.hasPrefix(refused) && $0.hasSuffix("in/link.jpg") })
        let taken = lines.filter { $0.hasPrefix("take") }
        #expect(taken.allSatisfy { !$0.contains("secret") && !$0.contains("in-2") && !$0.contains("link.jpg") })
        #expect(taken.contains { $0.hasSuffix("https://images.example/1.jpg") })
        #expect(taken.contains { $0.hasSuffix("in/inner.jpg") })
    }

    @Test("A manifest in the folder that is a link is refused, not followed and not passed over")
    func link() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/L/a.jpg")
        try folder.write("other.csv", text: "path,business_no\nL/a.jpg,B-1\n")
        try folder.link("in/manifest.csv", to: "other.csv")
        let error = #expect(throws: BatchSourceError.self) { try self.items(folder, "in") }
        #expect(error?.code == .manifestUnreadable)
    }

    @Test("A manifest that the configuration names itself may name every file")
    func trusted() throws {
        let folder = try TemporaryFolder()
        try folder.write("elsewhere/b.jpg")
        try folder.write("lists/today.csv", text: "path,business_no\n../elsewhere/b.jpg,B-1\n")
        #expect(try self.items(folder, "lists/today.csv") == ["take B-1 lists/../elsewhere/b.jpg"])
    }
}
