import Foundation
import IDCardTesting
import Testing

@Suite("Erasing cards, as a user does it", .serialized, .timeLimit(.minutes(Sanitizer.minutes(5))))
struct ErasureTests {
    /// A pair that was delivered, and the ids of its cards, by side.
    private func delivered(_ tool: Tool) async throws -> (run: [String], ids: [String: String]) {
        let photos = try tool.folder(
            "photos",
            [
                "CASE-CANARY-7781/front.jpg": "cards/LOAN-2026-0001/front.jpg",
                "CASE-CANARY-7781/back.jpg": "cards/LOAN-2026-0001/back.jpg",
            ]
        )
        let command = ["run", photos.path, "--embedded", "--format", "json"]
        let outcome = try await tool.run(command)
        #expect(outcome.status == 0, "\(outcome.errors)")
        var ids: [String: String] = [:]
        for card in try outcome.json().cards { ids[try #require(card.side)] = card.cardId }
        return (command, ids)
    }

    private func sandbox(of tool: Tool) -> URL {
        tool.home.appending(path: ".local/share/idcard-pipeline/embedded")
    }

    /// The files below a folder that hold a text, whatever is in them.
    private func files(in folder: URL, holding text: String) throws -> [String] {
        let needle = Data(text.utf8)
        let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects.compactMap { $0 as? String } ?? []
        return try names.filter { name in
            let url = folder.appending(path: name)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { return false }
            return try name.contains(text) || Data(contentsOf: url).range(of: needle) != nil
        }
    }

    @Test("What is erased is gone from sandbox and built-in backend, and no rescan brings it back")
    func erased() async throws {
        let tool = try Tool()
        let (command, ids) = try await self.delivered(tool)
        let sandbox = self.sandbox(of: tool)
        #expect(try !self.files(in: sandbox, holding: "CASE-CANARY-7781").isEmpty)
        let erase = ["cards", "erase", "--business-no", "CASE-CANARY-7781", "--embedded", "--format", "jsonl"]
        let unasked = try await tool.run(erase)
        #expect(unasked.status == 64)
        let outcome = try await tool.run(erase + ["--yes", "--reason", "holder_request", "--why", "ticket 7"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""embedded_documents":"erased""#) && $0.contains(#""scrubbed":true"#) })
        #expect(try self.files(in: sandbox, holding: "CASE-CANARY-7781") == [])
        let again = try await tool.run(command)
        #expect(again.status == 0)
        let report = try again.json()
        #expect(report.counts["duplicate"] == 2)
        #expect(Set(report.cards.map(\.state)) == ["erased"])
        #expect(Set(report.cards.compactMap(\.cardId)) == Set(ids.values))
        let repeated = try await tool.run(["cards", "erase", try #require(ids["front"]), "--embedded", "--yes"])
        #expect(repeated.status == 0)
        #expect(repeated.output.contains("erased"))
        let check = try await tool.run(["fsck", "--embedded"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test("Erasing one side leaves the other, and a new photo of it is delivered under a name of its own")
    func oneSide() async throws {
        let tool = try Tool()
        let (command, ids) = try await self.delivered(tool)
        let id = try #require(ids["back"])
        let outcome = try await tool.run(["cards", "erase", id, "--embedded", "--yes"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let documents = self.sandbox(of: tool).appending(path: "embedded-documents")
        var left = try tool.lines("ledger.jsonl", in: documents)
        #expect(left.map(\.businessNo) == ["CASE-CANARY-7781", ""])
        try FileManager.default.copyItem(
            at: tool.home.appending(path: "photos/CASE-CANARY-7781/back.jpg"),
            to: tool.home.appending(path: "photos/CASE-CANARY-7781/again.jpg")
        )
        let again = try await tool.run(command)
        #expect(again.status == 0, "\(again.errors)")
        #expect(try again.json().counts["delivered"] == 1)
        left = try tool.lines("ledger.jsonl", in: documents)
        #expect(left.map(\.businessNo) == ["CASE-CANARY-7781", "", "CASE-CANARY-7781"])
    }

    @Test("Erasing a card that is not there is the user's mistake", arguments: [["nobody"], ["--business-no", "X-1"]])
    func unknown(arguments: [String]) async throws {
        let tool = try Tool()
        #expect(try await tool.run(["run", "--embedded"]).status == 0)
        let outcome = try await tool.run(["cards", "erase", "--embedded", "--yes"] + arguments)
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("error: there is no card"))
    }

    @Test("Whoever looks at fields or takes them out is in the access log, with who and why")
    func accessLog() async throws {
        let tool = try Tool()
        let (_, ids) = try await self.delivered(tool)
        let id = try #require(ids["front"])
        let shown = try await tool.run(["cards", "show", id, "--embedded"])
        #expect(!shown.output.contains("id_card_number"))
        let revealed = try await tool.run(["cards", "show", id, "--embedded", "--reveal", "--why", "ticket 7"])
        #expect(revealed.output.contains("id_card_number"))
        let folder = tool.home.appending(path: "not/there/yet").path
        let exported = try await tool.run(["cards", "export", id, "--embedded", "--output", folder])
        #expect(exported.status == 0, "\(exported.errors)")
        for name in ["\(id).json", "\(id).jpg"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        let parent = try FileManager.default.attributesOfItem(atPath: tool.home.path + "/not")
        #expect((parent[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        let repeated = try await tool.run(["cards", "export", id, "--embedded", "--output", folder])
        #expect(repeated.status == 66, "a file that is there is not replaced")
        let log = try await tool.run(["cards", "log", "--card", id, "--embedded", "--format", "jsonl"])
        let lines = log.output.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.count { $0.contains(#""action":"show""#) && $0.contains(#""purpose":"ticket 7""#) } == 1)
        #expect(lines.count { $0.contains(#""action":"export""#) && $0.contains(#""purpose":"not given""#) } == 2)
        #expect(lines.count { $0.contains(#""actor":"engine:"#) } == 2)
    }

    @Test("A rejected card is done again by retry and a run without a path, which says how it ended")
    func retried() async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let manifest = tool.home.appending(path: "manifest.csv")
        try Data("path,business_no,side\n\(photos.path)/R-1/front.jpg,R-1,back\n".utf8).write(to: manifest)
        let first = try await tool.run(["run", "--manifest", manifest.path, "--embedded", "--format", "json"])
        #expect(first.status == 1, "\(first.errors)")
        let id = try #require(try first.json().cards.first?.cardId)
        let retry = try await tool.run(["cards", "retry", "--state", "rejected", "--state", "held", "--embedded"])
        #expect(retry.status == 0, "\(retry.errors)")
        #expect(retry.output.contains(id))
        let run = try await tool.run(["run", "--embedded", "--format", "json"])
        #expect(run.status == 1, "\(run.errors)")
        #expect(try run.json().cards.map(\.cardId) == [id])
        let nothing = try await tool.run(["run", "--embedded", "--format", "json"])
        #expect(nothing.status == 0)
        #expect(try nothing.json().cards.isEmpty)
        let refused = try await tool.run(["cards", "resolve", id, "--as", "accept", "--embedded"])
        let state = try first.json().cards.first?.state
        #expect(refused.status == (state == "held" ? 0 : 1))
    }

    @Test("A card is erased while a run works on it; the run goes on without it")
    func whileRunning() async throws {
        let tool = try Tool()
        let photos = tool.home.appending(path: "photos")
        try FileManager.default.copyItem(at: Project.fixtures.appending(path: "cards"), to: photos)
        async let outcome = tool.run(["run", photos.path, "--embedded", "--format", "json"])
        var erased = ""
        while erased.isEmpty {
            // Asked again until the first card is there; the time limit of the suite ends what never comes.
            let list = try await tool.run(["cards", "list", "--embedded", "--quiet", "--limit", "1"])
            erased = list.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let erasure = try await tool.run(["cards", "erase", erased, "--embedded", "--yes"])
        #expect(erasure.status == 0, "\(erasure.errors)")
        let ended = try await outcome
        let report = try ended.json()
        let card = try #require(report.cards.first { $0.cardId == erased })
        #expect(card.state == "erased")
        // Which side came first depends on the threads; without its front a back waits for a person.
        let partner = try #require(report.cards.first { $0.businessNo == card.businessNo && $0.cardId != erased })
        let isHeld = partner.state == "held" && partner.reason == "front_erased"
        #expect(isHeld || partner.state == "delivered", "\(ended.errors)")
        #expect(ended.status == (isHeld ? 1 : 0), "\(ended.errors)")
        #expect(report.cards.count { $0.state == "delivered" } == report.cards.count - (isHeld ? 2 : 1))
        let check = try await tool.run(["fsck", "--embedded"])
        #expect(check.status == 0, "\(check.output)")
    }
}
