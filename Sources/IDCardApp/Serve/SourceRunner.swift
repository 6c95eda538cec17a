import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Logging
import ServiceLifecycle
import Synchronization

/// Hands inputs out one by one, to many takers.
private final class ItemQueue: Sendable {
    private let rest: Mutex<ArraySlice<IntakeItem>>

    init(_ items: [IntakeItem]) { self.rest = Mutex(items[...]) }

    func next() -> IntakeItem? { self.rest.withLock { $0.popFirst() } }
}

/// Takes in folders named in the configuration when a caller asks for it; what a killed process began goes on.
final class SourceRunner: Service, SourceRuns {
    private struct State {
        /// The runs under way, by their source.
        var open: [String: SourceRun] = [:]
    }

    private let sources: [String: String]
    private let inputs: BatchOptions
    private let manifestNames: [String]
    private let refusing: @Sendable (IntakeItem) -> IntakeItem
    private let intake: any CardIntake
    private let store: any ReceptionStore
    private let concurrency: Int
    private let time: PipelineTime
    private let logger: Logger
    private let state = Mutex(State())
    private let (started, starter) = AsyncStream.makeStream(of: SourceRun.self)

    /// Makes a runner; ``run()`` does the work.
    ///
    /// - Parameters:
    ///   - sources: the folders by their names.
    ///   - inputs: how inputs are found and read, as in `run`.
    ///   - manifestNames: the names that a manifest in a folder may have (`watch.manifests`).
    ///   - concurrency: how many inputs are taken in at a time.
    ///   - refusing: what becomes of an input that lacks what the configuration does not give either.
    init(
        sources: [String: String],
        inputs: BatchOptions,
        manifestNames: [String] = [],
        intake: any CardIntake,
        store: any ReceptionStore,
        concurrency: Int,
        time: PipelineTime = .system,
        logger: Logger,
        refusing: @escaping @Sendable (IntakeItem) -> IntakeItem = { $0 }
    ) {
        self.sources = sources
        self.inputs = inputs
        self.manifestNames = manifestNames
        self.intake = intake
        self.store = store
        self.concurrency = concurrency
        self.time = time
        self.logger = logger
        self.refusing = refusing
    }

    var names: [String] { self.sources.keys.sorted() }

    func start(_ source: String) async throws -> SourceRun? {
        guard self.sources[source] != nil else { return nil }
        let now = self.time.now()
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let new = SourceRun(id: UUIDText.version7(at: now, using: &random), source: source, startedAt: now)
        let (run, isNew) = self.state.withLock { state in
            if let open = state.open[source] { return (open, false) }
            state.open[source] = new
            return (new, true)
        }
        guard isNew else { return run }
        do {
            try await self.store.keep(new)
        } catch {
            self.state.withLock { $0.open[source] = nil }
            throw error
        }
        self.starter.yield(new)
        return new
    }

    func run(_ id: String) async throws -> SourceRun? {
        let open = self.state.withLock { state in state.open.values.first { $0.id == id } }
        if let open { return open }
        return try await self.store.run(id)
    }

    /// Does the runs, each beside the others, until graceful shutdown: what is under way then goes on at the next start.
    func run() async throws {
        for run in try await self.store.openRuns() {
            // One of a source that the configuration does not name any more cannot go on.
            guard self.sources[run.source] != nil else {
                try await self.end(run, as: .failed, reason: .sourceUnreadable)
                continue
            }
            let isFirst = self.state.withLock { state in
                defer { state.open[run.source] = state.open[run.source] ?? run }
                return state.open[run.source] == nil
            }
            if isFirst { self.starter.yield(run) }
        }
        try await withThrowingDiscardingTaskGroup { group in
            for await run in self.started.cancelOnGracefulShutdown() {
                group.addTask { try await self.perform(run) }
            }
        }
    }

    private func perform(_ run: SourceRun) async throws {
        let items: [IntakeItem]
        do {
            let source = BatchSource(
                source: self.sources[run.source] ?? "",
                manifestNames: self.manifestNames,
                options: self.inputs
            )
            items = try source.items().map(self.refusing)
        } catch {
            // Its words may hold the path.
            self.logger.error(
                "source cannot be read",
                metadata: ["run.id": "\(run.id)", "run.source": "\(run.source)"]
            )
            return try await self.end(run, as: .failed, reason: .sourceUnreadable)
        }
        var begun = run
        begun.counts = [:]
        self.note(begun)
        do {
            try await self.take(items, of: run)
        } catch is CancellationError {
            // The pipeline is coming to its end: the run stays open, and goes on at the next start.
            return
        }
        let ended = self.state.withLock { $0.open[run.source] } ?? run
        try await self.end(ended, as: .complete, reason: nil)
    }

    private func take(_ items: [IntakeItem], of run: SourceRun) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            let queue = ItemQueue(items)
            for _ in 0..<max(1, self.concurrency) {
                group.addTask {
                    while let item = queue.next() {
                        let key = try await self.result(of: item)
                        self.state.withLock { $0.open[run.source]?.counts[key, default: 0] += 1 }
                    }
                }
            }
        }
    }

    /// Takes one input in as soon as it is let in, and returns under what it counts.
    private func result(of item: IntakeItem) async throws -> String {
        while true {
            try Task.checkCancellation()
            if Task.isShuttingDownGracefully { throw CancellationError() }
            if case .closed(_, _, let retryAfter) = await self.intake.pressure() {
                try await self.time.sleep(self.time.now().advanced(by: retryAfter))
                continue
            }
            switch try await self.intake.take(item) {
            case .admitted: return "admitted"
            case .duplicate: return "duplicate"
            case .ignored: return "ignored"
            case .refused(.diskSpaceLow, _): continue
            case .refused: return "refused"
            }
        }
    }

    private func note(_ run: SourceRun) {
        self.state.withLock { $0.open[run.source] = run }
    }

    private func end(_ run: SourceRun, as state: SourceRun.State, reason: ReasonCode?) async throws {
        var ended = run
        ended.state = state
        ended.reason = reason
        ended.endedAt = self.time.now()
        try await self.store.keep(ended)
        self.state.withLock { $0.open[run.source] = nil }
        self.logger.info(
            "run over a source ended",
            metadata: ["run.id": "\(run.id)", "run.state": "\(state.rawValue)"]
        )
    }
}
