import Foundation
import TestSupport
import Testing

/// The day of an office clerk who reads Chinese: a folder of cases, one run, one list of what is wrong, better photos.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ClerkTests {
    private static let chinese = ["LANG": "zh_CN.UTF-8"]
    private static let open = ["decide", "failed", "retake", "in_progress", "incomplete"].flatMap { ["--state", $0] }

    private let tool: Tool
    private let photos: URL
    /// First photos of some holders are bad in a way each; better ones have another serial.
    private let verifier = MarkVerifier { photo in
        guard photo.serial == 0 else { return nil }
        return switch (photo.holder.place, photo.side) {
        case (1, .front): KnownCardTests.wrongCheckDigit(photo)
        case (2, .back): Self.altered(photo) { $0["valid_date"] = "2001.04.01-2011.04.01" }
        case (3, .front): Self.altered(photo) { $0["legality"] = ["ID Photo": 0.02, "Screen": 0.98] }
        case (4, .back): Self.altered(photo) { $0["legality"] = ["ID Photo": 0.02, "Photocopy": 0.98] }
        case (5, .front): MarkDialect.faceIDv1.answer(about: nil)
        default: nil
        }
    }

    init() throws {
        self.tool = try Tool()
        let numbers = (1...40).map(Self.number)
        self.photos = try self.tool.pairs(numbers)
        try self.spoil()
    }

    private static func number(_ place: Int) -> String { "贷款-" + String(1000 + place) }

    private static func altered(_ photo: MarkedPhoto, _ change: (inout [String: Any]) -> Void) -> FaultReply {
        let body = MarkDialect.faceIDv1.answer(about: photo).bytes.split(separator: 0x0A).last ?? []
        guard var answer = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            return .unavailable(retryAfterSeconds: 1)
        }
        change(&answer)
        let data = (try? JSONSerialization.data(withJSONObject: answer)) ?? Data()
        return .json(String(decoding: data, as: UTF8.self))
    }

    private func file(_ place: Int, _ name: String) -> URL {
        self.photos.appending(path: "\(Self.number(place))/\(name).jpg")
    }

    /// What goes wrong at the scanner; the verifier refuses the photos of five more.
    private func spoil() throws {
        let (files, heic) = (FileManager.default, Data([0, 0, 0, 24]) + Data("ftypheic\0\0\0\0mif1heic".utf8))
        try files.removeItem(at: self.file(6, "back"))
        try files.removeItem(at: self.file(7, "front"))
        try heic.write(to: self.file(8, "front"))
        try Data().write(to: self.file(9, "back"))
        // Out of its folder, into the one above, which names no case.
        try files.moveItem(at: self.file(10, "back"), to: self.photos.appending(path: "back.jpg"))
        try MarkedPhoto.front(50).jpeg.write(to: self.file(11, "front2"))
        // The front was photographed twice.
        try MarkedPhoto.front(12, serial: 1).jpeg.write(to: self.file(12, "back"))
    }

    /// English sentences: three words in a row that are no command, code or path.
    private func expectChinese(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let plain = text.replacing(/idcard-pipeline [^；。，）\n]*/, with: "").replacing(self.photos.path, with: "")
        for match in plain.matches(of: /[A-Za-z']+( [A-Za-z']+){2,}/) {
            Issue.record("English: \(match.output.0) in \(text)", sourceLocation: sourceLocation)
        }
        #expect(text.contains(/\p{Han}/), "\(text)", sourceLocation: sourceLocation)
    }

    /// The open cases: number, and in other words than those of programs, their state and what to do.
    private func openCases(_ file: [String]) async throws -> [(number: String, state: String, task: String)] {
        let list = ["cases", "list", "--format", "csv"] + Self.open + file
        return try await self.tool.run(list, Self.chinese, ends: 0).lines.dropFirst().map { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            try #require(cells.count == 7, "\(line)")
            return (cells[0], cells[1], cells[4])
        }
    }

    @Test func `one list shows the bad cases in Chinese, better photos end them, and nothing is left`() async throws {
        try await self.tool.servingBoth(verifier: self.verifier) { file in
            let run = ["run", self.photos.path] + file
            let first = try await self.tool.run(run, Self.chinese, ends: 1)
            let said = first.lines + first.errors.split(separator: "\n").map(String.init)
            for line in said where !line.isEmpty { self.expectChinese(line) }
            #expect(first.output.contains("/back.jpg superseded：front.jpg 也是人像面；缺国徽面\n"), "\(first.output)")
            let bad = try await self.openCases(file)
            #expect(Set(bad.map(\.number)) == Set((1...12).map(Self.number)))
            #expect(bad.count == 12)
            for one in bad {
                self.expectChinese(one.state)
                self.expectChinese(one.task)
            }
            // For people: a line with the codes, and one with the words.
            let text = try await self.tool.run(["cases", "list"] + Self.open + file, Self.chinese, ends: 0).lines
            #expect(text.count == 24, "\(text)")
            for line in text where line.hasPrefix("  ") { self.expectChinese(line) }
            let shown = try await self.tool.run(["cases", "show", Self.number(7)] + file, Self.chinese, ends: 0).lines
            #expect(shown.count == 4 && shown[1].contains("front_missing"), "\(shown)")
            self.expectChinese(shown[2])
            try self.mend(1...9)
            let second = try await self.tool.run(run, Self.chinese, ends: 1)
            for place in [1...9, 13...40].joined() {
                #expect(!second.output.contains(Self.number(place) + "/"), "\(second.output)")
            }
            #expect(Set(try await self.openCases(file).map(\.number)) == Set((10...12).map(Self.number)))
            try self.mend(10...12)
            try await self.decide(run, file)
            try await self.tool.run(run, Self.chinese, ends: 0)
            let left = try await self.openCases(file)
            #expect(left.isEmpty, "\(left)")
        }
    }

    @Test func `the list names the files of photos to a person who says why, and the log counts the cases`()
        async throws
    {
        try await self.tool.servingBoth(verifier: self.verifier) { file in
            try await self.tool.run(["run", self.photos.path] + file, Self.chinese, ends: 1)
            let list = ["cases", "list", "--files", "--state", "retake"]
            let refused = try await self.tool.run(list + file, Self.chinese, ends: 64)
            self.expectChinese(refused.errors.replacing(/--\w+( TEXT)?/, with: ""))
            let named = list + ["--why", "工单 7", "--format"]
            let bad = self.file(2, "back").path
            let table = try await self.tool.run(named + ["csv"] + file, ends: 0).lines
            #expect(table[0].hasSuffix(",photo,card,code"))
            let row = try #require(table.first { $0.hasPrefix(Self.number(2) + ",") })
            #expect(row.contains(",\(bad),") && !row.contains(self.file(2, "front").path), "\(row)")
            #expect(row.contains(",back,\"retake the back: "), "\(row)")
            let text = try await self.tool.run(named + ["text"] + file, Self.chinese, ends: 0).output
            #expect(text.contains("\n  文件：\(bad); "), "\(text)")
            struct List: Decodable {
                struct Case: Decodable {
                    var businessNo: String
                    var files: [String]?
                }
                var cases: [Case]
            }
            let json: List = try await self.tool.run(named + ["json"] + file, ends: 0).decoded()
            #expect(json.cases.first { $0.businessNo == Self.number(2) }?.files?.first == bad)
            let plain = try await self.tool.run(["cases", "list", "--format", "json"] + file, ends: 0)
            #expect(!plain.output.contains("files") && !plain.output.contains(".jpg"))
            let log = try await self.tool.run(["cards", "log", "--format", "jsonl"] + file, ends: 0).lines
            let lines = log.filter { $0.contains("\"action\":\"list\"") }
            #expect(lines.count == 3 && lines.allSatisfy { $0.contains("cases list --files, cases: 8") }, "\(lines)")
            #expect(lines.allSatisfy { $0.contains("工单 7") && !$0.contains(".jpg") }, "\(lines)")
        }
    }

    /// Says which of two persons a case is about.
    private func decide(_ run: [String], _ file: [String]) async throws {
        let cards = try await self.tool.run(run + ["--format", "json"], Self.chinese).json().cards
        let held = cards.filter { $0.state == "held" }
        #expect(held.count == 2 && held.allSatisfy { $0.businessNo == Self.number(11) }, "\(held)")
        for card in held {
            try await self.tool.run(["cards", "resolve", try #require(card.cardId), "--as", "accept"] + file, ends: 0)
        }
        let foreign = try await self.tool.run(["cards", "list", "--state", "held", "--quiet"] + file, ends: 0).lines
        for card in foreign { try await self.tool.run(["cards", "resolve", card, "--as", "reject"] + file, ends: 0) }
    }

    /// Takes better photos.
    private func mend(_ places: ClosedRange<Int>) throws {
        for place in places.map(UInt8.init) {
            let (front, back) = (self.file(Int(place), "front"), self.file(Int(place), "back"))
            switch place {
            case 1, 3, 5, 7, 8: try MarkedPhoto.front(place, serial: 2).jpeg.write(to: front)
            case 11: try FileManager.default.removeItem(at: self.file(11, "front2"))
            case 10: try FileManager.default.moveItem(at: self.photos.appending(path: "back.jpg"), to: back)
            default: try MarkedPhoto.back(place, serial: 2).jpeg.write(to: back)
            }
        }
    }
}
