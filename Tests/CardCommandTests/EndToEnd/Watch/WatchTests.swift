import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

@Suite("idcard-pipeline watch", .serialized, .timeLimit(.minutes(5)))
struct WatchTests {
    private let tool: Tool
    private let inbox: URL

    init() throws {
        self.tool = try Tool()
        self.inbox = try self.tool.folder("in", [:] as [String: MarkedPhoto])
        try FileManager.default.createDirectory(at: self.inbox, withIntermediateDirectories: true)
    }

    /// Watches while a function looks at what is said on either output, and sends signals.
    private func watching(
        _ arguments: [String],
        _ body: (_ lines: ErrorLines, _ send: (Signal) throws -> Void) async throws -> Void
    ) async throws -> Int32 {
        try await self.tool.running(
            ["watch", "--format", "jsonl"] + arguments,
            wrapper: ["/bin/sh", "-c", "exec \"$@\" >&2", "sh"],
            body
        )
    }

    private func configuration(_ watch: String = "", _ verifier: String, _ backend: String) throws -> [String] {
        let line = "watch: {quiet_time: 100ms\(watch.isEmpty ? "" : ", " + watch)}"
        return try RemoteConfiguration(others: [line]).write(for: self.tool, verifier: verifier, backend: backend)
    }

    /// Writes a file below the watched folder under another name, and moves it to its own.
    private func bring(_ name: String, _ content: Data) throws {
        let target = self.inbox.appending(path: name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let temporary = self.tool.home.appending(path: "arriving")
        try content.write(to: temporary)
        try #require(rename(temporary.path, target.path) == 0)
    }

    private func bring(_ name: String, _ text: String) throws { try self.bring(name, Data(text.utf8)) }

    private static let mark = ".idcard-pipeline-sandbox"

    /// The files below a folder, sorted; the mark of the sandbox is left out.
    private func files(_ folder: URL? = nil) throws -> [String] {
        let folder = folder ?? self.inbox
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try all.filter { name in
            let type = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)[.type]
            return type as? FileAttributeType == .typeRegular && name != Self.mark
        }.sorted()
    }

    private static let delivered = #""state":"delivered""#

