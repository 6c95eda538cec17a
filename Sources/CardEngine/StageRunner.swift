import CardModel
import CardStore
import Synchronization

/// A stage: what it claims, the call for each job, and how the outcome is stored. ``StageRunner`` does the rest.
protocol StageWork<Job, Call, Outcome>: Sendable {
    associatedtype Job: Sendable
    associatedtype Call: Sendable
    associatedtype Outcome: CallOutcome

    var stage: Stage { get }
    /// The states of a card that still waits for this stage.
    var states: Set<CardState> { get }
    /// The lowest level of disk space at which the stage still claims.
    var scarcestSpace: DiskSpace { get }
    /// The maximum number of jobs at a time, if the stage has no `gate`.
    var cap: Int { get }
    /// The gate of the endpoint of all jobs; `nil` if there is none, or each job has its own.
    var gate: EndpointGate? { get }
    func gate(of job: Job) -> EndpointGate?
    func claim(_ limit: Int) async throws -> Claimed<Job>
    /// When the next job may be claimed; `nil` if none is known, a time in the past if one may be claimed now.
    func nextDue() async throws -> Timestamp?
    /// Prepares the call of a job, or finds out that none is needed.
    func begin(_ job: Job) async throws -> Beginning<Call, Outcome>
    /// Calls the service, and does nothing else.
    func call(_ call: Call) async throws -> Outcome
    /// What a failure means for the endpoint; `nil` if the outcome is not one. Decided before the outcome is stored.
    func failure(in outcome: Outcome, of call: Call) -> EndpointAnswer?
    /// What an outcome without a ``failure(in:of:)`` means for the endpoint, once it is stored; `nil` if nothing.
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

/// What the beginning of a job leads to.
enum Beginning<Call: Sendable, Outcome: Sendable>: Sendable {
    case call(Call)
    /// The outcome is known without a call.
    case known(Outcome, Call)
    /// The call cannot be made, and nothing was stored.
    case failed(RemoteFailure)
    /// Nothing is left to do.
    case over
}

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

    /// Claims and performs jobs until the board asks for the end, and then waits for current jobs.
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
                    let slots = self.freeSlots
                    let claimed = slots > 0 ? try await self.claim(slots) : Claimed()
                    self.work.gate?.begin(claimed.jobs.count)
                    self.board.begin(claimed.jobs.count, of: self.work.stage)
                    for job in claimed.jobs { group.addTask { await self.perform(job, onError) } }
                    claimed.changes.forEach(self.context.report)
                    // If the claim filled all slots, there may be more work.
                    let isFull = !claimed.jobs.isEmpty && claimed.jobs.count == slots
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

    private var freeSlots: Int {
        self.work.gate?.freeSlots ?? max(0, self.work.cap - self.board.underWay(self.work.stage))
    }

    /// Claims jobs if the disk has space; if nothing is due, the gate may conclude that the endpoint stopped.
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
            // The time for an orderly end is over. The sandbox later treats a delivery cut off here as one that may have arrived.
        } catch { onError(error) }
    }

    /// Makes the call of a job, stores the outcome, and tells the gate of the endpoint.
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
            // The gate learns of a failure before the card may be due again. The pause is stored last, so that an error there
            // does not lose the outcome. The gate counts the unreadable answers that are stored, so it learns of one afterwards.
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

    /// Stores a change of the endpoint's pause.
    private func store(
        _ change: EndpointGate.PauseChange?,
        after answer: EndpointAnswer,
        of gate: EndpointGate?
    ) async throws {
        if let change { try await gate?.write(change) }
        if answer.failure?.isUnreadable == true { try await gate?.writeUnreadable(nothingElseIsDue: false) }
    }

    /// Stores an outcome, and reports the cards that no longer wait for this stage.
    private func conclude(_ call: Work.Call, _ outcome: Work.Outcome) async throws {
        for change in try await self.work.conclude(call, outcome) where !self.work.states.contains(change.state) {
            self.context.report(change)
        }
    }

    /// Sets the status to stopped if a batch gives the endpoint up, even if the next probe may begin at once.
    private func setStopped() async throws {
        guard let gate = self.work.gate, gate.isStoppedForGood(nothingElseIsDue: false),
            self.board.underWay(self.work.stage) == 0
        else { return }
        if try await self.work.nextDue() != nil { self.board.set(.stopped, of: self.work.stage) }
    }

    /// Sets the status of a stage that can claim nothing, and returns how long to wait for a signal.
    private func pause() async throws -> Duration {
        let name = self.work.stage
        let gateWait = self.work.gate?.timeToNextCall
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
