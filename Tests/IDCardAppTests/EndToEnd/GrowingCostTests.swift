import Foundation
import IDCardTesting
import Subprocess
import Testing

/// What must not cost more the more there is: counted as calls, because times depend on the machine.
@Suite(
    "Costs that do not grow with what is there",
    .serialized,
    .timeLimit(.minutes(Sanitizer.minutes(5))),
    .disabled(if: Sanitizer.isPresent, "a preloaded library comes before the runtime of the sanitizer")
)
struct GrowingCostTests {
    private let tool: Tool

    init() throws {
        self.tool = try Tool()
    }

    private static func files(in folder: URL, _ content: [String: Data]) throws -> URL {
        for (name, data) in content {
            let url = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: url)
        }
        return folder
    }

    // MARK: Erasing

    private static let expired = 260
    /// The rejected cards of three days ago have expired, the delivered ones have not.
    private static let retention = ["IDCARD_RETENTION_REJECTED": "1d"]
    private static let idle = ["run", "--embedded", "--quiet"]

    /// Takes in cards that will have expired, beside others that live.
    private func sandbox() async throws -> URL {
        // So that the file is large beside what the expired cards take.
        let large = ["IDCARD_IMAGING_QUALITY": "0.97"]
        let living = try self.tool.pairs(["R-1", "R-2"]).path
        #expect(try await self.tool.run(["run", living, "--embedded", "--quiet"], large).status == 0)
        let images = (1...Self.expired).map {
            ("B-\($0)/front.jpg", Data([0xFF, 0xD8, 0xFF, 0xE0] + Array("\($0)".utf8)))
        }
        let folder = try Self.files(
            in: self.tool.home.appending(path: "broken"),
            Dictionary(uniqueKeysWithValues: images)
        )
        let outcome = try await self.tool.run(["run", folder.path, "--embedded", "--format", "json"])
        #expect(try outcome.json().counts["rejected"] == Self.expired, "\(outcome.errors)")
        return self.tool.home.appending(path: ".local/share/idcard-pipeline/embedded")
    }

    private func rejected() async throws -> Int {
        let list = try await self.tool.run(
            ["cards", "list", "--embedded", "--quiet", "--state", "rejected", "--limit", "\(Self.expired)"]
        )
        #expect(list.status == 0, "\(list.errors)")
        return list.output.split(separator: "\n").count
    }

    /// The cards of which the last certificate says that nothing is left.
    private func certified(in sandbox: URL) throws -> Int {
        let log = try Data(contentsOf: sandbox.appending(path: "erasures.jsonl"))
        var isScrubbed: [String: Bool] = [:]
        for line in log.split(separator: UInt8(ascii: "\n")) {
            let certificate = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            let card = try #require(certificate["card_id"] as? String)
            isScrubbed[card] = certificate["scrubbed"] as? Bool
        }
        return isScrubbed.values.count { $0 }
    }

    @Test("To erase hundreds of expired cards the sandbox is read about once, not once per fifty cards")
    func readOnce() async throws {
        let sandbox = try await self.sandbox()
        let counter = try await CallCounter(for: self.tool)
        let size = try FileManager.default.attributesOfItem(atPath: sandbox.appending(path: "sandbox.sqlite3").path)
        let bytes = try #require((size[.size] as? NSNumber)?.intValue)
        let idle = try await self.tool.run(Self.idle, counter.variables())
        #expect(idle.status == 0, "\(idle.errors)")
        let before = try #require(try counter.counts()["bytes"])
        let clock = try await WrongClock(for: self.tool)
        let both = try counter.variables().merging(clock.days(3)) { "\($0) \($1)" }
        let erasing = try await self.tool.run(Self.idle, both.merging(Self.retention) { $1 })
        #expect(erasing.status == 0, "\(erasing.errors)")
        #expect(try await self.rejected() == 0)
        #expect(try self.certified(in: sandbox) == Self.expired)
        let read = try #require(try counter.counts()["bytes"]) - before
        #expect(read < 4 * bytes, "\(read) bytes of a file of \(bytes)")
    }

    @Test("On a slow disk each daily run erases for its time only, and the next one goes on")
    func dailyRuns() async throws {
        let sandbox = try await self.sandbox()
        let counter = try await CallCounter(for: self.tool)
        let clock = try await WrongClock(for: self.tool)
        var left: [Int] = []
        repeat {
            var variables = try counter.variables().merging(clock.days(Double(3 + left.count))) { "\($0) \($1)" }
            variables.merge(Self.retention) { $1 }
            variables["IDCARD_RETENTION_RUN_TIME"] = "1s"
            variables["PROOF_SHIM_READ_DELAY"] = "20000"
            let outcome = try await self.tool.run(Self.idle, variables)
            #expect(outcome.status == 0, "\(outcome.errors)")
            left.append(try await self.rejected())
        } while left.last != 0 && left.count < 10
        #expect(left.first.map { (1..<Self.expired).contains($0) } == true, "\(left)")
        #expect(left.count <= 6 && left.last == 0, "fifty a run at least: \(left)")
        var runs = 0
        while try self.certified(in: sandbox) < Self.expired, runs < 10 {
            var variables = clock.days(Double(10 + runs)).merging(Self.retention) { $1 }
            variables["IDCARD_RETENTION_RUN_TIME"] = "1s"
            #expect(try await self.tool.run(Self.idle, variables).status == 0)
            runs += 1
        }
        #expect(try self.certified(in: sandbox) == Self.expired)
        #expect(try await self.tool.run(["fsck", "--embedded"]).status == 0)
    }

    // MARK: Many cards of one number

    /// The rows that a run reads which takes in so many fronts of one business number.
    private func rows(fronts count: Int) async throws -> Int {
        let tool = try Tool()
        let photo = try Data(contentsOf: Project.fixtures.appending(path: "cards/LOAN-2026-0001/front.jpg"))
        let images = (1...count).map { ("R-1/\($0).jpg", photo + Data("\($0)".utf8)) }
        let folder = try Self.files(in: tool.home.appending(path: "fronts"), Dictionary(uniqueKeysWithValues: images))
        let counter = try await CallCounter(for: tool)
        let outcome = try await tool.run(["run", folder.path, "--embedded", "--format", "json"], counter.variables())
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.json().counts["superseded"] == count - 1)
        return try #require(try counter.counts()["rows"])
    }

    @Test("Many cards under one business number cost each of them no look at all others")
    func manyCards() async throws {
        let few = try await self.rows(fronts: 60)
        let many = try await self.rows(fronts: 240)
        // Four times as many; a look at all of them for each would read up to sixteen times as many rows.
        #expect(many < 6 * few, "\(few) and \(many) rows")
    }

    // MARK: Many photos of one name

    @Test("A photo called as thousands before it finds its name in `done` by a few calls")
    func manyOfOneName() async throws {
        var taken = ["done/R-1/scan.jpg": Data()]
        for number in 2...3000 { taken["done/R-1/scan-\(number).jpg"] = Data() }
        let photo = Project.fixtures.appending(path: "cards/LOAN-2026-0001/front.jpg")
        taken["R-1/scan.jpg"] = try Data(contentsOf: photo)
        let folder = try Self.files(in: self.tool.home.appending(path: "in"), taken)
        let counter = try await CallCounter(for: self.tool)
        let status = try await self.tool.running(
            ["watch", folder.path, "--embedded"],
            counter.variables(below: [folder.path]).merging(["IDCARD_WATCH_QUIET_TIME": "200ms"]) { $1 }
        ) { errors, send in
            #expect(try await errors.line(containing: "card taken in from a watched folder") != nil)
            try send(.terminate)
        }
        #expect(status == 143)
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "done/R-1/scan-3001.jpg").path))
        let counts = try counter.counts()
        let moves = ["rename", "link", "unlink"].reduce(0) { $0 + (counts[$1] ?? 0) }
        #expect(moves < 100, "\(counts)")
    }
}
