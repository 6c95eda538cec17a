import CardModel
import CardStore
import Synchronization

/// Fetches images by URL, with limits for each host.
final class FetchStage: StageWork {
    /// A claimed card, for which a slot of its host is taken; `host` is `nil` if our rules forbid the address.
    struct Job: Sendable {
        let fetch: FetchJob
        let host: EndpointGate?
        let startedAt: Timestamp
    }

    let stage = Stage.fetch
    let states: Set<CardState> = [.fetching]
    let scarcestSpace = DiskSpace.ample
    let cap = Limits.fetches
    private let context: EngineContext
    private let hosts: FetchHosts
    /// If the hosts of all due cards pause: the earliest end of these pauses.
    private let pause = Mutex<Timestamp?>(nil)

    init(context: EngineContext, hosts: FetchHosts) { (self.context, self.hosts) = (context, hosts) }

    func gate(of job: Job) -> EndpointGate? { job.host }

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

    /// Claims only cards whose host has a free slot, so that cards of a slow host take no slots of the stage.
    func claim(_ limit: Int) async throws -> Claimed<Job> {
        let now = self.context.time.now()
        var claimed = Claimed<Job>()
        var pauses: [Duration] = []
        for name in try await self.context.store.stages.fetchHosts(now: now) where claimed.jobs.count < limit {
            let host = if let name { try await self.hosts.gate(of: name) } else { EndpointGate?.none }
            let slots = min(limit - claimed.jobs.count, host?.freeSlots ?? .max)
            guard slots > 0 else {
                pauses.append(host?.timeToNextCall ?? .zero)
                continue
            }
            let ofHost = try await self.context.store.stages.claimFetching(
                from: name,
                by: self.context.worker,
                limit: slots,
                untriedFirst: host?.isFailing ?? false,
                now: now
            )
            host?.begin(ofHost.jobs.count)
            claimed.add(ofHost.map { Job(fetch: $0, host: host, startedAt: now) })
        }
        self.pause.withLock { $0 = claimed.jobs.isEmpty ? pauses.min().map(now.advanced(by:)) : nil }
        return claimed
    }

    // MARK: Fetching

    /// Checks the address once more: the rules may have changed since the card was admitted.
    func begin(_ job: Job) -> Beginning<Job, FetchOutcome> {
        do throws(CodedError) { _ = try self.context.ports.fetcher.host(of: job.fetch.content.address) } catch {
            if error.kind == .input { return .known(.forbidden(error), job) }
        }
        return .call(job)
    }

    func call(_ job: Job) async throws -> FetchOutcome {
        do {
            return try await self.context.ports.fetcher.fetch(job.fetch.content) { bytes, offset, version in
                try await self.context.store.stages.storeChunk(bytes, at: offset, of: job.fetch, version: version)
            }
        } catch let error as CodedError where [.cardConflict, .diskSpaceLow].contains(error.code) {
            // In a conflict, a person erased the card, or another process has taken it over.
            return .interrupted
        }
    }

    /// A refusal of one image does not concern the other images of its host, so the host counts as working.
    func failure(in outcome: FetchOutcome, of job: Job) -> EndpointAnswer? {
        guard case .failed(let failure) = outcome else { return nil }
        return switch failure.failureClass {
        case .accepted, .rejected, .shrink, .stop: EndpointAnswer(result: .answered, failure: failure)
        case .throttled, .notSent, .transient, .unknown: EndpointAnswer(failure)
        }
    }

    func answer(in outcome: FetchOutcome, of job: Job) -> EndpointAnswer? {
        if case .interrupted = outcome { nil } else { .works }
    }

    func conclude(_ job: Job, _ outcome: FetchOutcome) async throws -> [CardChange] {
        let change = try await self.context.store.stages.conclude(
            job.fetch,
            with: outcome,
            startedAt: job.startedAt,
            retryDelay: self.context.retryDelay(tries: job.fetch.tries),
            now: self.context.time.now()
        )
        guard change?.state != .fetching else { return [] }
        self.context.board.signal(.prepare)
        // The same image may belong to a known card, which is then verified again.
        self.context.board.signal(.verify)
        return [change].compactMap(\.self)
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

    /// Returns the gate of a host; a new gate starts with the host's stored pause.
    func gate(of host: String) async throws -> EndpointGate {
        if let known = self.gates.withLock({ $0[host] }) { return known }
        var pace = EngineSettings.Pace()
        pace.concurrency = Limits.fetchesPerHost
        let gate = EndpointGate(.fetch, of: host, pace: pace, context: self.context)
        _ = gate.restore(from: try await self.context.store.endpoints.pauses(), unreadable: 0)
        return self.gates.withLock { gates in
            if let known = gates[host] { return known }
            // If there are many hosts, the idle ones are forgotten: the sandbox still has their pauses.
            if gates.count >= Limits.rememberedHosts { gates = gates.filter { $0.value.isUnderWay } }
            gates[host] = gate
            return gate
        }
    }
}
