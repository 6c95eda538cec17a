import CardModel
import CardStore
import Synchronization

/// A stage: what it claims, the call for each job, and how the outcome is stored. All else is the runner's.
protocol StageWork<Job, Call, Outcome>: Sendable {
    associatedtype Job: Sendable
    associatedtype Call: Sendable
    associatedtype Outcome: CallOutcome

    var stage: Stage { get }
    /// The states of a card that still waits for this stage.
    var states: Set<CardState> { get }
    /// The scarcest disk space with which it still claims.
    var scarcestSpace: DiskSpace { get }
    /// The most jobs at a time, if no gate of the whole stage says so.
    var cap: Int { get }
    /// The endpoint of all its jobs; `nil` if there is none, or one for each job.
    var gate: EndpointGate? { get }
    /// The endpoint of a job.
    func gate(of job: Job) -> EndpointGate?
    /// Claims at most `limit` jobs.
    func claim(_ limit: Int) async throws -> Claimed<Job>
    /// When the next job may be claimed; `nil` if none is known, a time in the past if one may be now.
    func nextDue() async throws -> Timestamp?
    func begin(_ job: Job) async throws -> Beginning<Call, Outcome>
    /// Calls the service, and nothing else.
    func call(_ call: Call) async throws -> Outcome
    /// What a failure means for the endpoint; its gate learns of it before the outcome is stored, unless the answer is unreadable.
    func failure(in outcome: Outcome, of call: Call) -> EndpointAnswer?
    /// What any other outcome means for the endpoint, once it is stored; `nil` if nothing.
    func answer(in outcome: Outcome, of call: Call) async -> EndpointAnswer?
    /// Stores an outcome; returns the current states of the cards.
    func conclude(_ call: Call, _ outcome: Outcome) async throws -> [CardChange]
}

extension StageWork {
    var cap: Int { .max }
    var gate: EndpointGate? { nil }
    func gate(of job: Job) -> EndpointGate? { self.gate }
    func failure(in outcome: Outcome, of call: Call) -> EndpointAnswer? { nil }
    func answer(in outcome: Outcome, of call: Call) -> EndpointAnswer? { .works }
}

extension StageWork where Job == Call {
    func begin(_ job: Job) async throws -> Beginning<Call, Outcome> { .call(job) }
}

/// The beginning of a job.
enum Beginning<Call: Sendable, Outcome: Sendable>: Sendable {
    case call(Call)
    /// The outcome is known without a call.
    case known(Outcome, Call)
    /// The call cannot be made, and nothing was begun.
    case failed(RemoteFailure)
    /// Nothing is left to do.
    case over
}

/// The outcome of a call.
protocol CallOutcome: Sendable {
    var failureClass: FailureClass { get }
}

extension FetchOutcome: CallOutcome {}
extension VerificationOutcome: CallOutcome {}
extension DeliveryOutcome: CallOutcome {}

/// What an outcome means for its endpoint.
struct EndpointAnswer: Sendable {
    var result: Gate.Result
    var failure: RemoteFailure?

    static let works = EndpointAnswer(result: .answered)
}

extension EndpointAnswer {
    init(_ failure: RemoteFailure) { self.init(result: Gate.Result(failure), failure: failure) }
}

/// Runs a stage: waits for a signal or a time, asks the gate for slots, claims, calls, concludes.
struct StageRunner<Work: StageWork>: Sendable {
    let work: Work
    let context: EngineContext
    private var board: WorkBoard { self.context.board }

    init(_ work: Work, context: EngineContext) { (self.work, self.context) = (work, context) }

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
                do {
                    self.board.listen(self.work.stage)
                    try await self.setStopped()
                    let places = self.places
                    let claimed = places > 0 ? try await self.claim(places) : Claimed()
                    self.work.gate?.begin(claimed.jobs.count)
                    self.board.begin(claimed.jobs.count, of: self.work.stage)
                    for job in claimed.jobs { group.addTask { await self.perform(job, onError) } }
                    claimed.changes.forEach(self.context.report)
                    // If all slots are in use, there may be more work.
                    let isFull = !claimed.jobs.isEmpty && claimed.jobs.count == places
                    guard !isFull, !claimed.isPartial, claimed.changes.isEmpty else { continue }
                    await self.board.wait(self.work.stage, for: try await self.pause(), time: self.context.time)
                } catch {
                    // Throwing here would cut off current jobs.
                    onError(error)
                    break
                }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private var places: Int {
        self.work.gate?.places ?? max(0, self.work.cap - self.board.underWay(self.work.stage))
    }

