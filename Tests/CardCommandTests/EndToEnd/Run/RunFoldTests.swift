import Foundation
import TestSupport
import Testing

/// Many inputs that are refused for one reason.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RunFoldTests {
    /// Five photos without a user account, four without a business number, and a table that nobody named.
    private static func photos(_ tool: Tool, table: String) throws -> URL {
        var photos: [String: MarkedPhoto] = [:]
        for holder in 1...5 as ClosedRange<UInt8> { photos["L-\(holder)/a.jpg"] = .front(holder) }
        for holder in 6...9 as ClosedRange<UInt8> { photos["\(holder).jpg"] = .front(holder) }
        let folder = try tool.folder("photos", photos)
        try Data("path,business_no,user_no\n".utf8).write(to: folder.appending(path: table))
        return folder
    }

    private static let accountless = RemoteConfiguration(delivery: ["token: token-a"])

    @Test func `three lines of a reason are printed, then the others by name, the most frequent reason first`()
        async throws
    {
        let tool = try Tool()
        let photos = try Self.photos(tool, table: "notes.csv")
        try await tool.servingBoth(with: Self.accountless) { file in
            let lines = try await tool.run(["run", photos.path] + file, ends: 1).lines
            #expect(lines.count == 10, "\(lines)")
            #expect(lines.count { $0.hasPrefix("refused   ") && $0.contains("/a.jpg user_no_missing: ") } == 3)
            #expect(lines.count { $0.hasPrefix("refused   ") && $0.contains(".jpg business_no_missing: ") } == 3)
            let summaries = Array(lines.suffix(3))
            #expect(
                summaries[0].hasPrefix("refused   2 more photos user_no_missing: no user account; set "),
                "\(lines)"
            )
            for holder in 1...5 {
                let name = "\(photos.path)/L-\(holder)/a.jpg"
                #expect(lines.count { $0.contains(name) } == 1, "\(name): \(lines)")
            }
            #expect(summaries[1].hasPrefix("refused   1 more photo business_no_missing: "), "\(summaries)")
            #expect(lines.last == "10 inputs: 9 refused, 1 ignored")
            let report = try await tool.run(["run", photos.path, "--format", "json"] + file, ends: 1).json()
            #expect(report.counts["refused"] == 9 && report.counts["rejected"] == 0)
            #expect(report.cards.count { $0.state == "refused" && $0.cardId == nil } == 9)
            let all = try await tool.run(["run", photos.path, "--format", "jsonl"] + file, ends: 1).lines
            #expect(all.count == 11)
            #expect(try await tool.run(["status"] + file).output.hasPrefix("no cards\n"))
        }
    }

    @Test func `no case is folded that is named, and none is named twice`() async throws {
        let tool = try Tool()
        let photos = try tool.pairs((1...5).map { "L-\($0)" })
        let heic = Data([0, 0, 0, 24]) + Data("ftypheic\0\0\0\0mif1heic".utf8)
        for number in 1...5 {
            for name in ["front", "back"] {
                try (heic + Data(name.utf8)).write(to: photos.appending(path: "L-\(number)/\(name).jpg"))
            }
        }
        try await tool.servingBoth { file in
            let lines = try await tool.run(["run", photos.path] + file, ends: 1).lines
            // Both photos of three cases, one line for those of the other two, and the counts.
            try #require(lines.count == 8, "\(lines)")
            let cases = lines.prefix(7).map { line in line.matches(of: /L-\d/).map { String($0.output) } }
            let printed = Set(cases.prefix(6).joined())
            #expect(printed.count == 3 && cases.prefix(6).allSatisfy { $0.count == 1 }, "\(lines)")
            #expect(lines[6].contains(" 4 more photos unsupported_format: the file is a HEIC image"), "\(lines)")
            #expect(cases[6].count == 2 && Set(cases[6]).union(printed).count == 5, "\(lines)")
        }
    }

    @Test(arguments: [
        ("manifest.csv", "name it: --manifest "), ("manifest.jsonl", "name it: --manifest "),
        ("manifest.xlsx", "save it as CSV UTF-8, then name it: --manifest FILE"),
    ])
    func `a table among photos that lack what it says is named`(_ table: String, _ advice: String) async throws {
        let tool = try Tool()
        let photos = try Self.photos(tool, table: table)
        try await tool.servingBoth(with: Self.accountless) { file in
            for option in [[], ["--dry-run"]] {
                let run = try await tool.run(["run", photos.path] + option + file, ends: 1)
                #expect(run.errors.contains("note: \(photos.path)/\(table) is a "), "\(run.errors)")
                #expect(run.errors.contains(advice), "\(run.errors)")
            }
            let whole = ["run", photos.path, "--user-no", "U-1", "--business-no", "B-1"] + file
            #expect(try await !tool.run(whole + ["--dry-run"], ends: 0).errors.contains("--manifest"))
        }
    }
}
