import CardEngine
import CardInput
import CardModel
import CardServer
import CardStore
import Foundation
import Logging
import Synchronization

/// Runs on demand: admits the sources of the configuration, by the same loop as `run`, when a caller asks for it.
/// Another process continues the runs that a process leaves unfinished.
final class SourceRuns: Sendable {
    /// How long to wait while nothing can be admitted, and how often to look for runs left by other processes.
    private static let pause = Duration.seconds(10)

    private struct Source: Sendable {
        let path: String
        let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    private let pipeline: Pipeline
    private var store: Sandbox { self.pipeline.store }
    private let engine: Engine
    private let worker: String
    private let notices: ServiceNotices
    private let metrics: ServerMetrics
    private let sources: [String: Source]
    /// The inputs of the runs of this process, by run.
    private let followers = Mutex<[String: InputFollower]>([:])
    /// Whether the process is stopping, and the listings under way.
    private let listings = Mutex<(isStopping: Bool, underWay: [UUID: Task<BatchListing, any Error>])>((false, [:]))

    /// Prepares the runs; ``work()`` performs them, under the name of the worker.
    init(_ pipeline: Pipeline, engine: Engine, worker: String, notices: ServiceNotices, metrics: ServerMetrics) {
        (self.pipeline, self.engine, self.worker, self.notices) = (pipeline, engine, worker, notices)
        self.metrics = metrics
        self.sources = pipeline.configuration.sourcePaths.mapValues(Source.init)
    }

    // MARK: For callers

    /// Starts a run over a source, or returns the waiting one; `nil` if there is no such source.
    @Sendable func start(_ name: String, by origin: AccessOrigin) async throws -> RunStatus? {
        guard let source = self.sources[name] else { return nil }
        let run = try await self.store.upkeep.askForRun(over: name, by: origin, now: .now)
        source.signal.continuation.yield()
        return try await self.status(of: run)
    }

    @Sendable func run(_ id: String) async throws -> RunStatus? {
        guard let run = try await self.store.upkeep.run(id) else { return nil }
        return try await self.status(of: run)
    }

    /// Returns the known runs, the newest first.
    @Sendable func all() async throws -> [RunStatus] {
        var all: [RunStatus] = []
        for run in try await self.store.upkeep.runs() { all.append(try await self.status(of: run)) }
        return all
    }

    /// The results of a run of this process so far; `nil` if it has none.
    private func report(of run: String) async throws -> SourceRun.Report? {
        guard let rejected = self.followers.withLock({ $0[run]?.rejectedBefore }) else { return nil }
        let known = try await self.store.listings.cards(rejected, for: .process)
        return self.followers.withLock { $0[run].map { SourceRun.Report($0, known: known) } }
    }

    private func status(of run: SourceRun) async throws -> RunStatus {
        var report = run.report
        if report == nil { report = try await self.report(of: run.id) }
        let hasSucceeded = run.report.map { $0.reason == nil } ?? false
        let result: RunStatus.State = hasSucceeded ? .complete : .failed
        let state = run.endedAt == nil ? .running : result
        var status = RunStatus(
            id: run.id,
            source: run.source,
            submitter: run.submitter,
            state: state,
            startedAt: run.createdAt
        )
        let shown = report ?? SourceRun.Report()
        status.counts = shown.counts
        status.refusals = shown.refusals
        status.reason = state == .failed ? shown.reason ?? .restored : nil
        status.endedAt = run.endedAt?.description
        return status
    }

    // MARK: The work

    /// Begins no more runs; ``work()`` returns once those under way have stopped.
    func stop() {
        for source in self.sources.values { source.signal.continuation.finish() }
        self.listings.withLock { listings in
            listings.isStopping = true
            for listing in listings.underWay.values { listing.cancel() }
        }
    }

    /// Performs the runs, those of different sources in parallel, until ``stop()``.
    ///
    /// - Throws: what the sandbox throws.
    func work() async throws {
        let unreadable = SourceRun.Report(reason: .sourceUnreadable)
        try await self.store.upkeep.endRuns(
            exceptOver: self.sources.keys.sorted(),
            by: self.worker,
            as: unreadable,
            now: .now
        )
        try await running(self.performOnSignal, cancelling: true) {
            repeat {
                for source in self.sources.values { source.signal.continuation.yield() }
            } while (try? await Task.sleep(for: Self.pause)) != nil
        }
    }

