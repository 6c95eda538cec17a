import Foundation
import IDCardTesting
import Subprocess
import Testing

/// The built command over a folder, with the built-in endpoints.
@Suite("idcard-pipeline watch", .timeLimit(.minutes(Sanitizer.minutes(5))))
struct WatchTests {
    private let tool: Tool

    init() throws {
        self.tool = try Tool()
    }

    /// The files below a folder, sorted.
    private func files(_ folder: URL) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return all.filter { (try? folder.appending(path: $0).checkResourceIsReachable()) == true }
            .filter {
                !((try? folder.appending(path: $0).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? true)
            }
            .sorted()
    }

    @Test("Photos that are there and photos that come are delivered, moved, and told of; SIGTERM ends with 143")
    func delivers() async throws {
        let folder = try self.tool.folder(
            "in",
            ["LOAN-1/front.jpg": "cards/LOAN-2026-0001/front.jpg", "LOAN-1/back.jpg": "cards/LOAN-2026-0001/back.jpg"]
        )
        let status = try await self.tool.running(
            ["watch", folder.path, "--embedded"]
        ) { errors, send in
            #expect(try await errors.line(containing: "watching 1 folder") != nil)
            for _ in 1...2 { #expect(try await errors.line(containing: "card taken in from a watched folder") != nil) }
            let photo = try Data(contentsOf: Project.fixtures.appending(path: "cards/LOAN-2026-0002/front.jpg"))
            // No number of its own, and no folder that lends one.
            try photo.write(to: folder.appending(path: "nobody.jpg"))
            #expect(try await errors.line(containing: "code=business_no_missing") != nil)
            try send(.terminate)
        }
        #expect(status == 143)
        #expect(
            self.files(folder) == [
                "done/LOAN-1/back.jpg", "done/LOAN-1/front.jpg", "failed/nobody.jpg", "failed/nobody.jpg.failed.json",
            ]
        )
        // What was taken in and not yet delivered goes on with any other command.
        let rest = try await self.tool.run(["run", "--embedded", "--format", "json"])
        #expect(rest.status == 0)
        let list = try await self.tool.run(["cards", "list", "--embedded", "--quiet"])
        #expect(list.output.split(separator: "\n").count == 2)
    }