    @Test("Photos that are there and photos that come are delivered and moved, refused files get a note")
    func delivers() async throws {
        try self.bring("R-1/front.jpg", MarkedPhoto.front(1).jpeg)
        try await self.tool.servingBoth { verifier, backend in
            let file = try self.configuration("sidecar_wait: 0s", verifier, backend)
            let status = try await self.watching([self.inbox.path] + file) { lines, send in
                #expect(try await lines.line(containing: "watching 1 folder") != nil)
                #expect(try await lines.line(containing: Self.delivered) != nil)
                try self.bring("R-1/back.jpg", MarkedPhoto.back(1).jpeg)
                #expect(try await lines.line(containing: Self.delivered) != nil)
                // No number of its own, and no folder that lends one.
                try self.bring("nobody.jpg", MarkedPhoto.front(2).jpeg)
                #expect(try await lines.line(containing: "business_no_missing") != nil)
                try self.bring("R-2/broken.jpg", "no image")
                #expect(try await lines.line(containing: "unsupported_format") != nil)
                try self.bring("R-3/front.jpg.json", #"{"business_no": "R-4"}"#)
                try self.bring("R-3/front.jpg", MarkedPhoto.front(3).jpeg)
                #expect(try await lines.line(containing: "business_no_conflict") != nil)
                try self.bring("scan.zip", "PK\u{3}\u{4}")
                #expect(try await lines.line(containing: #""state":"ignored""#) != nil)
                try send(.terminate)
            }
            #expect(status == 143)
        }
        let refused = ["R-2/broken.jpg", "R-3/front.jpg", "nobody.jpg"]
        let notes = refused.map { "failed/\($0).failed.json" }
        let photos = ["done/R-1/back.jpg", "done/R-1/front.jpg"] + refused.map { "failed/\($0)" }
        #expect(try self.files() == (photos + notes + ["failed/R-3/front.jpg.json", "scan.zip"]).sorted())
        let codes = try notes.map { note in
            let text = try Data(contentsOf: self.inbox.appending(path: note))
            return try JSONDecoder().decode(Note.self, from: text).code
        }
        #expect(codes == ["unsupported_format", "business_no_conflict", "business_no_missing"])
        #expect(try self.tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    private struct Note: Decodable {
        var code: String
    }

    @Test func `a photo that was refused goes to failed when it comes again, and counts as rejected`() async throws {
        // Nobody is that old.
        let severity = "verdict: {min_age: 150, severity: {under_age: reject}}"
        try await self.tool.servingBoth { verifier, backend in
            let configuration = RemoteConfiguration(others: ["watch: {quiet_time: 100ms, sidecar: none}", severity])
            let file = try configuration.write(for: self.tool, verifier: verifier, backend: backend)
            let status = try await self.watching([self.inbox.path] + file) { lines, send in
                try self.bring("R-1/front.jpg", MarkedPhoto.front(1).jpeg)
                #expect(try await lines.line(containing: #""reason":"under_age""#) != nil)
                try self.bring("R-1/again.jpg", MarkedPhoto.front(1).jpeg)
                #expect(try await lines.line(containing: #""reason":"under_age""#) != nil)
                try send(.terminate)
                #expect(try await lines.line(containing: "2 inputs: 2 rejected") != nil)
            }
            #expect(status == 143)
        }
        let files = ["done/R-1/front.jpg", "failed/R-1/again.jpg", "failed/R-1/again.jpg.failed.json"]
        #expect(try self.files() == files)
    }

    @Test("Killed with SIGKILL again and again, each photo is delivered once, and each file lies in its place")
    func killed() async throws {
        let verifier = MarkVerifier()
        var (expected, holder): ([String: Data], UInt8) = ([:], 0)
        try await self.tool.servingBoth(verifier: verifier) { address, backend in
            let arguments = [self.inbox.path] + (try self.configuration("sidecar_wait: 0s", address, backend))
            for count in [0, 3, 1, 4] {
                // So many photos are read, then no more: nothing is finished when the process is killed.
                let gate = Gate()
                verifier.answer(count, thenWaitAt: gate)
                let status = try await self.watching(arguments) { lines, send in
                    #expect(try await lines.line(containing: "watching 1 folder") != nil)
                    for _ in 1...2 {
                        holder += 1
                        for photo in [MarkedPhoto.front(holder), .back(holder)] {
                            let name = "R-\(holder)/\(photo.side).jpg"
                            expected["done/\(name)"] = photo.jpeg
                            try self.bring(name, photo.jpeg)
                        }
                    }
                    await gate.arrival()
                    try send(.kill)
                }
                #expect(status == 128 + SIGKILL)
                gate.open()
            }
            verifier.answer { _ in nil }
            let left = try self.files().filter { !$0.hasPrefix("done/") }
            let status = try await self.watching(arguments) { lines, send in
                #expect(try await lines.line(containing: "watching 1 folder") != nil)
                for _ in left { #expect(try await lines.line(containing: Self.delivered) != nil) }
                try send(.terminate)
            }
            #expect(status == 143)
            // What was taken in before a kill goes on with any other command.
            let rest = try await self.tool.run(["run"] + Array(arguments.dropFirst()))
            #expect(rest.status == 0, "\(rest.output) \(rest.errors)")
            let check = try await self.tool.run(["fsck"] + Array(arguments.dropFirst()))
            #expect(check.status == 0, "\(check.output)")
        }
        let ledger = try self.tool.ledger()
        #expect(Set(ledger.map { "\($0.businessNo) \($0.doctype)" }).count == 16 && ledger.count == 16)
        #expect(ledger.allSatisfy { !$0.outOfOrder })
        #expect(try self.tool.refusals().isEmpty, "something was sent twice under another key")
        #expect(try self.files() == expected.keys.sorted())
        for (name, content) in expected {
            #expect(try Data(contentsOf: self.inbox.appending(path: name)) == content, "\(name)")
        }
    }

    @Test(
        "A signal lets the request under way finish, and the exit status names it",
        arguments: [(Signal.interrupt, 130), (.terminate, 143), (Signal(rawValue: SIGHUP), 143)] as [(Signal, Int32)]
    )
    func signalled(signal: Signal, status: Int32) async throws {
        let gate = Gate()
        let verifier = MarkVerifier { _ in await gate.wait() }
        try self.bring("R-1/front.jpg", MarkedPhoto.front(1).jpeg)
        try await self.tool.servingBoth(verifier: verifier) { address, backend in
            let file = try self.configuration("sidecar_wait: 0s", address, backend)
            let ended = try await self.watching([self.inbox.path] + file) { lines, send in
                await gate.arrival()
                try send(signal)
                #expect(try await lines.line(containing: "interrupted: finishing 1 request") != nil)
                gate.open()
            }
            #expect(ended == status)
            #expect(try self.files() == ["done/R-1/front.jpg"])
            #expect(try await self.tool.run(["run"] + file).status == 0)
        }
        #expect(verifier.photos.count == 1, "paid for twice")
        #expect(try self.tool.ledger().count == 1)
    }

    @Test("A late sidecar amends its card until that is in a delivery; after that it goes to failed with a note")
    func lateSidecar() async throws {
        let (gate, backend) = (Gate(), ScriptedBackend())
        let verifier = MarkVerifier { $0.holder.place == 1 ? await gate.wait() : nil }
        let places = ["done/R-1", "failed/R-2"].map { self.inbox.appending(path: $0) }
        for place in places { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
        let (done, failed) = (try FolderArrivals(in: places[0]), try FolderArrivals(in: places[1]))
        try await self.tool.serving(verifier, backend) { verifier, backend in
            let file = try self.configuration("sidecar_wait: 0s", verifier, backend)
            let status = try await self.watching([self.inbox.path] + file) { lines, send in
                try self.bring("R-1/front.jpg", MarkedPhoto.front(1).jpeg)
                try await done.next(named: "front.jpg")
                await gate.arrival()
                try self.bring("R-1/front.jpg.json", #"{"user_no": "U-9"}"#)
                try await done.next(named: "front.jpg.json")
                gate.open()
                #expect(try await lines.line(containing: Self.delivered) != nil)
                try self.bring("R-2/front.jpg", MarkedPhoto.front(2).jpeg)
                #expect(try await lines.line(containing: "R-2")?.contains(Self.delivered) == true)
                try self.bring("R-2/front.jpg.json", #"{"user_no": "U-9"}"#)
                #expect(try await lines.line(containing: "sidecar_late") != nil)
                try await failed.next(named: "front.jpg.json")
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(backend.accepted.map { $0["USERNO"] } == ["U-9", "U-1"])
        #expect(
            try self.files() == [
                "done/R-1/front.jpg", "done/R-1/front.jpg.json", "done/R-2/front.jpg", "failed/R-2/front.jpg.json",
                "failed/R-2/front.jpg.json.failed.json",
            ]
        )
    }

    @Test("What is passed over because of its name is said once for each rule, as by run, and names no file")
    func passedOver() async throws {
        let note = "passed over because of their names: "
        for name in ["#recycle/olga.jpg", "R-1/olga.jpg.bak", "R-1/bob.jpg.bak"] {
            try self.bring(name, MarkedPhoto.front(1).jpeg)
        }
        try await self.tool.servingBoth { verifier, backend in
            let file = try self.configuration("mode: polling, sidecar_wait: 0s", verifier, backend)
            let run = try await self.tool.run(["run", "--dry-run", self.inbox.path] + file)
            #expect(run.errors.contains("note: \(note)#recycle (1), *.bak (2)\n"), "\(run.errors)")
            let status = try await self.watching([self.inbox.path] + file) { lines, send in
                let first = try await lines.line(containing: note)
                #expect(first == "note: watched folder \(self.inbox.path): \(note)#recycle (1), *.bak (2)")
                // The next scan says what is new, and nothing again.
                try self.bring("R-1/eve.jpg.bak", "")
                try self.bring("R-1/.eve.jpg", "")
                #expect(try await lines.line(containing: note)?.hasSuffix(": \(note).* (1)") == true)
                try self.bring("R-2/front.jpg", MarkedPhoto.front(2).jpeg)
                #expect(try await lines.line(containing: Self.delivered) != nil)
                try send(.terminate)
                while try await lines.next() != nil {}
                #expect(lines.seen.count { $0.contains(note) } == 2, "\(lines.seen)")
                #expect(!lines.seen.contains { $0.contains("olga") || $0.contains("bob") || $0.contains("eve") })
            }
            #expect(status == 143)
        }
    }

    @Test("Where sidecars are required a photo waits for its own, and others do not wait for it")
    func requiredSidecar() async throws {
        try await self.tool.servingBoth { verifier, backend in
            let file = try self.configuration("sidecar: required", verifier, backend)
            let status = try await self.watching([self.inbox.path] + file) { lines, send in
                #expect(try await lines.line(containing: "watching 1 folder") != nil)
                try self.bring("first.jpg", MarkedPhoto.front(1).jpeg)
                try self.bring("second.jpg", MarkedPhoto.front(2).jpeg)
                try self.bring("second.jpg.json", #"{"business_no": "R-2"}"#)
                #expect(try await lines.line(containing: Self.delivered)?.contains("second.jpg") == true)
                #expect(try self.files().contains("first.jpg"))
                try self.bring("first.jpg.json", #"{"business_no": "R-1"}"#)
                #expect(try await lines.line(containing: Self.delivered)?.contains("first.jpg") == true)
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(try self.tool.ledger().map(\.businessNo) == ["R-2", "R-1"])
        let names = ["first.jpg", "second.jpg"].flatMap { ["done/\($0)", "done/\($0).json"] }
        #expect(try self.files() == names)
    }

    @Test(
        "The configuration says how news are learnt of, what is an input, and what becomes of files",
        arguments: [
            ("after: move", ["R-1/draft.jpg", "R-1/front.jpg.ready", "done/R-1/front.jpg"]),
            ("after: delete", ["R-1/draft.jpg", "R-1/front.jpg.ready"]),
            ("after: leave", ["R-1/draft.jpg", "R-1/front.jpg", "R-1/front.jpg.ready"]),
            ("mode: polling", ["R-1/draft.jpg", "R-1/front.jpg.ready", "done/R-1/front.jpg"]),
            ("done_marker: .ready", ["R-1/draft.jpg", "done/R-1/front.jpg", "done/R-1/front.jpg.ready"]),
            ("sidecar: none", ["R-1/draft.jpg", "R-1/front.jpg.ready", "done/R-1/front.jpg"]),
        ]
    )
    func options(line: String, left: [String]) async throws {
        try self.bring("R-1/draft.jpg", MarkedPhoto.front(2).jpeg)
        try self.bring("R-1/front.jpg.ready", "")
        try self.bring("R-1/front.jpg", MarkedPhoto.front(1).jpeg)
        let backend = ScriptedBackend()
        try await self.tool.serving(MarkVerifier(), backend) { verifier, backend in
            let options = "folders: [\(self.inbox.path)], ignore: ['draft*'], \(line)"
            let file = try self.configuration(options, verifier, backend)
            let status = try await self.watching(["--user-no", "U-7"] + file) { lines, send in
                #expect(try await lines.line(containing: Self.delivered)?.contains("front.jpg") == true)
                try send(.terminate)
            }
            #expect(status == 143)
        }
        #expect(backend.accepted.map { $0["USERNO"] } == ["U-7"])
        #expect(try self.files() == left)
    }

    @Test(
        "What cannot be watched is said before anything begins",
        arguments: [
            ([], 66, "no folder to watch"), (["none"], 66, "does not exist"),
            (["in", "in/R-1"], 78, "one lies in the other"), (["in/R-1/front.jpg"], 66, "is no folder"),
            (["in", "--format", "json"], 64, "jsonl"),
        ] as [([String], Int32, String)]
    )
    func refuses(arguments: [String], status: Int32, words: String) async throws {
        try self.bring("R-1/front.jpg", MarkedPhoto.front(1).jpeg)
        let paths = arguments.map { $0.hasPrefix("--") || $0 == "json" ? $0 : self.tool.home.appending(path: $0).path }
        let outcome = try await self.tool.run(["watch", "--embedded"] + paths)
        #expect(outcome.status == status)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(try self.files() == ["R-1/front.jpg"])
    }
}
