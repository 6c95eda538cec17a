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
            #expect(rows.first == "\u{FEFF}business number,state,side to retake,what to do,photo,card,code")
            let front = try #require(rows.first { $0.contains("/front.jpg") })
            let wrong =
                "rejected,front,\"retake the front: the check character of the identity number is wrong; take a sharper"
            #expect(front.hasPrefix("L-1,\(wrong)") && front.hasSuffix(",id_number_checksum"), "\(front)")
            #expect(front.contains(",\(photos.path)/L-1/front.jpg,"), "\(front)")
            let refused = try #require(rows.first { $0.contains("/=A1.jpg") })
            #expect(refused.hasPrefix(",refused,,") && refused.hasSuffix("/=A1.jpg,,business_no_missing"), "\(refused)")
            #expect(!rows.joined().contains("idcard-pipeline") && !rows.joined().contains(" --"), "\(rows)")
            // A second run must not take the place of what the first one said, and does nothing.
            let again = try await tool.run(command, ends: 64)
            #expect(again.errors.contains("report.csv") && again.output == "", "\(again.errors)")
            #expect(try Self.rows(table) == rows)
            let log = try await tool.run(["cards", "log", "--format", "jsonl"] + file, ends: 0).lines
            let lines = log.filter { $0.contains("\"action\":\"list\"") }
            #expect(lines.count == 1 && lines[0].contains("run --report, rows: 3") && !lines[0].contains(".jpg"))
        }
    }

    @Test func `the name of the file says whether the table is a workbook`() async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        let table = tool.home.appending(path: "report.XLSX")
        try await tool.servingBoth { file in
            try await tool.run(["run", photos.path, "--report", table.path, "--quiet"] + file, ends: 0)
            let report = try Data(contentsOf: table)
            #expect(report.starts(with: "PK".utf8) && report.firstRange(of: Data("/R-1/front.jpg".utf8)) != nil)
            let list = ["cases", "list", "--format", "xlsx"]
            let cases = tool.home.appending(path: "cases.xlsx")
            try await tool.run(list + ["--output", cases.path] + file, ends: 0)
            #expect(try Data(contentsOf: cases).starts(with: "PK".utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: cases.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // An existing file is left as it is, and a list for programs is no table.
            try await tool.run(list + ["--output", cases.path] + file, ends: 64)
            try await tool.run(["cases", "list", "--output", cases.path + "2"] + file, ends: 64)
            #expect(!FileManager.default.fileExists(atPath: cases.path + "2"))
            let piped = try await tool.run(["cases", "list", "--format", "csv"] + file, ends: 0).output
            let named = tool.home.appending(path: "cases.csv")
            try await tool.run(["cases", "list", "--format", "csv", "--output", named.path] + file, ends: 0)
            #expect(try piped == String(decoding: Data(contentsOf: named), as: UTF8.self))
        }
    }

    @Test func `the zone of the configuration is that of the times and of the title`() async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        try await tool.servingBoth { file in
            try await tool.run(["run", photos.path, "--quiet"] + file, ends: 0)
            let list = ["cases", "list", "--format"]
            let zone = ["IDCARD_TIME_ZONE": "Asia/Kathmandu"]
            let rows = try await tool.run(list + ["csv"] + file, zone, ends: 0).lines
            #expect(rows[0].contains(",since (Asia/Kathmandu),"), "\(rows)")
            let text = try await tool.run(list + ["text"] + file, zone, ends: 0).lines
            let local = try #require(text[0].firstMatch(of: /(\d{4}-\d\d-\d\d \d\d:\d\d):\d\d \+05:45/)).1
            #expect(rows[1].contains(",\"=\"\"\(local)\"\"\","), "\(rows)")
            let json = try await tool.run(list + ["json"] + file, zone, ends: 0).output
            #expect(try await json == tool.run(list + ["json"] + file, ends: 0).output)
            let refused = try await tool.run(list + ["csv"] + file, ["IDCARD_TIME_ZONE": "Asia/Shangahi"], ends: 78)
            #expect(
                refused.errors.contains("time_zone") && refused.errors.contains("Asia/Shanghai"),
                "\(refused.errors)"
            )
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