    @Test("A server whose configuration names folders watches them, and both end together")
    func servesToo() async throws {
        let folder = try self.tool.folder("in", ["LOAN-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let file = self.tool.home.appending(path: "watch.yaml")
        try "watch: {folders: [\(folder.path)]}".write(to: file, atomically: true, encoding: .utf8)
        let status = try await self.tool.running(
            ["serve", "--embedded", "--listen", "127.0.0.1:0", "--config", file.path]
        ) { errors, send in
            #expect(try await errors.line(containing: "listening on") != nil)
            #expect(try await errors.line(containing: "card taken in from a watched folder") != nil)
            try send(.terminate)
        }
        #expect(status == 143)
        #expect(self.files(folder) == ["done/LOAN-1/front.jpg"])
    }

    @Test(
        "What cannot be watched is said before anything begins",
        arguments: [
            ([], 66, "no folder to watch"), (["none"], 66, "does not exist"),
            (["in", "in/LOAN-1"], 78, "one lies in the other"),
            (["in/LOAN-1/front.jpg"], 66, "is no folder"), (["in", "--format", "json"], 64, "jsonl"),
        ] as [([String], Int32, String)]
    )
    func refuses(arguments: [String], status: Int32, words: String) async throws {
        let folder = try self.tool.folder("in", ["LOAN-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let home = folder.deletingLastPathComponent()
        let paths = arguments.map { $0.hasPrefix("--") || $0 == "json" ? $0 : home.appending(path: $0).path }
        let outcome = try await self.tool.run(["watch", "--embedded"] + paths)
        #expect(outcome.status == status)
        #expect(outcome.errors.contains(words))
        #expect(self.files(folder) == ["LOAN-1/front.jpg"])
    }

    // MARK: Done on another file system

    /// A folder on another file system than that of temporary files, for any user.
    private static let otherFileSystem: String? = {
        let devices = ["/dev/shm", NSTemporaryDirectory()].map { path in
            (try? FileManager.default.attributesOfItem(atPath: path))?[.systemNumber] as? NSNumber
        }
        let isOther = devices.allSatisfy { $0 != nil } && devices[0] != devices[1]
        return isOther && FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil
    }()

    @Test(
        "A newer photo that takes the name while the older one goes to another file system is never deleted unread",
        .enabled(if: otherFileSystem != nil),
        .disabled(if: Sanitizer.isPresent, "a preloaded library comes before the runtime of the sanitizer")
    )
    func newerPhoto() async throws {
        let done = try #require(Self.otherFileSystem) + "/idcard-e2e-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: done) }
        let cards = "cards/LOAN-2026-000"
        let newer = try Data(contentsOf: Project.fixtures.appending(path: cards + "2/front.jpg"))
        var (step, isPlaced) = (0, true)
        while isPlaced {
            step += 1
            let tool = try Tool()
            let folder = try tool.folder("in", ["LOAN-1/scan.jpg": cards + "1/front.jpg"])
            let new = tool.home.appending(path: "new.jpg")
            try newer.write(to: new)
            let counter = try await CallCounter(for: tool)
            var variables = try counter.variables("place", below: [folder.path])
            variables["IDCARD_WATCH_DONE_FOLDER"] = done
            variables["IDCARD_WATCH_QUIET_TIME"] = "200ms"
            variables["IDCARD_WATCH_SIDECAR_WAIT"] = "0s"
            variables["PROOF_SHIM_AT"] = "\(step)"
            variables["PROOF_SHIM_FROM"] = new.path
            variables["PROOF_SHIM_TO"] = folder.appending(path: "LOAN-1/scan.jpg").path
            let status = try await tool.running(["watch", folder.path, "--embedded"], variables) { errors, send in
                #expect(try await errors.line(containing: "card taken in from a watched folder") != nil)
                // Comes after the other one, so that this is put away by then.
                try Self.copy(cards + "7/front.jpg", to: folder.appending(path: "LOAN-1/last.jpg"))
                #expect(try await errors.line(containing: "card taken in from a watched folder") != nil)
                try send(.terminate)
            }
            #expect(status == 143)
            isPlaced = try counter.counts()["placed"] == 1
            let left = try [folder.path, done].flatMap { try self.contents($0) }
            #expect(!isPlaced || left.contains(newer), "before step \(step)")
            try FileManager.default.removeItem(atPath: done)
        }
        #expect(step > 2)
    }

    private func contents(_ folder: String) throws -> [Data] {
        try self.files(URL(filePath: folder)).map { try Data(contentsOf: URL(filePath: folder).appending(path: $0)) }
    }

    // MARK: Late sidecars

    /// Endpoints that are never reached: no card gets into a delivery.
    private static let unreachable = [
        "IDCARD_VERIFICATION_URL": "http://127.0.0.1:1", "IDCARD_VERIFICATION_API_KEY": "k",
        "IDCARD_VERIFICATION_API_SECRET": "s", "IDCARD_DELIVERY_URL": "http://127.0.0.1:1",
        "IDCARD_DELIVERY_TOKEN": "t", "IDCARD_DELIVERY_USER_NO": "U-1",
    ]

    private func numbers(_ variables: [String: String]) async throws -> [String] {
        let list = try await self.tool.run(["cards", "list", "--format", "jsonl"], variables)
        #expect(list.status == 0, "\(list.errors)")
        return try list.output.split(separator: "\n").compactMap { line in
            let card = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return card?["state"] as? String == "superseded" ? nil : card?["business_no"] as? String
        }.sorted()
    }

    @Test("In a folder that has held a sidecar, with no setting at all, a photo waits for its own; elsewhere none does")
    func expectsSidecars() async throws {
        let cards = "cards/LOAN-2026-000"
        let inbox = try self.tool.folder(
            "inbox",
            ["WRONG/first.jpg": cards + "1/front.jpg", "WRONG/first.jpg.json": "cards/LOAN-2026-0001/front.jpg"]
        )
        let plain = try self.tool.folder("plain", ["LOAN-3/kept.txt": "refused/notes.txt"])
        let sidecar = inbox.appending(path: "WRONG/first.jpg.json")
        try #"{"business_no": "LOAN-1"}"#.write(to: sidecar, atomically: true, encoding: .utf8)
        let status = try await self.tool.running(["watch", inbox.path, plain.path], Self.unreachable) { errors, send in
            #expect(try await errors.line(containing: "card taken in from a watched folder") != nil)
            try Self.copy(cards + "2/front.jpg", to: inbox.appending(path: "WRONG/second.jpg"))
            // By then the other one would be taken in, too.
            try Self.copy(cards + "7/front.jpg", to: plain.appending(path: "LOAN-3/front.jpg"))
            #expect(try await errors.line(containing: "card taken in from a watched folder") != nil)
            try #"{"business_no": "LOAN-2"}"#.write(
                to: inbox.appending(path: "WRONG/second.jpg.json"),
                atomically: true,
                encoding: .utf8
            )
            #expect(try await errors.line(containing: "card taken in from a watched folder") != nil)
            try send(.terminate)
        }
        #expect(status == 143)
        let numbers = try await self.numbers(Self.unreachable)
        #expect(numbers == ["LOAN-1", "LOAN-2", "LOAN-3"])
    }

    @Test("A sidecar that comes too late gives its card the right number as long as that is in no delivery")
    func appliesLateSidecar() async throws {
        let inbox = try self.tool.folder("inbox", ["WRONG/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        let variables = Self.unreachable.merging(["IDCARD_WATCH_SIDECAR_WAIT": "0s"]) { $1 }
        let status = try await self.tool.running(["watch", inbox.path], variables) { errors, send in
            #expect(try await errors.line(containing: "card taken in from a watched folder") != nil)
            try #"{"business_no": "RIGHT"}"#.write(
                to: inbox.appending(path: "WRONG/front.jpg.json"),
                atomically: true,
                encoding: .utf8
            )
            #expect(try await errors.line(containing: "the card says now what the sidecar says") != nil)
            try send(.terminate)
        }
        #expect(status == 143)
        #expect(try await self.numbers(variables) == ["RIGHT"])
    }

    private static func copy(_ fixture: String, to file: URL) throws {
        let photo = try Data(contentsOf: Project.fixtures.appending(path: fixture))
        try photo.write(to: file, options: .atomic)
    }
}