    @Sendable private func performOnSignal() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for (name, source) in self.sources {
                group.addTask {
                    for await _ in source.signal.stream {
                        // The stream still yields a signal sent before shutdown; check again.
                        while !self.isStopping,
                            let run = try await self.store.upkeep.beginRun(over: name, by: self.worker)
                        {
                            guard try await self.perform(run, at: source.path) else { return }
                        }
                    }
                }
            }
        }
    }

    private var isStopping: Bool { self.listings.withLock(\.isStopping) }

    /// Performs a run; `false` if the process stops first: another process continues it.
    private func perform(_ run: SourceRun, at path: String) async throws -> Bool {
        let listing: BatchListing
        do {
            guard let listed = try await self.listing(at: path) else { return false }
            listing = listed
        } catch let error as CodedError {
            Console.warn(.serveSourceFailed(run.source, error.message))
            let isUnreadable = error.code == .inputNotFound || error.code == .inputUnreadable
            let reason = isUnreadable ? .sourceUnreadable : error.code
            try await self.finish(run, as: SourceRun.Report(reason: reason))
            return true
        }
        self.notices.reportSkipped(listing.skipped, in: "source \(run.source)") {
            .outputSkippedInSource(run.source, $0)
        }
        for entry in listing.entries {
            switch entry {
            case .refuse: self.metrics.count(.refused)
            case .ignore: self.metrics.count(.ignored)
            case .admit, .duplicate: break
            }
        }
        self.followers.withLock { $0[run.id] = InputFollower(listing.entries) }
        // Admits what is left, until nothing is.
        let left = { self.followers.withLock { $0[run.id]?.left(of: listing.groups) ?? [] } }
        while true {
            do {
                try await self.engine.admit(left()) { event in
                    self.followers.withLock { _ = $0[run.id]?.observe(event) }
                }
                if left().isEmpty { break }
            } catch let error as CodedError where error.isRetried {}
            // The process stops, or there is no space for more: the inputs that are left wait.
            do { try await Task.sleep(for: Self.pause) } catch { return false }
        }
        try await self.finish(run, as: self.report(of: run.id) ?? SourceRun.Report())
        self.followers.withLock { $0[run.id] = nil }
        return true
    }

    private func finish(_ run: SourceRun, as report: SourceRun.Report) async throws {
        try await self.store.upkeep.finish(run, as: report, by: self.worker, now: .now)
        let state = report.reason == nil ? RunStatus.State.complete : .failed
        let metadata: Logger.Metadata = ["run.source": "\(run.source)", "run.state": "\(state.rawValue)"]
        self.pipeline.configuration.logger(runID: self.worker).info("run over a source ended", metadata: metadata)
    }

    /// Lists a source; `nil` if the process stops first: it does not wait for a thread that waits for a hanging share.
    private func listing(at path: String) async throws -> BatchListing? {
        let (id, configuration) = (UUID(), self.pipeline.configuration)
        let task = self.listings.withLock { listings -> Task<BatchListing, any Error>? in
            guard !listings.isStopping else { return nil }
            let task = Task {
                try await answer(on: { Thread.detachNewThread($0) }) {
                    Result { try BatchSource(source: path, options: configuration.inputs()).listing() }
                }.get()
            }
            listings.underWay[id] = task
            return task
        }
        defer { self.listings.withLock { $0.underWay[id] = nil } }
        do { return try await task?.value } catch is CancellationError { return nil }
    }
}

extension SourceRun.Report {
    /// Begins with all counts at zero.
    init(reason: ReasonCode? = nil) {
        self.init(reason: reason, counts: ["admitted": 0, "duplicate": 0, "refused": 0, "ignored": 0])
    }

    /// Counts the results so far, without inputs that will be tried again.
    ///
    /// - Parameter known: the cards, as they are now, of inputs that were rejected before.
    init(_ inputs: InputFollower, known: [Card]) {
        self.init()
        let toRetake = Set(known.filter { $0.notice == .attention(.retake) }.map(\.id))
        for result in inputs.results {
            switch result {
            case .ignored: self.counts["ignored", default: 0] += 1
            case .duplicate: self.counts["duplicate", default: 0] += 1
            case .refused(let error): if !error.isRetried { self.refuse(error.code) }
            case .admitted(let outcome)
            where outcome.state == .rejected && (!outcome.isDuplicate || toRetake.contains(outcome.card)):
                self.refuse(outcome.reason ?? .sourceUnreadable)
            case .admitted(let outcome): self.counts[outcome.isDuplicate ? "duplicate" : "admitted", default: 0] += 1
            case .notReached, .stored: break
            }
        }
    }

    private mutating func refuse(_ code: ReasonCode) {
        self.counts["refused", default: 0] += 1
        self.refusals[code.rawValue, default: 0] += 1
    }
}
