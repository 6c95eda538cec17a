import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct WatchTests {
    private let inbox: Inbox

    init() throws { self.inbox = try Inbox() }

    private struct Note: Decodable {
        var code: String
    }

    @Test func `photos that are there or come are delivered and moved, refused files get a note`() async throws {
        try self.inbox.bring("R-1/front.jpg", .front(1))
        try await self.inbox.serving { file in
            try await self.inbox.watching(file) { lines, send in
                #expect(try await lines.line(containing: "watching 1 folder") != nil)
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try self.inbox.bring("R-1/back.jpg", .back(1))
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                // No number of its own, and no folder that lends one.
                try self.inbox.bring("nobody.jpg", .front(2))
                #expect(try await lines.line(containing: "business_no_missing") != nil)
                try self.inbox.bring("R-2/broken.jpg", "no image")
                #expect(try await lines.line(containing: "unsupported_format") != nil)
                try self.inbox.bring("R-3/front.jpg.json", #"{"business_no": "R-4"}"#)
                try self.inbox.bring("R-3/front.jpg", .front(3))
                #expect(try await lines.line(containing: "business_no_conflict") != nil)
                try self.inbox.bring("scan.zip", "PK\u{3}\u{4}")
                #expect(try await lines.line(containing: #""state":"ignored""#) != nil)
                try send(.terminate)
            }
        }
        let refused = ["R-2/broken.jpg", "R-3/front.jpg", "nobody.jpg"]
        let notes = refused.map { "failed/\($0).failed.json" }
        let photos = ["done/R-1/back.jpg", "done/R-1/front.jpg"] + refused.map { "failed/\($0)" }
        #expect(try self.inbox.files() == (photos + notes + ["failed/R-3/front.jpg.json", "scan.zip"]).sorted())
        let codes = try notes.map { note in
            let text = try Data(contentsOf: self.inbox.folder.appending(path: note))
            return try JSONDecoder().decode(Note.self, from: text).code
        }
        #expect(codes == ["unsupported_format", "business_no_conflict", "business_no_missing"])
        #expect(try self.inbox.tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    @Test func `with log.format json every line of watch is one object; a run tells each outcome in its report`()
        async throws
    {
        try self.inbox.bring("R-1/front.jpg", .front(1))
        try await self.inbox.serving("", ["log: {format: json}"]) { file in
            let said = try await self.inbox.watching(file) { lines, send in
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try send(.terminate)
            }
            let records = try said.map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            }
            let messages = records.compactMap { $0["message"] as? String }
            #expect(
                messages.contains("watching 1 folder; end with Ctrl-C") && messages.contains("1 input: 1 delivered")
            )
            let outcomes = records.filter { $0["card.state"] != nil && $0["level"] as? String == "info" }
            #expect(outcomes.map { $0["card.state"] as? String } == ["delivered"])
            #expect(!said.contains { $0.contains(self.inbox.folder.path) && $0.contains("level") })
            // What `run` says to a person stays text.
            let photos = try self.inbox.tool.folder("more", ["R-2/a.jpg": .front(2)]).path
            let run = try await self.inbox.tool.run(["run", photos] + file, ends: 0)
            #expect(!run.errors.contains("card.state") && run.output.contains("1 delivered"), "\(run.errors)")
        }
    }

    @Test func `a photo that was refused goes to failed when it comes again, and counts as rejected`() async throws {
        // Nobody is that old.
        let severity = "verdict: {min_age: 150, severity: {under_age: reject}}"
        try await self.inbox.serving("sidecar: none", [severity]) { file in
            try await self.inbox.watching(file) { lines, send in
                for name in ["front", "again"] {
                    try self.inbox.bring("R-1/\(name).jpg", .front(1))
                    #expect(try await lines.line(containing: #""reason":"under_age""#) != nil)
                }
                try await self.inbox.arrival(of: "done/R-1/front.jpg.failed.json")
                try send(.terminate)
                #expect(try await lines.line(containing: "2 inputs: 2 rejected") != nil)
            }
        }
        let done = ["", ".failed.json", ".failed.txt"].map { "done/R-1/front.jpg" + $0 }
        let files = done + ["failed/R-1/again.jpg", "failed/R-1/again.jpg.failed.json"]
        #expect(try self.inbox.files() == files)
    }

    @Test func `a photo taken before the one that was sent is told, goes to failed, and comes back by a command`()
        async throws
    {
        let yesterday = Date.now.addingTimeInterval(-86_400)
        let older = MarkedPhoto.front(1, serial: 1).jpeg
        try await self.inbox.serving { file in
            let said = try await self.inbox.watching(file) { lines, send in
                try self.inbox.bring("R-1/now.jpg", .front(1))
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try self.inbox.bring("R-1/before.jpg", older, taken: yesterday)
                #expect(try await lines.line(containing: "idcard-pipeline cards retry") != nil)
                try await self.inbox.arrival(of: "failed/R-1/before.jpg.failed.json")
                // Touched and copied, it is the same photo.
                try self.inbox.bring("R-1/again.jpg", older)
                try await self.inbox.arrival(of: "failed/R-1/again.jpg")
                try send(.terminate)
                #expect(try await lines.line(containing: "3 inputs: 1 delivered, 2 superseded") != nil)
            }
            let retry = try #require(said.joined(separator: " ").firstMatch(of: /cards retry ([0-9a-f-]+)/)?.output.1)
            try await self.inbox.tool.run(["status", "--check"] + file, ends: 0)
            try await self.inbox.tool.run(["cards", "retry", String(retry)] + file, ends: 0)
            try await self.inbox.tool.run(["run"] + file, ends: 0)
        }
        let failed = ["again", "before"].flatMap { ["failed/R-1/\($0).jpg", "failed/R-1/\($0).jpg.failed.json"] }
        #expect(try self.inbox.files() == ["done/R-1/now.jpg"] + failed)
        #expect(try self.inbox.tool.ledger().count == 2)
    }

    @Test func `killed again and again, each photo is delivered once, and each file lies in its place`() async throws {
        let (tool, verifier) = (self.inbox.tool, MarkVerifier())
        var (expected, holder): ([String: Data], UInt8) = ([:], 0)
        try await self.inbox.serving(verifier: verifier) { file in
            for count in [0, 3, 1, 4] {
                // So many photos are read, then no more: nothing is finished when the process is killed.
                let gate = Gate()
                verifier.answer(count, thenWaitAt: gate)
                try await self.inbox.watching(file, ends: 128 + SIGKILL) { lines, send in
                    #expect(try await lines.line(containing: "watching 1 folder") != nil)
                    for _ in 1...2 {
                        holder += 1
                        for photo in [MarkedPhoto.front(holder), .back(holder)] {
                            let name = "R-\(holder)/\(photo.side).jpg"
                            expected["done/\(name)"] = photo.jpeg
                            try self.inbox.bring(name, photo)
                        }
                    }
                    await gate.arrival()
                    try send(.kill)
                }
                gate.open()
            }
            verifier.answer { _ in nil }
            let left = try self.inbox.files().filter { !$0.hasPrefix("done/") }
            try await self.inbox.watching(file) { lines, send in
                #expect(try await lines.line(containing: "watching 1 folder") != nil)
                for _ in left { #expect(try await lines.line(containing: Inbox.delivered) != nil) }
                try send(.terminate)
            }
            // What was taken in before a kill goes on with any other command.
            for command in ["run", "fsck"] { try await tool.run([command] + file, ends: 0) }
        }
        try tool.expectAllOnce(16)
        #expect(try self.inbox.files() == expected.keys.sorted())
        for (name, content) in expected {
            #expect(try Data(contentsOf: self.inbox.folder.appending(path: name)) == content, "\(name)")
        }
    }

    @Test(arguments: [(Signal.interrupt, Int32(130)), (.terminate, 143), (Signal(rawValue: SIGHUP), Int32(143))])
    func `a signal lets a request under way end, and the status names it`(signal: Signal, status: Int32) async throws {
        let gate = Gate()
        let verifier = MarkVerifier { _ in await gate.wait() }
        try self.inbox.bring("R-1/front.jpg", .front(1))
        try await self.inbox.serving(verifier: verifier) { file in
            try await self.inbox.watching(file, ends: status) { lines, send in
                await gate.arrival()
                try send(signal)
                #expect(try await lines.line(containing: "interrupted: finishing 1 request") != nil)
                gate.open()
            }
            #expect(try self.inbox.files() == ["done/R-1/front.jpg"])
            try await self.inbox.tool.run(["run"] + file, ends: 0)
        }
        #expect(verifier.photos.count == 1, "paid for twice")
        #expect(try self.inbox.tool.ledger().count == 1)
    }

    @Test func `a hangup that was ignored at the start stays ignored, as under nohup`() async throws {
        let ignoring = ["/bin/sh", "-c", "trap '' HUP; exec \"$@\" >&2", "sh"]
        try await self.inbox.serving { file in
            let command = ["watch", "--format", "jsonl"] + file
            let status = try await self.inbox.tool.running(command, wrapper: ignoring) { lines, send in
                #expect(try await lines.line(containing: "watching 1 folder") != nil)
                try send(Signal(rawValue: SIGHUP))
                try self.inbox.bring("R-1/front.jpg", .front(1))
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(try self.inbox.files() == ["done/R-1/front.jpg"])
    }

    @Test func `a late sidecar amends its card until a delivery; then it goes to failed with a note`() async throws {
        let (gate, backend) = (Gate(), ScriptedBackend())
        let verifier = MarkVerifier { $0.holder.place == 1 ? await gate.wait() : nil }
        try await self.inbox.tool.serving(verifier, backend, self.inbox.configuration("")) { file in
            try await self.inbox.watching(file) { lines, send in
                try self.inbox.bring("R-1/front.jpg", .front(1))
                try await self.inbox.arrival(of: "done/R-1/front.jpg")
                await gate.arrival()
                try self.inbox.bring("R-1/front.jpg.json", #"{"user_no": "U-9"}"#)
                try await self.inbox.arrival(of: "done/R-1/front.jpg.json")
                gate.open()
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try self.inbox.bring("R-2/front.jpg", .front(2))
                #expect(try await lines.line(containing: "R-2")?.contains(Inbox.delivered) == true)
                try self.inbox.bring("R-2/front.jpg.json", #"{"user_no": "U-9"}"#)
                #expect(try await lines.line(containing: "sidecar_late") != nil)
                try await self.inbox.arrival(of: "failed/R-2/front.jpg.json.failed.json")
                try await self.inbox.arrival(of: "failed/R-2/front.jpg.json")
                try send(.terminate)
            }
        }
        #expect(backend.accepted.map { $0["USERNO"] } == ["U-9", "U-1"])
        let (first, second, late) = ("done/R-1/front.jpg", "done/R-2/front.jpg", "failed/R-2/front.jpg.json")
        #expect(try self.inbox.files() == [first, first + ".json", second, late, late + ".failed.json"])
    }

    @Test func `what is passed over by its name is told once for each rule, as by run, without names`() async throws {
        let note = "files skipped because of their names: "
        let cloud =
            ".*.icloud (1); names with .icloud at the end stand for files that are not downloaded from iCloud; "
            + "download the files on the Mac"
        for name in ["#recycle/olga.jpg", "R-1/olga.jpg.bak", "R-1/bob.jpg.bak", "R-1/.bob.jpg.icloud"] {
            try self.inbox.bring(name, .front(1))
        }
        let folder = self.inbox.folder.path
        try await self.inbox.serving("mode: polling") { file in
            let run = try await self.inbox.tool.run(["run", "--dry-run", folder] + file)
            #expect(run.errors.contains("note: \(note)#recycle (1), *.bak (2), \(cloud)\n"), "\(run.errors)")
            let seen = try await self.inbox.watching(file) { lines, send in
                let first = try await lines.line(containing: note)
                #expect(first == "note: watched folder \(folder): \(note)#recycle (1), *.bak (2), \(cloud)")
                // As status says where files stay.
                let plan = try await self.inbox.tool.run(["run", "--dry-run", folder] + file)
                #expect(plan.errors == run.errors && plan.output == run.output, "\(plan)")
                // The next scan says what is new, and nothing again.
                try self.inbox.bring("R-1/eve.jpg.bak", "")
                try self.inbox.bring("R-1/.eve.jpg", "")
                #expect(try await lines.line(containing: note)?.hasSuffix(": \(note).* (1)") == true)
                try self.inbox.bring("R-2/front.jpg", .front(2))
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try send(.terminate)
            }
            #expect(seen.count { $0.contains(note) } == 2, "\(seen)")
            #expect(!seen.contains { $0.contains("olga") || $0.contains("bob") || $0.contains("eve") })
        }
    }

    @Test(arguments: [
        ("after: move", ["R-1/draft.jpg", "R-1/front.jpg.ready", "done/R-1/front.jpg"]),
        ("after: delete", ["R-1/draft.jpg", "R-1/front.jpg.ready"]),
        ("after: leave", ["R-1/draft.jpg", "R-1/front.jpg", "R-1/front.jpg.ready"]),
        ("mode: polling", ["R-1/draft.jpg", "R-1/front.jpg.ready", "done/R-1/front.jpg"]),
        ("done_marker: .ready", ["R-1/draft.jpg", "done/R-1/front.jpg", "done/R-1/front.jpg.ready"]),
        ("sidecar: none", ["R-1/draft.jpg", "R-1/front.jpg.ready", "done/R-1/front.jpg"]),
    ])
    func `settings say how news come, what is input, what becomes of files`(line: String, left: [String]) async throws {
        try self.inbox.bring("R-1/draft.jpg", .front(2))
        try self.inbox.bring("R-1/front.jpg.ready", "")
        try self.inbox.bring("R-1/front.jpg", .front(1))
        let (backend, configuration) = (ScriptedBackend(), self.inbox.configuration("ignore: ['draft*'], \(line)"))
        try await self.inbox.tool.serving(MarkVerifier(), backend, configuration) { file in
            try await self.inbox.watching(["--user-no", "U-7"] + file, until: Inbox.delivered)
        }
        #expect(backend.accepted.map { $0["USERNO"] } == ["U-7"])
        #expect(try self.inbox.files() == left)
    }

    @Test(arguments: [
        ([] as [String], Int32(66), "no folder to watch"), (["none"], 66, "does not exist"),
        (["in", "in/R-1"], 78, "one lies in the other"), (["in/R-1/front.jpg"], 66, "is not a folder"),
        (["in", "--format", "json"], 64, "jsonl"),
    ])
    func `what cannot be watched is told at the start`(arguments: [String], status: Int32, words: String) async throws {
        try self.inbox.bring("R-1/front.jpg", .front(1))
        let home = self.inbox.tool.home
        let paths = arguments.map { $0.hasPrefix("--") || $0 == "json" ? $0 : home.appending(path: $0).path }
        let outcome = try await self.inbox.tool.run(["watch", "--embedded"] + paths, ends: status)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(try self.inbox.files() == ["R-1/front.jpg"])
    }
}
