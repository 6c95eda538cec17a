import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox
import IDCardTesting
import IDCardTriggers
import Logging
import Synchronization
import Testing

@testable import IDCardApp

/// Runs on demand over a folder, over a real sandbox or a store in memory.
@Suite("Runs over sources", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct SourceRunnerTests {
    private let folder: ConfigurationFolder
    private let clock = JumpingTime()
    private let lines = LoggedLines()

    init() throws { self.folder = try ConfigurationFolder() }

    /// A folder for inputs with a file for each name.
    private func inbox(_ names: String...) throws {
        for name in names { _ = try self.folder.write("image", to: "inbox/L-1/" + name) }
    }

    private func runner(
        _ intake: RunIntake,
        store: any SourceRunStore = InMemoryStore(),
        work: any BlockingWork = DispatchWork(),
        attempts: Int = 3
    ) -> SourceRunner {
        let lines = self.lines
        return SourceRunner(
            sources: ["inbox": self.folder.path + "/inbox"],
            listing: SourceRunner.Listing(
                inputs: BatchOptions(recognisesImage: { _, _ in false }, isImageName: { $0.hasSuffix(".jpg") }),
                manifestNames: ["manifest.csv"],
                work: work
            ),
            intake: SourceIntake(
                intake: intake,
                concurrency: 1,
                patience: SourceIntake.Patience(attempts: attempts, base: .seconds(1), cap: .seconds(60)),
                time: self.clock.time,
                logger: Logger(label: "runs") { _ in lines.handler }
            ),
            store: store
        )
    }

    /// Lets a runner work beside a test.
    private func working<Value: Sendable>(
        _ runner: SourceRunner,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await runner.run() }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Starts a run and waits for its end, as it is in the store.
    private func completed(_ runner: SourceRunner) async throws -> SourceRun {
        try await self.working(runner) {
            let run = try #require(try await runner.start("inbox"))
            return try await self.ended(run.id, runner)
        }
    }

    private func ended(_ id: String, _ runner: SourceRunner) async throws -> SourceRun {
        while true {
            let run = try #require(try await runner.run(id))
            if run.state != .running { return run }
            await Task.yield()
        }
    }

    @Test("The whole list is announced before its first input, and what came of each is noted")
    func announced() async throws {
        try self.inbox("a.jpg", "b.jpg")
        let intake = RunIntake()
        let runner = self.runner(intake)
        let first = try await self.completed(runner)
        #expect(first.state == .complete)
        #expect(first.counts == ["admitted": 2])
        #expect(intake.announced == [["a.jpg", "b.jpg"]])
        #expect(intake.arrived == ["a.jpg", "b.jpg"])
    }

    @Test("A refusal that may pass is tried again after growing waits, a few times; the others go on meanwhile")
    func retried() async throws {
        try self.inbox("a.jpg", "b.jpg", "c.jpg", "d.jpg")
        let intake = RunIntake { name, tries in
            switch name {
            case "a.jpg": tries < 3 ? .refused(.sourceChanged, message: "") : nil
            case "b.jpg": .refused(ReasonCode(rawValue: "decoder_unavailable"), message: "")
            case "c.jpg": .refused(ReasonCode(rawValue: "image_corrupt"), message: "")
            default: nil
            }
        }
        let run = try await self.completed(self.runner(intake))
        #expect(run.counts == ["admitted": 2, "refused": 2])
        #expect(run.refusals == ["decoder_unavailable": 1, "image_corrupt": 1])
        #expect(intake.calls.prefix(4) == ["a.jpg", "b.jpg", "c.jpg", "d.jpg"])
        #expect(intake.calls.count { $0 == "b.jpg" } == 3)
        #expect(intake.calls.count { $0 == "c.jpg" } == 1)
        #expect(intake.arrived.sorted() == ["a.jpg", "b.jpg", "c.jpg", "d.jpg"])
    }

    @Test("Each refusal leaves a line with the run, its place in the list and the code, and no name")
    func logged() async throws {
        try self.inbox("a.jpg", "sentinel.jpg")
        let intake = RunIntake { name, _ in
            name == "a.jpg" ? nil : .refused(ReasonCode(rawValue: "image_corrupt"), message: name)
        }
        let run = try await self.completed(self.runner(intake))
        let line = try #require(self.lines.all.first { $0.contains("input of a run") })
        for word in ["run.id=\(run.id)", "run.input=2", "code=image_corrupt"] { #expect(line.contains(word)) }
        #expect(!self.lines.all.contains { $0.contains("sentinel") })
    }

    @Test("A disk that refuses though it looked free is asked again after growing waits")
    func diskRefuses() async throws {
        try self.inbox("a.jpg")
        let intake = RunIntake { _, tries in
            if tries == 3 { throw StoreError(.diskFull, "full") }
            return tries < 5 ? .refused(.diskSpaceLow, message: "full") : nil
        }
        #expect(try await self.completed(self.runner(intake)).counts == ["admitted": 1])
        #expect(self.clock.waits == [1, 2, 4, 8].map { .seconds($0) })
    }

    @Test("An error about one card costs that input alone; one of the store as a whole ends the runner")
    func storeErrors() async throws {
        try self.inbox("a.jpg", "b.jpg")
        let damaged = RunIntake { name, _ in
            if name == "a.jpg" { throw StoreError(.corrupt, "damaged") }
            return nil
        }
        let run = try await self.completed(self.runner(damaged))
        #expect(run.counts == ["admitted": 1, "refused": 1])
        #expect(run.refusals == ["store_failed": 1])
        let broken = self.runner(RunIntake { _, _ in throw StoreError(.unavailable, "gone") })
        _ = try await broken.start("inbox")
        let error = await #expect(throws: StoreError.self) { try await broken.run() }
        #expect(error?.code == .unavailable)
    }

    @Test("A run whose end finds no room on the disk waits for it")
    func fullAtTheEnd() async throws {
        try self.inbox("a.jpg")
        let store = FillingStore(refusing: 2...3)
        #expect(try await self.completed(self.runner(RunIntake(), store: store)).state == .complete)
        #expect(self.clock.waits == [.seconds(1), .seconds(2)])
    }

    @Test(
        "A manifest that cannot be used ends the run with its own code, a folder that is not there with that of sources",
        arguments: [("path,nonsense\n", "manifest_invalid"), (nil, "source_unreadable")]
    )
    func broken(manifest: String?, code: String) async throws {
        if let manifest { _ = try self.folder.write(manifest, to: "inbox/manifest.csv") }
        let run = try await self.completed(self.runner(RunIntake()))
        #expect(run.state == .failed)
        #expect(run.reason?.rawValue == code)
    }

    @Test("The folder is listed by the work given, not by a task")
    func listedElsewhere() async throws {
        try self.inbox("a.jpg")
        let work = HeldWork()
        let runner = self.runner(RunIntake(), work: work)
        _ = try await self.completed(runner)
        #expect(work.count == 1)
    }

    @Test("A request while a run takes its inputs in gets a second run, and further ones get that one, too")
    func second() async throws {
        try self.inbox("a.jpg")
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let gate = OpenOnce()
        let intake = RunIntake { name, _ in
            if name == "a.jpg" {
                beginning.yield()
                await gate.pass()
            }
            return nil
        }
        let store = InMemoryStore()
        let runner = self.runner(intake, store: store)
        try await self.working(runner) {
            let first = try #require(try await runner.start("inbox"))
            for await _ in begun { break }
            _ = try self.inbox("b.jpg")
            let second = try #require(try await runner.start("inbox"))
            #expect(second.id != first.id)
            #expect(try await runner.start("inbox")?.id == second.id)
            #expect(try await store.openRuns().map(\.id).sorted() == [first.id, second.id].sorted())
            gate.open()
            #expect(try await self.ended(first.id, runner).counts == ["admitted": 1])
            #expect(try await self.ended(second.id, runner).counts == ["admitted": 2])
        }
        #expect(intake.announced == [["a.jpg"], ["a.jpg", "b.jpg"]])
    }

    @Test("Before anything is looked for, all requests are answered with one run, which is durable by then")
    func one() async throws {
        try self.inbox("a.jpg")
        let store = try SandboxStore.open(
            directory: self.folder.path + "/sandbox",
            options: SandboxOptions(endpoints: .embedded, vault: .encrypted(KeyRing(.random())))
        )
        let runner = self.runner(RunIntake(), store: store)
        let ids = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 1...8 {
                group.addTask {
                    guard let run = try await runner.start("inbox") else { return nil }
                    // By the store alone.
                    return try await store.run(run.id)?.id
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try await store.openRuns().map(\.id) == ids.compactMap { $0 })
        try await store.close()
    }

    @Test("Both the run under way and the one behind it go on after a restart")
    func restart() async throws {
        try self.inbox("a.jpg")
        let store = InMemoryStore()
        for (id, second) in [("run-1", 1), ("run-2", 2)] {
            let at = Timestamp(millisecondsSinceEpoch: Int64(second) * 1000)
            try await store.keep(SourceRun(id: id, source: "inbox", counts: ["admitted": 9], startedAt: at))
        }
        let intake = RunIntake()
        let runner = self.runner(intake, store: store)
        try await self.working(runner) { () async throws in
            for id in ["run-1", "run-2"] { #expect(try await self.ended(id, runner).counts == ["admitted": 1]) }
        }
        #expect(try await store.openRuns().isEmpty)
        #expect(intake.announced.count == 2)
    }
}
