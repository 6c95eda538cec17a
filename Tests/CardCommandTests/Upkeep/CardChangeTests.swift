import CardModel
import CardStore
import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CardChangeTests {
    private let tool: Tool

    init() throws { self.tool = try Tool() }

    private static let long = String(repeating: "R", count: 56)
    private static let failed = "UPDATE card SET state = 'failed', reason = 'attempts_exhausted', failures = 3"

    @Test func `what was changed before the sandbox failed is reported`() async throws {
        let cards = try await self.tool.admitting(["R-1", "R-2", "R-3"]).map(\.rawValue)
        try await self.tool.plant(
            Self.failed,
            """
            CREATE TRIGGER full BEFORE UPDATE ON card WHEN new.id = '\(cards[1])'
            BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END
            """
        )
        let retry = ["cards", "retry"] + cards
        let outcome = try await self.tool.run(retry, ends: 74)
        #expect(outcome.output.hasPrefix("\(cards[0].suffix(8))  ") && outcome.output.split(separator: "\n").count == 1)
        let states = try await self.tool.run(["cards", "list"]).output
        #expect(states.contains("prepared") && states.contains("failed"))
        try await self.tool.plant(Self.failed + " WHERE id = '\(cards[0])'")
        let document = try await self.tool.run(retry + ["--format", "json"], ends: 74).output
        let report = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: [[String: Any]]]
        #expect(report?["cards"]?.map { $0["card_id"] as? String } == [cards[0]])
    }

    @Test func `a card whose image retention has deleted is shown and exported without it, and says so`() async throws {
        let id = try await self.tool.admitting(["R-1"])[0].rawValue
        try await self.tool.plant(
            "UPDATE card SET state = 'delivered', image_dropped_at = 1700000000000",
            "DELETE FROM blob"
        )
        let gone = "the image was deleted at \(Timestamp(millisecondsSinceEpoch: 1_700_000_000_000).local)"
        let shown = try await self.tool.run(["cards", "show", id], ends: 0)
        #expect(shown.output.contains(gone), "\(shown.output)")
        let document = try await self.tool.run(["cards", "show", id, "--format", "json"], ends: 0).output
        #expect(document.contains("image_dropped_at") && document.contains("2023-11-14T22:13:20"))
        let out = self.tool.home.appending(path: "out").path
        let export = try await self.tool.run(["cards", "export", id, "--output", out], ends: 0)
        #expect(export.lines == ["\(out)/\(id).json"] && export.errors.contains(gone), "\(export.errors)")
        let retry = try await self.tool.run(["cards", "retry", id])
        #expect(retry.status == 1 && retry.errors.contains("no longer stored"), "\(retry.errors)")
    }

    @Test func `the last eight digits of an id are an id in every command, fewer are refused`() async throws {
        let ids = try await self.tool.admitting(["R-1", "R-2"]).map(\.rawValue)
        let short = ids.map { String($0.suffix(8)).uppercased() }
        let out = self.tool.home.appending(path: "out").path
        for command in [
            ["show", short[0]], ["show", short[0], "--reveal"], ["export", short[0], "--output", out],
            ["resolve", short[0], "--as", "reject"], ["retry", ids[0], short[0]], ["erase", short[0], "--yes"],
        ] {
            let outcome = try await self.tool.run(["cards"] + command)
            // A decision may be refused; that card is found.
            #expect([0, 1].contains(outcome.status), "\(command): \(outcome.errors)")
            let refused = command.map { short.contains($0) ? String($0.suffix(7)) : $0 }
            let error = try await self.tool.run(["cards"] + refused, ends: 64).errors
            #expect(error.contains("give the whole id, or at least its last 8 digits"), "\(command): \(error)")
        }
        #expect(FileManager.default.fileExists(atPath: "\(out)/\(short[0]).json"))
        let log = try await self.tool.run(["cards", "log", "--card", short[0]], ends: 0).lines
        #expect(log.count == 3 && log.allSatisfy { $0.contains(ids[0]) }, "\(log)")
        try await self.tool.run(["cards", "show", "ffffffff"], ends: 66)
        let list = try await self.tool.run(["cards", "list"], ends: 0).lines
        #expect(list.map { $0.hasPrefix(ids[0].suffix(8)) } == [true, false] && list[1].hasPrefix(ids[1].suffix(8)))
        let whole = try await self.tool.run(["cards", "list", "--quiet"], ends: 0).lines
        #expect(whole == ids)
    }

    /// Words of remote sides are no reasons of ours: they change nothing by their spelling.
    @Test func `a remote's code that is spelt as one of our reasons is found and retried by that code`() async throws {
        let cards = try await self.tool.admitting(["R-1", "R-2"]).map(\.rawValue)
        let refused = "UPDATE card SET state = 'rejected', reason = 'refused_by_remote', remote_code = "
        try await self.tool.plant(
            "\(refused)'restored' WHERE id = '\(cards[0])'",
            "\(refused)'rejected_by_person' WHERE id = '\(cards[1])'"
        )
        for (card, code) in zip(cards, ["restored", "rejected_by_person"]) {
            let list = try await self.tool.run(["cards", "list", "--reason", code, "--quiet"])
            #expect(list.output == card + "\n")
            let retried = try await self.tool.run(["cards", "retry", "--reason", code], ends: 0)
            #expect(retried.lines.count == 1 && retried.output.hasPrefix("\(card.suffix(8))  "), "\(retried.output)")
        }
    }

    /// Starts a command, reads its first line, changes the sandbox, and reads the rest.
    ///
    /// The reader holds 64 KiB and the pipe as much; the rows changed must lie behind that.
    private func lines(of arguments: [String], changingBehindTheFirst change: String) async throws -> [String] {
        let result = try await Subprocess.run(
            .path(FilePath(Project.binary.path)),
            arguments: Arguments(arguments),
            environment: .inherit.updating(["HOME": self.tool.home.path]),
            input: .none,
            output: .sequence,
            error: .discarded
        ) { execution in
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            var seen: [String] = []
            while let line = try await lines.next() {
                seen.append(line)
                if seen.count == 1 { try await self.tool.plant(change) }
            }
            return seen
        }
        #expect(result.terminationStatus.isSuccess)
        return result.closureResult
    }

    @Test func `a list is printed as it is read: what changes behind the reader's place is seen`() async throws {
        let cards = try await self.tool.admitting((1...2500).map { "\(Self.long)-\($0)" })
        let change = "\(Self.failed) WHERE id = '\(cards[2499])'"
        let lines = try await self.lines(of: ["cards", "list"], changingBehindTheFirst: change)
        #expect(lines.first?.hasPrefix("\(cards[0].rawValue.suffix(8))  ") == true)
        #expect(lines.last?.contains("failed") == true, "\(lines.last ?? "")")
    }

    @Test func `the access log is printed as it is read: changes behind the reader's place are seen`() async throws {
        try await self.tool.sandbox().close()
        try await self.tool.plant(
            """
            WITH RECURSIVE line(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM line WHERE number < 2500)
            INSERT INTO access_log SELECT number, 0, 'clerk', NULL, 'export', NULL, '\(Self.long)', NULL, NULL, x'00' FROM line
            """
        )
        let change = "UPDATE access_log SET purpose = 'changed' WHERE number = 2500"
        let lines = try await self.lines(of: ["cards", "log"], changingBehindTheFirst: change)
        #expect(lines.count == 2501)
        #expect(lines.first?.contains("(\(Self.long))") == true)
        #expect(lines.dropLast().last?.contains("(changed)") == true, "\(lines.dropLast().last ?? "")")
    }
}
