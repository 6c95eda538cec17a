import CardModel
import CardStore
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct EraseCommandTests {
    private struct Certificates: Decodable {
        struct Certificate: Decodable {
            var cardId: String
            var reason: String
        }

        var erasures: [Certificate]
    }

    private let tool: Tool

    init() throws { self.tool = try Tool() }

    private func erase(
        _ arguments: [String],
        _ variables: [String: String] = [:],
        ends status: Int32 = 0
    ) async throws -> [Certificates.Certificate] {
        let command = ["cards", "erase", "--yes", "--format", "json"] + arguments
        return try await self.tool.run(command, variables, ends: status).decoded(Certificates.self).erasures
    }

    @Test func `the business number of nobody is an error, and nothing is erased`() async throws {
        try await self.tool.admitting(["R-1"])
        let outcome = try await self.tool.run(["cards", "erase", "--yes", "--business-no", "R-9"])
        #expect(outcome.status == 66 && outcome.errors.contains("no card has the business number R-9"))
        let list = try await self.tool.run(["cards", "list"])
        #expect(list.output.contains("prepared"))
    }

    @Test func `a named card is erased because it was asked for, an expired one because it has expired`() async throws {
        let cards = try await self.tool.admitting(["R-1", "R-2"])
        let aged =
            "UPDATE card SET state = 'failed', reason = 'attempts_exhausted', changed_at = changed_at - 864000000"
        try await self.tool.plant("\(aged) WHERE id = '\(cards[1])'")
        let certificates = try await self.erase([cards[0].rawValue, "--expired"], ["IDCARD_RETENTION_FAILED": "1d"])
        let reasons = Dictionary(uniqueKeysWithValues: certificates.map { ($0.cardId, $0.reason) })
        #expect(reasons == [cards[0].rawValue: "requested", cards[1].rawValue: "retention"])
    }

    /// Runs a command at a terminal where an answer is typed.
    private func erase(_ arguments: [String], typing answer: String, ends status: Int32) async throws -> Tool.Outcome {
        let program = """
            import os, pty, sys
            process, terminal = pty.fork()
            if process == 0: os.execv(sys.argv[2], sys.argv[2:])
            os.write(terminal, (sys.argv[1] + "\\n").encode())
            try:
                while said := os.read(terminal, 4096): os.write(1, said)
            except OSError: pass
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
            """
        let python = Project.root.appending(path: ".venv/bin/python3").path
        return try await self.tool.run(
            ["cards", "erase"] + arguments,
            ["IDCARD_RETENTION_FAILED": "1d"],
            wrapper: [python, "-c", program, answer],
            ends: status
        )
    }

    private struct CardList: Decodable {
        struct Card: Decodable {
            var cardId: String
        }

        var cards: [Card]
    }

    @Test func `the question names how many cards expired and the oldest date, a dry run lists them`() async throws {
        let cards = try await self.tool.admitting(["R-1", "R-2", "R-3", "R-4"]).map(\.rawValue)
        let aged = "UPDATE card SET state = 'failed', reason = 'attempts_exhausted', changed_at ="
        try await self.tool.plant(
            "\(aged) 1700000000000 WHERE id = '\(cards[0])'",
            "\(aged) 1700086400000 WHERE id = '\(cards[1])'"
        )
        // One is named, and one both named and past its retention.
        let command = ["cards", "erase", "--expired", cards[0], cards[2], "--dry-run", "--format", "json"]
        let dry = try await self.tool.run(command, ["IDCARD_RETENTION_FAILED": "1d"], ends: 0)
        let listed = try dry.decoded(CardList.self).cards.map(\.cardId)
        #expect(listed == [cards[0], cards[2], cards[1]])
        let oldest = Timestamp(millisecondsSinceEpoch: 1_700_000_000_000).local
        let question = "Erase 2 cards for good (past their retention: 2, the oldest unchanged since \(oldest)"
        let refused = try await self.erase(["--expired"], typing: "no", ends: 1)
        #expect(refused.output.contains(question) && refused.output.contains("nothing was erased"), "\(refused.output)")
        let list = ["cards", "list", "--quiet", "--state", "erased"]
        #expect(try await self.tool.run(list).output.isEmpty)
        _ = try await self.erase(["--expired"], typing: "yes", ends: 0)
        #expect(try await self.tool.run(list).lines == Array(cards.prefix(2)))
        // Nothing is left that would be asked about.
        #expect(try await !self.erase(["--expired"], typing: "no", ends: 0).output.contains("Erase"))
    }

    @Test(arguments: [true, false])
    func `images that are past their retention go, but not where an erasure needs two persons`(isForTwo: Bool)
        async throws
    {
        let card = try await self.tool.admitting(["R-1"])[0]
        try await self.tool.plant(
            "UPDATE card SET state = 'delivered', changed_at = changed_at - 864000000 WHERE id = '\(card)'"
        )
        let store = try await self.tool.sandbox(fourEyes: isForTwo ? [.erase] : [])
        let variables = ["IDCARD_RETENTION_IMAGES": "1d"]
        try await self.tool.run(["cards", "erase", "--expired", "--yes"], variables, ends: 0)
        let details = try await store.listings.details(of: card, for: .process)
        #expect((details.imageDroppedAt == nil) == isForTwo && (details.imageBytes == nil) != isForTwo)
        try store.close()
    }

    @Test func `what was erased before the sandbox failed has its certificate`() async throws {
        // One more than a transaction erases.
        let cards = try await self.tool.admitting((1...9).map { "R-\($0)" }).map(\.rawValue)
        try await self.tool.plant(
            "UPDATE card SET state = 'failed', reason = 'attempts_exhausted', changed_at = changed_at - 864000000",
            "UPDATE card SET changed_at = changed_at + 60000 WHERE id = '\(cards[8])'",
            """
            CREATE TRIGGER full BEFORE UPDATE ON card WHEN new.id = '\(cards[8])'
            BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END
            """
        )
        let certificates = try await self.erase(["--expired"], ["IDCARD_RETENTION_FAILED": "1d"], ends: 74)
        #expect(Set(certificates.map(\.cardId)) == Set(cards.prefix(8)))
    }

    @Test func `a card that is named twice has one certificate, whose lines people read one by one`() async throws {
        let card = try await self.tool.admitting(["R-1"])[0].rawValue
        let certificates = try await self.erase([card, card, "--business-no", "R-1"])
        #expect(certificates.map(\.cardId) == [card])
        let text = try await self.tool.run(["cards", "erase", "--yes", card], ends: 0)
        let lines = text.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("\(card)  erased") == true)
        #expect(lines.count > 1 && lines.dropFirst().allSatisfy { $0.hasPrefix("  ") }, "\(text.output)")
    }

    @Test func `a clock that is far behind erases nothing, and --expired says so`() async throws {
        let store = try await self.tool.sandbox()
        _ = try await store.upkeep.recordClock(Timestamp(Date()))
        try store.close()
        let variables = ["LD_PRELOAD": try await self.tool.shim("clock"), "PROOF_CLOCK_OFFSET": "-2592000"]
        let erase = ["cards", "erase", "--expired", "--yes"]
        let outcome = try await self.tool.run(erase, variables)
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.output)")
        #expect(outcome.errors.contains("the clock is more than a week behind"), "\(outcome.errors)")
        let dry = try await self.tool.run(["cards", "erase", "--expired", "--dry-run"], variables)
        #expect(dry.errors.contains("the clock is more than a week behind"), "\(dry.errors)")
        #expect(try await self.tool.run(erase).errors.isEmpty)
    }

    @Test func `documents of the built-in backend go once its folder is named, also after the card`() async throws {
        let photos = try self.tool.folder("photos", ["R-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let options = ["--embedded", "--documents", self.tool.documents.path]
        try await self.tool.run(["run", photos.path] + options, ends: 0)
        let id = try #require(try await self.tool.run(["cards", "list", "--quiet", "--embedded"]).lines.first)
        // Another folder, where nothing of it lies.
        let other = self.tool.home.appending(path: "other").path
        _ = try await self.erase([id, "--embedded", "--documents", other])
        #expect(try self.tool.images() == 1)
        let report = self.tool.home.appending(path: "calls.txt")
        let counting = [
            "LD_PRELOAD": try await self.tool.shim("shim"), "PROOF_SHIM_MODE": "count",
            "PROOF_SHIM_REPORT": report.path, "PROOF_SHIM_BELOW": self.tool.documents.appending(path: "documents").path,
        ]
        try await self.tool.run(["cards", "erase", id, "--yes"] + options, counting, ends: 0)
        #expect(try self.tool.images() == 0)
        #expect(try self.tool.ledger().allSatisfy { $0.imageSha256.isEmpty })
        // The folder that no longer names that of the number: a lost image is lost for good.
        let calls = try String(contentsOf: report, encoding: .utf8).split(separator: "\n")
        #expect(calls.contains("fsync 1"), "\(calls)")
    }

    @Test func `an export is durable with its folder, and the log has a line of it`() async throws {
        let card = try await self.tool.admitting(["R-1"])[0].rawValue
        let folder = self.tool.home.appending(path: "exported")
        let report = self.tool.home.appending(path: "calls.txt")
        let counting = [
            "LD_PRELOAD": try await self.tool.shim("shim"), "PROOF_SHIM_MODE": "count",
            "PROOF_SHIM_REPORT": report.path, "PROOF_SHIM_BELOW": folder.path,
        ]
        let command = ["cards", "export", card, "--output", folder.path, "--why", "ticket 7"]
        try await self.tool.run(command, counting, ends: 0)
        // Two files and the folder that names them.
        let calls = try String(contentsOf: report, encoding: .utf8).split(separator: "\n")
        #expect(calls.filter { $0.hasPrefix("fsync ") } == ["fsync 3"], "\(calls)")
        let again = try await self.tool.run(command)
        #expect(again.status == 66 && again.errors.contains("it exists; remove it"))
        let impossible = ["cards", "export", card, "--output", "\(folder.path)/\(card).jpg/below"]
        let refused = try await self.tool.run(impossible)
        #expect(refused.status == 66 && refused.errors.contains("Not a directory"), "\(refused.errors)")
        // With one of the two in the way nothing is written; out of the way, both are.
        try FileManager.default.removeItem(at: folder.appending(path: "\(card).json"))
        #expect(try await self.tool.run(command).status == 66)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == ["\(card).jpg"])
        try FileManager.default.removeItem(at: folder.appending(path: "\(card).jpg"))
        try await self.tool.run(command, ends: 0)
        let log = try await self.tool.run(["cards", "log", "--format", "jsonl"])
        #expect(log.output.split(separator: "\n").count { $0.contains("export") && $0.contains("ticket 7") } == 4)
        // What a card has not, and what a line is not about, is null: a key is there all the same.
        let last = try #require(log.output.split(separator: "\n").last)
        #expect(last.contains(#""card_id":null"#), "\(last)")
        let exported = try Data(contentsOf: folder.appending(path: "\(card).json"))
        let document = try #require(try JSONSerialization.jsonObject(with: exported) as? [String: Any])
        let submitted = try #require(document["submitted"] as? [String: Any])
        for key in ["user_no", "expected_id_number", "expected_name"] { #expect(submitted[key] is NSNull, "\(key)") }
    }
}