    private func claim(_ limit: Int) async throws -> Claimed<Work.Job> {
        try self.context.worker.requireLock()
        guard self.context.room <= self.work.scarcestSpace else { return Claimed() }
        let claimed = try await self.work.claim(limit)
        if claimed.jobs.isEmpty, claimed.changes.isEmpty, !claimed.isPartial {
            try await self.work.gate?.writeUnreadable(nothingElseIsDue: true)
        }
        return claimed
    }

    private func perform(_ job: Work.Job, _ onError: @Sendable (any Error) -> Void) async {
        defer { self.board.finish(self.work.stage) }
        do { try await self.perform(job) } catch is CancellationError {
            // The time for an orderly end is over; a delivery being sent may have arrived, and is treated so.
        } catch { onError(error) }
    }

    private func perform(_ job: Work.Job) async throws {
        let gate = self.work.gate(of: job)
        switch try await self.work.begin(job) {
        case .over: gate?.withdraw()
        case .failed(let failure):
            let answer = EndpointAnswer(failure)
            try await self.store(self.report(answer, to: gate), after: answer, of: gate)
        case .known(let outcome, let call):
            gate?.withdraw()
            try await self.conclude(call, outcome)
        case .call(let call):
            let outcome = try await self.context.measure(self.work.stage) {
                try await self.work.call(call)
            } endedAs: {
                $0.failureClass
            }
            let failure = self.work.failure(in: outcome, of: call)
            // The gate learns of a failure first, since the card may be due again at once. Its pause is stored last: an error
            // there loses no outcome. Unreadable answers are counted by what the sandbox stores, so the gate learns of one last.
            if let failure, failure.result != .unreadable {
                let pauseChange = self.report(failure, to: gate)
                try await self.conclude(call, outcome)
                return try await self.store(pauseChange, after: failure, of: gate)
            }
            try await self.conclude(call, outcome)
            var answer = failure
            if failure == nil { answer = await self.work.answer(in: outcome, of: call) }
            guard let answer else {
                gate?.withdraw()
                return
            }
            try await self.store(self.report(answer, to: gate), after: answer, of: gate)
        }
    }

    /// Reports an answer to the gate of its endpoint, and a failure as an event, too.
    private func report(_ answer: EndpointAnswer?, to gate: EndpointGate?) -> EndpointGate.PauseChange? {
        if let failure = answer?.failure { self.context.events(.failed(self.work.stage, failure)) }
        return answer.flatMap { gate?.finish($0) }
    }

    private func store(
        _ change: EndpointGate.PauseChange?,
        after answer: EndpointAnswer,
        of gate: EndpointGate?
    ) async throws {
        if let change { try await gate?.write(change) }
        if answer.failure?.isUnreadable == true { try await gate?.writeUnreadable(nothingElseIsDue: false) }
    }

    private func conclude(_ call: Work.Call, _ outcome: Work.Outcome) async throws {
        for change in try await self.work.conclude(call, outcome) where !self.work.states.contains(change.state) {
            self.context.report(change)
        }
    }

    /// Sets the status to stopped if the endpoint stopped, even if the next probe may begin at once.
    private func setStopped() async throws {
        guard let gate = self.work.gate, gate.isStoppedForGood(nothingElseIsDue: false),
            self.board.underWay(self.work.stage) == 0
        else { return }
        if try await self.work.nextDue() != nil { self.board.set(.stopped, of: self.work.stage) }
    }

    /// Sets the status of the stage if nothing can be claimed, and returns how long to wait without a signal.
    private func pause() async throws -> Duration {
        let name = self.work.stage
        let gateWait = self.work.gate?.wait
        guard self.board.underWay(name) == 0 else { return min(gateWait ?? Limits.pollInterval, Limits.pollInterval) }
        let now = self.context.time.now()
        guard let due = try await self.work.nextDue() else {
            self.board.set(.idle(until: nil), of: name)
            return Limits.pollInterval
        }
        if self.work.gate?.isStoppedForGood(nothingElseIsDue: true) == true {
            self.board.set(.stopped, of: name)
            return min(gateWait ?? Limits.pollInterval, Limits.pollInterval)
        }
        let wait = max(due.duration(since: now), gateWait ?? .zero)
        let pause = wait > .zero ? min(wait, Limits.pollInterval) : Limits.pollInterval
        self.board.set(.idle(until: now.advanced(by: max(wait, pause))), of: name)
        return pause
    }
}
