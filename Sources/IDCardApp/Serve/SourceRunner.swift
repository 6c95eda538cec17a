import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Logging
import ServiceLifecycle
import Synchronization

/// Takes in folders named in the configuration when a caller asks for it; what a killed process began goes on.
final class SourceRunner: Service, SourceRuns {
    /// How the inputs of a source are found and read.
    struct Listing: Sendable {
        /// As in `run`.
        var inputs: BatchOptions
        /// The names that a manifest in a folder may have (`watch.manifests`).
        var manifestNames: [String] = []
        /// What becomes of an input that lacks what the configuration does not give either.
        var refusing: @Sendable (IntakeItem) -> IntakeItem = { $0 }
        /// Where the folders are read: reading them blocks, for long if they are large.
        var work: any BlockingWork = DispatchWork()
    }

    private let sources: [String: String]
    private let listing: Listing
    private let intake: SourceIntake
    private let store: any SourceRunStore
    private let state = Mutex(SourceLines())
    /// One start of a source at a time: nobody is told of a run that is not durable yet.
    private let starts = KeyedExclusion<String>()
    /// At most one of each source, as the first run of a line begins it.
    private let (started, starter) = AsyncStream.makeStream(of: String.self)

    /// Makes a runner; ``run()`` does the work.
    ///
    /// - Parameters:
    ///   - sources: the folders by their names.
    ///   - listing: how inputs are found and read.
    ///   - intake: how they are taken in.
    ///   - store: where the runs are kept.
    init(sources: [String: String], listing: Listing, intake: SourceIntake, store: any SourceRunStore) {
        self.sources = sources
        self.listing = listing
        self.intake = intake
        self.store = store
    }

    private var time: PipelineTime { self.intake.time }
    private var logger: Logger { self.intake.logger }

    // MARK: For callers

    var names: [String] { self.sources.keys.sorted() }

    func start(_ source: String) async throws -> SourceRun? {
        guard self.sources[source] != nil else { return nil }
        return try await self.starts.run(under: source) {
            if let waiting = self.state.withLock({ $0.unlisted(of: source) }) { return waiting }
            let now = self.time.now()
            var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
            let new = SourceRun(id: UUIDText.version7(at: now, using: &random), source: source, startedAt: now)
            try await self.store.keep(new)
            self.add(new)
            return new
        }
    }

    func run(_ id: String) async throws -> SourceRun? {
        if let open = self.state.withLock({ $0.run(id) }) { return open }
        return try await self.store.run(id)
    }

    private func add(_ run: SourceRun) {
        let isFirst = self.state.withLock { $0.add(run) }
        if isFirst { self.starter.yield(run.source) }
    }

    // MARK: The work

    /// Does the runs, those of different sources beside each other, until graceful shutdown: what is under way then goes on
    /// at the next start.
    ///
    /// - Throws: `StoreError` if the store as a whole fails.
    func run() async throws {
        let open = try await self.store.openRuns()
        for run in open where self.sources[run.source] != nil { self.add(run) }
        try await withThrowingDiscardingTaskGroup { group in
            // One of a source that the configuration does not name any more cannot go on.
            for run in open where self.sources[run.source] == nil {
                group.addTask {
                    try await self.ending { _ = try await self.end(run, as: .failed, reason: .sourceUnreadable) }
                }
            }
            for await source in self.started.cancelOnGracefulShutdown() {
                group.addTask { try await self.ending { try await self.perform(source) } }
            }
        }
    }

    /// Does a piece of work; an error ends the runner.
    private func ending(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            // The group waits for its body, which waits for the next run.
            self.starter.finish()
            throw error
        }
    }

    /// Does the runs of a source one after the other, until none waits.
    private func perform(_ source: String) async throws {
        var next = self.state.withLock { $0.first(of: source) }
        while let run = next {
            guard try await self.perform(run) else { return }
            next = self.state.withLock { $0.removeFirst(of: source) }
        }
    }

    /// Does a run; `false` if the service is coming to its end: the run stays open, and goes on at the next start.
    private func perform(_ run: SourceRun) async throws -> Bool {
        self.state.withLock { $0.beginListing(of: run.source) }
        let items: IntakeList
        do {
            items = try await self.items(of: run.source)
        } catch {
            let reason = Self.reason(of: error)
            // Its words may hold the path.
            self.logger.error(
                "source cannot be read",
                metadata: ["run.id": "\(run.id)", "run.source": "\(run.source)", "code": "\(reason)"]
            )
            return try await self.end(run, as: .failed, reason: reason)
        }
        var announcement = IntakeAnnouncement()
        do {
            guard try await self.intake.whenThereIsRoom({ announcement = try await self.intake.intake.announce(items) })
            else { return false }
            try await self.intake.take(items, announcement: announcement, of: run.id) { result in
                self.state.withLock { $0.change(run.source) { Self.count(result, in: &$0) } }
            }
        } catch is CancellationError {
            // What was announced stays expected.
            return false
        }
        return try await self.end(self.state.withLock { $0.first(of: run.source) } ?? run, as: .complete)
    }

    private func items(of source: String) async throws -> IntakeList {
        let path = self.sources[source] ?? ""
        let listing = self.listing
        return try await listing.work.run {
            defer { ProcessMemory.trim() }
            let source = BatchSource(
                source: path,
                manifestNames: listing.manifestNames,
                options: listing.inputs
            )
            return try source.items(by: listing.refusing)
        }
    }

    /// Why a source cannot be read, as a stable code.
    private static func reason(of error: any Error) -> ReasonCode {
        guard let code = (error as? BatchSourceError)?.code, code != .inputNotFound, code != .inputUnreadable else {
            return .sourceUnreadable
        }
        return ReasonCode(rawValue: code.description)
    }

    private static func count(_ result: InputResult, in run: inout SourceRun) {
        switch result {
        case .admitted: run.counts["admitted", default: 0] += 1
        case .duplicate: run.counts["duplicate", default: 0] += 1
        case .ignored: run.counts["ignored", default: 0] += 1
        case .refused(let reason, _):
            run.counts["refused", default: 0] += 1
            run.countRefusal(reason)
        }
    }

    /// Writes down that a run has ended; waits for room on the disk if there is none.
    ///
    /// - Returns: `false` if the service is coming to its end before that.
    private func end(_ run: SourceRun, as state: SourceRun.State, reason: ReasonCode? = nil) async throws -> Bool {
        var ended = run
        (ended.state, ended.reason, ended.endedAt) = (state, reason, self.time.now())
        guard try await self.intake.whenThereIsRoom({ try await self.store.keep(ended) }) else { return false }
        self.logger.info(
            "run over a source ended",
            metadata: ["run.id": "\(run.id)", "run.state": "\(state.rawValue)"]
        )
        return true
    }
}
