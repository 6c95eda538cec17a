import Foundation
import Subprocess
import TestSupport
import Testing

/// The table that `run --report` writes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RunTableTests {
    private static func rows(_ file: URL) throws -> [String] {
        String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `each input has its row, the owner alone reads it, and the log has a line without names`() async throws {
        let tool = try Tool()
        let photos = try tool.folder(
            "photos",
            ["L-1/front.jpg": .front(1), "L-1/back.jpg": .back(1), "=A1.jpg": .front(2)]
        )
        let table = tool.home.appending(path: "report.csv")
        try await tool.servingBoth(verifier: MarkVerifier { KnownCardTests.wrongCheckDigit($0) }) { file in
            let command = ["run", photos.path, "--report", table.path, "--quiet"] + file
            try await tool.run(command, ends: 1)
            let mode = try FileManager.default.attributesOfItem(atPath: table.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let rows = try Self.rows(table)
            #expect(rows.count == 4, "\(rows)")
            #expect(rows.first == "\u{FEFF}business_no,side,file,state,reason,what_is_wrong,what_to_do")
            let front = try #require(rows.first { $0.contains("/front.jpg") })
            let wrong = "rejected,id_number_checksum,the check character of the identity number is wrong,take a sharper"
            #expect(front.hasPrefix("L-1,front,\(photos.path)/L-1/front.jpg,\(wrong)"), "\(front)")
            #expect(rows.contains { $0.hasPrefix(",,\(photos.path)/=A1.jpg,refused,business_no_missing,") }, "\(rows)")
            // A second run must not take the place of what the first one said, and does nothing.
            let again = try await tool.run(command, ends: 64)
            #expect(again.errors.contains("report.csv") && again.output == "", "\(again.errors)")
            #expect(try Self.rows(table) == rows)
            let log = try await tool.run(["cards", "log", "--format", "jsonl"] + file, ends: 0).lines
            let lines = log.filter { $0.contains("\"action\":\"list\"") }
            #expect(lines.count == 1 && lines[0].contains("run --report, rows: 3") && !lines[0].contains(".jpg"))
        }
    }

    @Test func `a table that cannot be made, or that a run ended before, leaves no file`() async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        let table = tool.home.appending(path: "report.csv")
        let outcome = try await tool.run(
            ["run", photos.path, "--report", "/nonexistent/a.csv", "--embedded"],
            ends: 66
        )
        #expect(outcome.errors.contains("/nonexistent/a.csv"), "\(outcome.errors)")
        try await tool.run(["run", photos.path, "--report", table.path, "--dry-run"], ends: 64)
        try await tool.run(["run", photos.path, "--report", table.path], ends: 78)
        #expect(!FileManager.default.fileExists(atPath: table.path))
    }

    @Test func `an interrupted run writes its table, too`() async throws {
        let (tool, verifier, gate) = (try Tool(), MarkVerifier(), Gate())
        let photos = try tool.pairs()
        let table = tool.home.appending(path: "report.csv")
        verifier.answer(0, thenWaitAt: gate)
        try await tool.servingBoth(verifier: verifier) { file in
            let ended = try await tool.running(["run", photos.path, "--report", table.path] + file) { errors, send in
                await gate.arrival()
                try send(.interrupt)
                #expect(try await errors.line(containing: "interrupted") != nil)
                gate.open()
            }
            #expect(ended == 130)
        }
        let rows = try Self.rows(table)
        #expect(rows.count == 3 && rows.dropFirst().allSatisfy { $0.hasPrefix("R-1,") }, "\(rows)")
    }
}
