import Foundation
import Subprocess
import TestSupport
import Testing

/// What a user is told of a card when its photo is given again.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KnownCardTests {
    private let tool: Tool
    private let photos: URL
    /// Reads a wrong check digit from photos with the serial 0.
    private let verifier = MarkVerifier { photo in photo.serial == 0 ? Self.wrongCheckDigit(photo) : nil }

    init() throws {
        self.tool = try Tool()
        self.photos = try self.tool.folder("photos", ["K-1/a.jpg": .front(1)])
    }

    static func wrongCheckDigit(_ photo: MarkedPhoto) -> FaultReply {
        let number = photo.holder.number
        let answer = String(decoding: MarkDialect.faceIDv1.answer(about: photo).bytes, as: UTF8.self)
        return FaultReply(raw: answer.replacing(number, with: number.dropLast() + (number.hasSuffix("1") ? "2" : "1")))
    }

    private func serving(
        _ configuration: RemoteConfiguration = RemoteConfiguration(),
        _ body: (_ run: [String], _ file: [String]) async throws -> Void
    ) async throws {
        try await self.tool.servingBoth(with: configuration, verifier: self.verifier) { file in
            try await body(["run", self.photos.path, "--quiet"] + file, file)
        }
    }

    /// What `status` and the list show of cards that need a person: how many to decide, how many to retake, and their ids.
    private func attention(_ file: [String]) async throws -> (decide: Int, retake: Int, ids: [String]) {
        struct Status: Decodable {
            var needingAttention: Int
            var toRetake: Int
        }
        let status: Status = try await self.tool.run(["status", "--format", "json"] + file, ends: 0).decoded()
        let list = try await self.tool.run(["cards", "list", "--attention", "--quiet"] + file, ends: 0)
        return (status.needingAttention, status.toRetake, list.lines)
    }

    @Test func `a refused photo is told at every run, until a later one of its side was delivered`() async throws {
        try await self.serving { run, file in
            for _ in 1...2 {
                let output = try await self.tool.run(run, ends: 1).output.split(separator: "\n")
                #expect(output.count == 2 && output.last == "1 input: 1 rejected", "\(output)")
                #expect(output.first?.contains("a.jpg id_number_checksum: ") == true, "\(output)")
            }
            let news = try await self.tool.run(run + ["--new-only"], ends: 0)
            #expect(news.output == "1 input: 1 duplicate\n")
            let (decide, retake, ids) = try await self.attention(file)
            #expect(decide == 0 && retake == 1 && ids.count == 1)
            let status = try await self.tool.run(["status"] + file, ends: 0).output
            #expect(status.hasPrefix("retake      1\n  1      id_number_checksum, since "), "\(status)")
            #expect(status.contains("cards: rejected 1\n"), "\(status)")
            let cases = try await self.tool.run(["cases", "list"] + file, ends: 0).lines
            let line = "  K-1  front id_number_checksum, also missing: back"
            #expect(cases.count == 2 && cases[0].hasSuffix(line), "\(cases)")
            #expect(cases[1].hasPrefix("  the check character of the identity number is wrong; take a sharper photo"))
            #expect(try await self.tool.run(["cases", "list", "--state", "decide"] + file, ends: 0).output == "")
            #expect(try await self.tool.run(["cases", "list", "--since", "2999-01-01"] + file, ends: 0).output == "")
            let table = try await self.tool.run(["cases", "list", "--format", "csv"] + file, ends: 0).lines
            #expect(table.count == 2 && table[0].hasPrefix("\u{FEFF}business number,state,since ("), "\(table)")
            let cells = ",\"front, back\",\"retake the front: the check character of the identity number is wrong"
            #expect(
                table[1].hasPrefix("K-1,photo must be taken again,\"=\"\"20") && table[1].contains(cells),
                "\(table)"
            )
            let shown = try await self.tool.run(["cases", "show", "K-1"] + file, ends: 0).lines
            #expect(shown.count == 4 && shown[1].hasPrefix("  \(ids[0].suffix(8))  rejected"), "\(shown)")
            #expect(shown[3].hasPrefix("    sent by local at 20"))
            let other = try await self.tool.run(["cases", "show", "K-2"] + file, ends: 66)
            #expect(other.errors.contains("there is no case with the business number K-2"))
            try MarkedPhoto.front(1, serial: 1).jpeg.write(to: self.photos.appending(path: "K-1/b.jpg"))
            let both = try await self.tool.run(run, ends: 0)
            #expect(both.output == "2 inputs: 1 delivered, 1 duplicate\n")
            #expect(try await self.tool.run(run, ends: 0).output == "2 inputs: 2 duplicate\n")
            let after = try await self.attention(file)
            #expect(after.retake == 0 && after.ids.isEmpty)
            let incomplete = try await self.tool.run(["cases", "list", "--since", "1h"] + file, ends: 0).output
            #expect(
                incomplete.hasPrefix("incomplete ") && incomplete.contains("  K-1  back\n  not delivered: back; "),
                "\(incomplete)"
            )
        }
        #expect(try self.tool.ledger().count == 1)
    }

    @Test(arguments: ["reject", "hold"])
    func `a card that a person marked as seen counts no more until its state changes`(severity: String) async throws {
        let configuration = RemoteConfiguration(others: ["verdict: {severity: {id_number_checksum: \(severity)}}"])
        try await self.serving(configuration) { run, file in
            let state = severity == "reject" ? "rejected" : "held"
            #expect(try await self.tool.run(run, ends: 1).output.hasSuffix("1 input: 1 \(state)\n"))
            let known = try await self.tool.run(run + ["--format", "json"], ends: 1)
            #expect(known.errors.contains("1 known card still needs a person; to hide one: "), "\(known.errors)")
            let counts = try known.json().counts
            #expect(counts[state] == 1 && counts["duplicate"] == 0)
            let before = try await self.attention(file)
            #expect(before.decide == (state == "held" ? 1 : 0) && before.retake == (state == "held" ? 0 : 1))
            let id = try #require(before.ids.first)
            let seen = try await self.tool.run(["cards", "resolve", id, "--as", "seen"] + file, ends: 0)
            #expect(seen.output.hasPrefix("\(id.suffix(8))  \(state)"))
            let again = try await self.tool.run(run, ends: 0)
            #expect(again.output == "1 input: 1 duplicate\n")
            let after = try await self.attention(file)
            #expect(after.decide == 0 && after.retake == 0 && after.ids.isEmpty)
            let log = try await self.tool.run(["cards", "log"] + file, ends: 0).output.split(separator: "\n")
            #expect(log.count { $0.contains("cards resolve --as seen") && $0.contains(id) } == 1, "\(log)")
            try await self.tool.run(["cards", "retry", id] + file, ends: 0)
            #expect(try await self.tool.run(run, ends: 1).output.contains("1 \(state)"))
            #expect(try await self.attention(file).ids == [id])
        }
    }

    @Test func `a refused photo is told at once, and again after the process was killed`() async throws {
        try MarkedPhoto.back(1, serial: 1).jpeg.write(to: self.photos.appending(path: "K-1/b.jpg"))
        let gate = Gate()
        self.verifier.answer { photo in
            photo.serial == 0 ? Self.wrongCheckDigit(photo) : await gate.wait()
        }
        try await self.serving { run, _ in
            let wrapper = ["/bin/sh", "-c", "exec \"$@\" >&2", "sh"]
            let status = try await self.tool.running(run, wrapper: wrapper) { lines, send in
                #expect(try await lines.line(containing: "a.jpg id_number_checksum: ") != nil)
                try send(.kill)
            }
            #expect(status == 137)
            gate.open()
            let again = try await self.tool.run(run, ends: 1).output
            #expect(again.components(separatedBy: "a.jpg id_number_checksum: ").count == 2, "\(again)")
        }
    }

    @Test func `what a person decided is told at every run, and fails none`() async throws {
        self.verifier.answer { _ in nil }
        let configuration = RemoteConfiguration(others: ["verdict: {min_age: 150, severity: {under_age: hold}}"])
        try await self.serving(configuration) { run, file in
            try await self.tool.run(run, ends: 1)
            let id = try #require(try await self.attention(file).ids.first)
            try await self.tool.run(["cards", "resolve", id, "--as", "reject"] + file, ends: 0)
            let rejected = try await self.tool.run(run, ends: 0).output
            #expect(rejected.contains("a.jpg rejected_by_operator") && rejected.hasSuffix("1 input: 1 rejected\n"))
            #expect(try await self.attention(file).ids.isEmpty)
            try await self.tool.run(["cards", "erase", id, "--yes", "--why", "asked"] + file, ends: 0)
            for _ in 1...2 {
                let erased = try await self.tool.run(run, ends: 0).output
                #expect(
                    erased.contains(
                        "a.jpg requested: the card of this photo was erased, so the photo is not imported again; delete its file"
                    )
                )
                #expect(erased.hasSuffix("1 input: 1 erased\n"), "\(erased)")
            }
        }
    }

    @Test func `a finding that only warns stands in the history of the card, which is delivered`() async throws {
        self.verifier.answer { _ in nil }
        // Nobody is that old.
        let configuration = RemoteConfiguration(others: ["verdict: {min_age: 150, severity: {under_age: warn}}"])
        try await self.serving(configuration) { run, file in
            let id = try await self.tool.run(run + ["--format", "json"], ends: 0).json().cards.first?.cardId
            let history = try await self.tool.run(["cards", "show", try #require(id)] + file, ends: 0)
            #expect(history.output.contains("warning (under_age)"), "\(history.output)")
        }
    }
}
