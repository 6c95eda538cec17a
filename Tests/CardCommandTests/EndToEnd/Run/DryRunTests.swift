import Foundation
import TestSupport
import Testing

/// `run --dry-run` of the built command.
@Suite(.timeLimit(.minutes(5))) struct DryRunTests {
    /// An element of `inputs`.
    private struct Input: Decodable, Equatable {
        var source: String
        var action: String
        var businessNo: String?
        var businessNoFrom: String?
        var userNo: String?
        var userNoFrom: String?
        var side: String?
        var sideFrom: String?
        var expectedNameFrom: String?
        var reason: String?
    }

    private struct Report: Decodable {
        var dryRun: Bool
        var counts: [String: Int]
        var inputs: [Input]?
    }

    private let tool: Tool
    private let cards: URL

    init() throws {
        // No configuration, no key, no sandbox.
        self.tool = try Tool(withKey: false)
        self.cards = try self.tool.folder(
            "cards",
            [
                "LOAN-1/front.jpg": "cards/LOAN-2026-0001/front.jpg", "LOAN-1/row.jpg": "cards/LOAN-2026-0001/back.jpg",
                "LOAN-1/side.jpg": "cards/LOAN-2026-0002/front.jpg", "flat.jpg": "cards/LOAN-2026-0002/back.jpg",
            ]
        )
        try #"{"business_no": "S-1", "side": "back"}"#
            .write(to: self.cards.appending(path: "LOAN-1/side.jpg.json"), atomically: true, encoding: .utf8)
        try "path,business_no,expected_name\nLOAN-1/row.jpg,R-1,张三\n"
            .write(to: self.cards.appending(path: "m.csv"), atomically: true, encoding: .utf8)
        try "notes".write(to: self.cards.appending(path: "notes.txt"), atomically: true, encoding: .utf8)
    }

    private var command: [String] {
        ["run", self.cards.path, "--manifest", self.cards.path + "/m.csv", "--user-no", "U-1", "--dry-run"]
    }

    @Test func `it says which input goes to which case and user, and why, before any configuration`() async throws {
        let outcome = try await self.tool.run(self.command + ["--format", "json"], ends: 1)
        let report = try outcome.decoded(Report.self)
        #expect(report.dryRun)
        #expect(report.counts == ["take": 2, "refuse": 2, "ignore": 1])
        let base = self.cards.path + "/"
        func taken(_ name: String, _ number: String, from source: String) -> Input {
            Input(
                source: base + name,
                action: "take",
                businessNo: number,
                businessNoFrom: source,
                userNo: "U-1",
                userNoFrom: "option"
            )
        }
        var row = taken("LOAN-1/row.jpg", "R-1", from: "manifest row 2")
        row.expectedNameFrom = "manifest row 2"
        // The sidecar names another number than the folder: nobody knows whose card it is.
        let side = Input(source: base + "LOAN-1/side.jpg", action: "refuse", reason: "business_no_conflict")
        #expect(
            report.inputs == [
                taken("LOAN-1/front.jpg", "LOAN-1", from: "folder"), row, side,
                Input(source: base + "flat.jpg", action: "refuse", reason: "business_no_missing"),
                Input(source: base + "notes.txt", action: "ignore", reason: "unsupported_format"),
            ]
        )
        #expect(!outcome.output.contains("张三"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.tool.home.path) == ["cards"])
    }

    @Test func `as lines of text, and as lines of JSON with the counts last`() async throws {
        let text = try await self.tool.run(self.command).lines
        #expect(text.count == 6)
        let first = "take    \(self.cards.path)/LOAN-1/front.jpg: case LOAN-1 (folder), user U-1 (option)"
        #expect(text.first == first)
        #expect(text.last == "5 inputs: 2 to take, 2 to refuse, 1 to ignore")
        let lines = try await self.tool.run(self.command + ["--format", "jsonl"]).lines
        #expect(lines.count == 6)
        let last = try Tool.decoder.decode(Report.self, from: Data(#require(lines.last).utf8))
        #expect(last.dryRun && last.inputs == nil && last.counts["take"] == 2)
    }

    @Test func `in Chinese who says so is told in Chinese, and JSON keeps its words`() async throws {
        let chinese = ["LANG": "zh_CN.UTF-8"]
        let text = try await self.tool.run(self.command, chinese).lines
        #expect(text[0].hasSuffix("front.jpg：业务 LOAN-1（文件夹）、账号 U-1（选项）"), "\(text)")
        #expect(text.contains { $0.contains("申请姓名（清单第 2 行）") }, "\(text)")
        #expect(text.last == "5 个输入：2 个将导入、2 个不接收、1 个忽略")
        let json = try await self.tool.run(self.command + ["--format", "json"], chinese).decoded(Report.self)
        #expect(json.inputs?.map(\.businessNoFrom) == ["folder", "manifest row 2", nil, nil, nil])
    }

    @Test func `its exit status is that of a run with these refusals`() async throws {
        #expect(try await self.tool.run(["run", self.cards.path + "/LOAN-1", "--dry-run"]).status == 1)
        let told = ["run", self.cards.path + "/LOAN-1/front.jpg", "--dry-run", "--business-no", "N-1"]
        #expect(try await self.tool.run(told).status == 0)
        #expect(try await self.tool.run(["run", self.cards.path + "/none", "--dry-run"]).status == 66)
    }

    /// The C library gives a record of a folder as long as its name; `dirent` is declared with 256 bytes of it.
    @Test func `a folder is listed without reading past its records`() async throws {
        let shim = try await self.tool.shim("records")
        let mark = self.tool.home.appending(path: "mark").path
        let variables = ["LD_PRELOAD": shim, "PROOF_RECORDS_MARK": mark]
        let outcome = try await self.tool.run(self.command + ["--format", "json"], variables, ends: 1)
        let report = try outcome.decoded(Report.self)
        #expect(report.counts == ["take": 2, "refuse": 2, "ignore": 1])
        // Else no record went through the shim.
        #expect(FileManager.default.fileExists(atPath: mark))
    }

    @Test func `a sandbox that is there stays as it is, byte by byte`() async throws {
        let box = self.tool.home.appending(path: "box")
        let variables = ["IDCARD_SANDBOX_PATH": box.path]
        try await self.tool.run(["run", self.cards.path, "--embedded"], variables, ends: 1)
        let before = try self.content(of: box)
        #expect(before.count > 2)
        #expect(try await self.tool.run(self.command + ["--embedded"], variables).status == 1)
        #expect(try self.content(of: box) == before)
    }

    private func content(of folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return names.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: folder.path + "/" + $1) }
    }

    @Test func `with a backend but no account configured, an image without one is refused as in a run`() async throws {
        let folder = self.cards.path + "/LOAN-1"
        let command = ["run", folder, "--business-no", "B-1", "--dry-run"]
        #expect(try await self.tool.run(command).status == 0)
        let backend = ["IDCARD_DELIVERY_URL": "https://backend.example/upload"]
        let refused = try await self.tool.run(command, backend, ends: 1)
        #expect(refused.output.contains("user_no_missing"))
        let account = backend.merging(["IDCARD_DELIVERY_USER_NO": "10086"]) { $1 }
        let known = try await self.tool.run(command, account, ends: 0)
        #expect(known.output.contains("default user (configuration)") && !known.output.contains("10086"))
    }
}
