import CardModel
import CardStore
import Synchronization

/// Fetches images by URL, with limits for each host.
final class FetchStage: StageWork {
    /// A claimed card with a slot of its host; without a host if our rules forbid the address.
    struct Job: Sendable {
        let fetch: FetchJob
        let host: EndpointGate?
    }

    let stage = Stage.fetch
    let gate: LocalGate
    private let context: EngineContext
    private let hosts: FetchHosts
    /// The earliest end of the pauses, if the hosts of all due cards pause.
    private let pause = Mutex<Timestamp?>(nil)

    init(context: EngineContext, gate: LocalGate, hosts: FetchHosts) {
        (self.context, self.gate, self.hosts) = (context, gate, hosts)
    }

    func nextDue() async throws -> Timestamp? {
        let store = self.context.store
        let now = self.context.time.now()
        guard let pause = self.pause.withLock(\.self) else {
            return try await store.stages.nextDue(in: .fetching, now: now)
        }
        // Due cards wait for their hosts; another card may be due earlier.
        return try await min(pause, store.stages.nextDue(in: .fetching, after: now, now: now) ?? pause)
    }

    // MARK: Claiming

    /// Claims only cards whose host has a free slot: the others stay unclaimed, and cost nothing.
    func claim(_ limit: Int) async throws -> Claimed<Job> {
        try self.context.worker.requireLock()
        guard self.context.room == .ample else { return Claimed() }
        let now = self.context.time.now()
        var claimed = Claimed<Job>()
        var pauses: [Duration] = []
        for name in try await self.context.store.stages.fetchHosts(now: now) where claimed.jobs.count < limit {
            let host = if let name { try await self.hosts.gate(of: name) } else { EndpointGate?.none }
            let places = min(limit - claimed.jobs.count, host?.places ?? .max)
            guard places > 0 else {
                pauses.append(host?.wait ?? .zero)
                continue
            }
            let jobs = try await self.context.store.stages.claimFetching(
                from: name,
                by: self.context.worker,
                limit: places,
                untriedFirst: host?.isFailing ?? false,
                now: now
            ) { change in
                claimed.hasChanged = true
                self.context.report(change)
            }
            host?.begin(jobs.count)
            claimed.jobs += jobs.map { Job(fetch: $0, host: host) }
        }
        self.pause.withLock { $0 = claimed.jobs.isEmpty ? pauses.min().map(now.advanced(by:)) : nil }
        return claimed
    }

    // MARK: Fetching

    func perform(_ job: Job) async throws {
        let (fetch, startedAt) = (job.fetch, self.context.time.now())
        do { _ = try self.context.ports.fetcher.host(of: fetch.content.address) } catch  where error.kind == .input {
            job.host?.withdraw()
            return try await self.conclude(fetch, with: self.ended(.forbidden(error), fetch, startedAt: startedAt))
        }
        let outcome: FetchOutcome
        do {
            outcome = try await self.context.fetch(fetch.content) { bytes, offset, version in
                try await self.context.store.stages.storeChunk(bytes, at: offset, of: fetch, version: version)
            }
        } catch let error as CodedError where error.code == .cardConflict {
            // A person erased the card, or another process has taken it over.
            job.host?.withdraw()
            return
        } catch let error as CodedError where error.code == .diskSpaceLow {
            job.host?.withdraw()
            return try await self.conclude(fetch, with: .postponed(until: startedAt.advanced(by: .seconds(60))))
        }
        try await self.finish(job, self.ended(outcome, fetch, startedAt: startedAt), outcome)
    }

    private func finish(_ job: Job, _ conclusion: FetchConclusion, _ outcome: FetchOutcome) async throws {
        guard case .failed(let failure) = outcome else {
            try await self.conclude(job.fetch, with: conclusion)
            if let host = job.host { try await host.write(host.finish(.answered, failure: nil)) }
            return
        }
        let pauseChange = job.host?.finish(Self.result(of: failure), failure: failure)
        try await self.conclude(job.fetch, with: conclusion)
        if let pauseChange { try await job.host?.write(pauseChange) }
        self.context.events(.failed(.fetch, failure))
    }

    /// Returns the result for the gate: an answer about one image does not concern the others of its host.
    private static func result(of failure: RemoteFailure) -> Gate.Result {
        switch failure.failureClass {
        case .accepted, .rejected, .shrink, .stop: .answered
        case .throttled, .notSent, .transient, .unknown: Gate.Result(failure)
        }
    }

    /// Attempts are not limited, only time is: a host that fails for an hour fails no card.
    private func ended(_ outcome: FetchOutcome, _ job: FetchJob, startedAt: Timestamp) -> FetchConclusion {
        .ended(outcome, startedAt: startedAt, self.context.retryTerms(maxAttempts: .max, tries: job.tries))
    }

    private func conclude(_ job: FetchJob, with conclusion: FetchConclusion) async throws {
        let change = try await self.context.store.stages.conclude(job, with: conclusion, now: self.context.time.now())
        guard change?.state != .fetching else { return self.context.board.signal(.fetch) }
        if let change { self.context.report(change) }
        self.context.board.signal(.prepare)
        // A card with the same image may be verified again.
        self.context.board.signal(.verify)
    }
}

/// The hosts of images, each with its own gate, so that a slow one does not delay the others.
final class FetchHosts: Sendable {
    private let context: EngineContext
    /// The gates by host name and port.
    private let gates = Mutex<[String: EndpointGate]>([:])

    init(context: EngineContext) { self.context = context }

    /// The gates of all remembered hosts.
    var known: [EndpointGate] { self.gates.withLock { Array($0.values) } }

    func gate(of host: String) async throws -> EndpointGate {
        if let known = self.gates.withLock({ $0[host] }) { return known }
        var pace = EngineSettings.Pace()
        pace.concurrency = Limits.fetchesPerHost
        let gate = EndpointGate(.fetch, of: host, pace: pace, context: self.context)
        _ = gate.restore(from: try await self.context.store.endpoints.pauses(), unreadable: 0)
        return self.gates.withLock { gates in
            if let known = gates[host] { return known }
            // Idle hosts are forgotten when there are many: the sandbox stores their pauses.
            if gates.count >= Limits.rememberedHosts { gates = gates.filter { $0.value.isUnderWay } }
            gates[host] = gate
            return gate
        }
    }
}
