import CardModel
import CardStore
import Foundation
import TestSupport
import Testing

/// What the commands show and write of a card about which a person must decide.
@Suite(.timeLimit(.minutes(5))) struct DecisionCommandTests {
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array("SPECIMEN".utf8))
    private static let sentAt = Timestamp(millisecondsSinceEpoch: 1_793_500_000_000)
    private let tool: Tool

    init() throws { self.tool = try Tool() }

    /// A card of `local`, and one that a stranger sent under its number and that was not prepared yet.
    private func admitForeign() async throws -> (own: String, foreign: String) {
        let store = try await self.tool.sandbox()
        let own = try await store.admitPhotos(["R-1"], now: Self.sentAt)[0]
        var random = SystemRandomNumberGenerator()
        let photo = NewCard(
            id: CardID.generate(at: Self.sentAt, using: &random),
            photo: Photo(
                .bytes(Self.png, ContentDigest(of: Self.png)),
                name: Redacted("SPECIMEN-front.png"),
                metadata: CardMetadata(businessNumber: BusinessNumber(stored: "R-1"))
            ),
            submitter: "stranger",
            source: ContentDigest(of: Self.png),
            content: .received(Self.png),
            waitsUntil: Self.sentAt
        )
        let now = Self.sentAt.advanced(by: .seconds(60))
        let outcome = try await store.intake.admit([photo], now: now)[0]
        #expect(outcome.reason == .submitterConflict)
        try store.close()
        return (own.rawValue, outcome.card.rawValue)
    }

    @Test func `a stranger's photo is shown with both senders, and its image is exported`() async throws {
        let (own, foreign) = try await self.admitForeign()
        let shown = try await self.tool.run(["cards", "show", foreign], ends: 0).lines
        #expect(shown[0].hasPrefix("\(foreign)  held"))
        #expect(shown[1].hasPrefix("  another submitter sent the first card of this business number; "), "\(shown)")
        #expect(shown[1].contains("idcard-pipeline cards export \(foreign) --output DIR"))
        #expect(shown[2] == "  sent by stranger at \(Self.sentAt.advanced(by: .seconds(60)).local)", "\(shown)")
        let owner = "  the first card of this business number was sent by local at \(Self.sentAt.local)"
        #expect(shown[3] == owner, "\(shown)")
        let others = try #require(shown.firstIndex(of: "  other cards of the case:"))
        #expect(shown[others + 1].hasPrefix("    \(own)  prepared"))
        #expect(shown[others + 2] == "      sent by local at \(Self.sentAt.local)")
        #expect(shown.last?.hasSuffix(" held (submitter_conflict)") == true)
        #expect(!shown.joined().contains("SPECIMEN-front.png"))
        let revealed = try await self.tool.run(["cards", "show", foreign, "--reveal"], ends: 0).output
        #expect(revealed.contains("\n  input_name: SPECIMEN-front.png\n"))
        let listed = try await self.tool.run(["cases", "show", "R-1"], ends: 0).output
        let later = Self.sentAt.advanced(by: .seconds(60)).local
        #expect(listed.contains("\n    sent by stranger at \(later)\n"), "\(listed)")
        let folder = self.tool.home.appending(path: "out")
        let written = try await self.tool.run(["cards", "export", foreign, "--output", folder.path], ends: 0).lines
        #expect(written == ["json", "png"].map { folder.appending(path: "\(foreign).\($0)").path })
        #expect(try Data(contentsOf: folder.appending(path: "\(foreign).png")) == Self.png)
        let fields = try String(contentsOf: folder.appending(path: "\(foreign).json"), encoding: .utf8)
        #expect(fields.contains("SPECIMEN-front.png") && fields.contains("\"submitter\" : \"stranger\""))
    }

    @Test func `an export without an image writes the fields, says so and ends with 1`() async throws {
        let (own, _) = try await self.admitForeign()
        try await self.tool.plant("UPDATE blob SET bytes = x'00' WHERE card = '\(own)'")
        let folder = self.tool.home.appending(path: "out").path
        let outcome = try await self.tool.run(["cards", "export", own, "--output", folder], ends: 1)
        #expect(outcome.lines == ["\(folder)/\(own).json"])
        #expect(outcome.errors.contains("only the fields of card \(own) were written"), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["\(own).json"])
    }

    @Test func `a decision stands in the history with who made it and why`() async throws {
        let (_, foreign) = try await self.admitForeign()
        try await self.tool.run(["cards", "resolve", foreign, "--as", "reject", "--why", "ticket 7"], ends: 0)
        let shown = try await self.tool.run(["cards", "show", foreign], ends: 0).lines
        #expect(shown[shown.count - 2].contains(" decision (resolve): by "), "\(shown)")
        #expect(shown[shown.count - 2].hasSuffix(":cards resolve --as reject; why: ticket 7"), "\(shown)")
        #expect(shown.last?.hasSuffix(" rejected (rejected_by_operator)") == true)
    }

    @Test func `a decision for two persons waits, and another person's carries it out`() async throws {
        let (own, foreign) = try await self.admitForeign()
        try await self.tool.sandbox(fourEyes: [.accept, .erase]).close()
        // A variable of a command takes nothing off the list of the sandbox.
        let list = ["IDCARD_REVIEW_FOUR_EYES": ""]
        let accept = ["cards", "resolve", foreign, "--as", "accept"]
        let waits = "card \(foreign): the decision waits for a second person"
        for _ in 0..<2 {
            let outcome = try await self.tool.run(accept, list, ends: 0)
            #expect(outcome.lines == [] && outcome.errors.contains(waits), "\(outcome.errors)")
        }
        try await self.tool.run(["cards", "resolve", foreign, "--as", "withdraw"], list, ends: 0)
        let none = try await self.tool.run(["cards", "resolve", foreign, "--as", "withdraw"], list, ends: 1)
        #expect(none.errors.contains("no decision of yours about card \(foreign) waits"), "\(none.errors)")
        // Another person, by a token.
        let store = try await self.tool.sandbox()
        let li = try AccessOrigin(Caller(subject: "li.na", scopes: [.operate]), actor: "token:li.na", purpose: "T-1")
        let now = Timestamp(Date())
        let first = try await store.decisions.resolve(CardID(rawValue: foreign), as: .accept, by: li, now: now)
        #expect(first == .waitsForSecond)
        let erased = try await store.upkeep.erase([CardID(rawValue: own)], because: .requested, by: li, now: now)
        #expect(erased.certificates.isEmpty)
        try store.close()
        let other = try await self.tool.run(["cards", "resolve", foreign, "--as", "reject"], list, ends: 1)
        #expect(other.errors.contains("li.na decided accept about card \(foreign)"), "\(other.errors)")
        #expect(try await self.tool.run(accept, list, ends: 0).lines.first?.contains("  received") == true)
        let shown = try await self.tool.run(["cards", "show", foreign], ends: 0).output
        #expect(shown.contains("cards resolve --as accept, confirms li.na"), "\(shown)")
        // Each card on its own: the first is confirmed, the second waits.
        let erase = try await self.tool.run(["cards", "erase", own, foreign, "--yes"], list, ends: 0)
        #expect(erase.lines.first?.hasPrefix("\(own)  erased") == true && erase.errors.contains(waits), "\(erase)")
    }

    @Test func `the file of a command that decides adds to the list, and two persons shorten it`() async throws {
        let (_, foreign) = try await self.admitForeign()
        let file = self.tool.home.appending(path: "four.yaml")
        try Data("review.four_eyes: [accept, reject]\n".utf8).write(to: file)
        let config = ["--config", file.path]
        let accept = ["cards", "resolve", foreign, "--as", "accept"]
        let added = try await self.tool.run(accept + config, ends: 0).errors
        let said = ["two persons must decide accept alike", "waits for a second"]
        #expect(said.allSatisfy(added.contains), "\(added)")
        #expect(try await self.tool.run(["review"], ends: 0).lines == ["accept", "reject"])
        for _ in 0..<2 {
            let asked = try await self.tool.run(["review", "drop", "accept", "--why", "alone today"], ends: 0).errors
            #expect(asked.contains("another person agrees: idcard-pipeline review drop accept"), "\(asked)")
        }
        let status = try await self.tool.run(["status"], ends: 0)
        #expect(status.output.contains("wants one person alone to decide accept"), "\(status)")
        let store = try await self.tool.sandbox()
        let li = try AccessOrigin(Caller(subject: "li.na", scopes: [.operate]), actor: "token:li.na", purpose: "T-1")
        #expect(
            try await store.decisions.dropFourEyes(.accept, confirming: true, by: li, now: Timestamp(Date()))
                == .dropped
        )
        try store.close()
        let kept = try await self.tool.run(["review", "keep", "reject"], ends: 1).errors
        #expect(kept.contains("no one has asked that one person alone may decide reject"), "\(kept)")
        #expect(try await self.tool.run(["review", "list", "--format", "json"], ends: 0).output.contains("\"reject\""))
        // What was written for two persons stays so.
        #expect(try await self.tool.run(accept, ends: 0).errors.contains("waits for a second person"))
    }

    @Test func `what no second person can decide is no word of the list`() async throws {
        let outcome = try await self.tool.run(
            ["config", "check"],
            ["IDCARD_REVIEW_FOUR_EYES": "accept, seen"],
            ends: 78
        )
        #expect(outcome.output.contains("review.four_eyes"), "\(outcome)")
    }
}
