import CardModel
import Synchronization

struct Claimed<Job: Sendable>: Sendable {
    var jobs: [Job] = []
    /// Whether the claim changed cards without a job: there may then be more to claim at once.
    var hasChanged = false
}

/// The work of a stage: how to claim, when more is due, and how to perform a job.
protocol StageWork<Job>: Sendable {
    associatedtype Job: Sendable
    associatedtype Pace: StageGate

    var stage: Stage { get }
    var gate: Pace { get }
    /// Claims at most `limit` jobs.
    func claim(_ limit: Int) async throws -> Claimed<Job>
    /// When the next job may be claimed; `nil` if none is known, a time in the past if one may be now.
    func nextDue() async throws -> Timestamp?
    /// Performs a job, concludes it, and reports the result to the gate.
    func perform(_ job: Job) async throws
}

/// Runs a stage: waits for a signal or a time, asks the gate for slots, claims, performs, concludes.
struct StageRunner<Work: StageWork>: Sendable {
    let work: Work
    let board: WorkBoard
    let time: EngineTime

    /// Runs until the board asks for the end, and then waits for current jobs.
    ///
    /// - Throws: the first error of the sandbox, after the other jobs are concluded.
    func run() async throws {
        let failure = Mutex<(any Error)?>(nil)
        let onError: @Sendable (any Error) -> Void = { error in
            failure.withLock { $0 = $0 ?? error }
            self.board.stop()
        }
        await withDiscardingTaskGroup { group in
            while !self.board.isEnding {
                self.board.listen(self.work.stage)
                await self.setStopped(onError)
                let places = self.work.gate.places
                do {
                    let claimed = places > 0 ? try await self.work.claim(places) : Claimed()
                    self.work.gate.begin(claimed.jobs.count)
                    self.board.begin(claimed.jobs.count, of: self.work.stage)
                    for job in claimed.jobs { group.addTask { await self.perform(job, onError) } }
                    // If all slots are in use, there may be more work.
                    let mayBeMore = claimed.hasChanged || !claimed.jobs.isEmpty && claimed.jobs.count == places
                    guard !mayBeMore else { continue }
                    await self.board.wait(self.work.stage, for: try await self.pause(), time: self.time)
                } catch {
                    // Throwing here would cut off current jobs.
                    onError(error)
                    break
                }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func perform(_ job: Work.Job, _ onError: @Sendable (any Error) -> Void) async {
        defer { self.board.finish(self.work.stage) }
        do { try await self.work.perform(job) } catch is CancellationError {
            // The time for an orderly end is over; a delivery being sent may have arrived, and is treated so.
        } catch { onError(error) }
    }

    /// Sets the status to stopped if the endpoint stopped, even if the next probe may begin at once.
    private func setStopped(_ onError: @Sendable (any Error) -> Void) async {
        guard self.work.gate.isStoppedForGood(nothingElseIsDue: false), self.board.underWay(self.work.stage) == 0 else {
            return
        }
        do {
            if try await self.work.nextDue() != nil { self.board.set(.stopped, of: self.work.stage) }
        } catch { onError(error) }
    }

    /// Sets the status of the stage if nothing can be claimed, and returns how long to wait without a signal.
    private func pause() async throws -> Duration {
        let name = self.work.stage
        let gateWait = self.work.gate.wait
        guard self.board.underWay(name) == 0 else { return min(gateWait ?? Limits.pollInterval, Limits.pollInterval) }
        let now = self.time.now()
        guard let due = try await self.work.nextDue() else {
            self.board.set(.idle(until: nil), of: name)
            return Limits.pollInterval
        }
        if self.work.gate.isStoppedForGood(nothingElseIsDue: true) {
            self.board.set(.stopped, of: name)
            return min(gateWait ?? Limits.pollInterval, Limits.pollInterval)
        }
        let wait = max(due.duration(since: now), gateWait ?? .zero)
        let pause = wait > .zero ? min(wait, Limits.pollInterval) : Limits.pollInterval
        self.board.set(.idle(until: now.advanced(by: max(wait, pause))), of: name)
        return pause
    }
}

/// Decides for a runner how many jobs may begin.
protocol StageGate: Sendable {
    /// How many jobs may begin now.
    var places: Int { get }
    /// How long until a job may begin, if none may now and only time is needed.
    var wait: Duration? { get }
    /// Whether a batch no longer waits for the stage.
    func isStoppedForGood(nothingElseIsDue: Bool) -> Bool
    /// Uses slots.
    func begin(_ count: Int)
}

/// The gate of a stage without an endpoint of its own: a fixed number of jobs at a time.
struct LocalGate: StageGate {
    let cap: Int
    let stage: Stage
    let board: WorkBoard

    var places: Int { max(0, self.cap - self.board.underWay(self.stage)) }
    var wait: Duration? { nil }
    func isStoppedForGood(nothingElseIsDue: Bool) -> Bool { false }
    /// The board counts them.
    func begin(_ count: Int) {}
}
