import Foundation
import TestSupport
import Testing

/// What a list says of its photos, as a user meets it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ListingRunTests {
    @Test func `rows of one photo that differ are refused, rows that say the same count as duplicates`() async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["a.jpg": .front(1), "b.jpg": .front(2)])
        let manifest = photos.appending(path: "m.csv")
        try "path,business_no,side\na.jpg,L-1,front\na.jpg,L-1,back\nb.jpg,L-2,front\nb.jpg,L-2,front\n"
            .write(to: manifest, atomically: true, encoding: .utf8)
        try await tool.servingBoth(with: RemoteConfiguration()) { file in
            let command = ["run", "--manifest", manifest.path] + file
            let plan = try await tool.run(command + ["--dry-run"], ends: 1)
            #expect(plan.output.contains("a.jpg row_conflict: rows 2 and 3 of the manifest"), "\(plan.output)")
            #expect(plan.output.contains("b.jpg duplicate: an earlier row of the manifest"), "\(plan.output)")
            let report = try await tool.run(command + ["--format", "json"], ends: 1).json()
            #expect(report.counts["duplicate"] == 1 && report.counts["delivered"] == 1)
            #expect(report.counts["refused"] == 2 && report.counts["rejected"] == 0)
            #expect(report.cards.map(\.reason) == ["row_conflict", "row_conflict", nil, nil])
            #expect(report.cards.map(\.state) == ["refused", "refused", "delivered", "delivered"])
            #expect(report.cards.map(\.duplicateOf) == [nil, nil, nil, report.cards.last?.cardId])
            let lines = try await tool.run(command + ["--format", "jsonl"], ends: 1).output.split(separator: "\n")
            #expect(lines.count == 5, "one for each row, and the summary")
        }
        #expect(try tool.ledger().count == 1)
    }

    @Test func `a run names what it ignores, and ends with 1 for a linked folder it does not enter`() async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["L-1/front.jpg": .front(1)])
        try Data([0x50, 0x4B, 3, 4]).write(to: photos.appending(path: "L-1/scan.zip"))
        let other = try tool.folder("other", ["back.jpg": .back(1)])
        try await tool.servingBoth(with: RemoteConfiguration()) { file in
            let command = ["run", photos.path] + file
            let output = try await tool.run(command).output
            #expect(output.contains("scan.zip unsupported_format: the file is an archive; unpack it"), "\(output)")
            let report = try await tool.run(command + ["--format", "json"]).json()
            #expect(report.cards.map(\.reason) == [nil, "unsupported_format"])
            #expect(try await tool.run(command + ["--new-only"]).output.contains("scan.zip") == false)
            try FileManager.default.createSymbolicLink(at: photos.appending(path: "L-2"), withDestinationURL: other)
            let linked = try await tool.run(command, ends: 1).output
            #expect(linked.contains("L-2 source_unreadable: the symbolic link leaves the named folder"), "\(linked)")
        }
        #expect(try tool.ledger().count == 1)
    }
}
