import CardModel
import CardStore
import Synchronization

/// Fetches images that are named by URL, each host at its own pace.
final class FetchStage: Sendable {
    /// A card with a place at its host, or with the reason why no host is asked.
    struct Job: Sendable {
        let fetch: FetchJob
        let place: Place
    }

    enum Place: Sendable {
        case taken(EndpointGate)
        case forbidden(CodedError)
    }

    private let context: EngineContext
    private let gate: LocalGate
    private let hosts: FetchHosts
    /// Until when the hosts of all that is due ask to be left alone.
    private let rest = Mutex<Timestamp?>(nil)

    init(context: EngineContext, gate: LocalGate, hosts: FetchHosts) {
        self.context = context
        self.gate = gate
        self.hosts = hosts
    }

    var stage: Stage<Job> {
        Stage(name: .fetch, gate: self.gate, claim: self.claim, nextDue: self.nextDue, perform: self.perform)
    }

    private func nextDue() async throws -> Timestamp? {
        guard let due = try await self.context.store.nextFetching() else { return nil }
        return max(due, self.rest.withLock(\.self) ?? due)
    }

    // MARK: Claiming

    /// Claims only what has a place at its host: the others stay where they are, and cost nothing.
    private func claim(_ limit: Int) async throws -> [Job] {
        try self.context.requireWorker()
        guard self.context.room == .ample else { return [] }
        let now = self.context.time.now()
        let candidates = try await self.context.store.fetchCandidates(limit: Limits.fetchesLookedAt, now: now)
        var (cards, places, rests) = ([CardID](), [CardID: Place](), [Duration]())
        for candidate in candidates where cards.count < limit {
            // One without an address is damaged, and ends when it is claimed.
            if let address = candidate.address {
                switch try await self.ask(address) {
                case .place(let place): places[candidate.card] = place
                case .wait(let duration):
                    rests.append(duration)
                    continue
                }
            }
            cards.append(candidate.card)
        }
        self.rest.withLock { $0 = cards.isEmpty ? rests.min().map(now.advanced(by:)) : nil }
        let claimed = try await self.context.store.claimFetching(cards, by: self.context.worker, now: now)
        let jobs = claimed.compactMap { job in
            places.removeValue(forKey: job.card.id).map { Job(fetch: job, place: $0) }
        }
        for case .taken(let host) in places.values { host.withdraw() }
        return jobs
    }

    private enum Answer {
        case place(Place)
        case wait(Duration)
    }

    /// Asks the host of an address for a place.
    private func ask(_ address: Redacted<String>) async throws -> Answer {
        do {
            let host = try await self.hosts.gate(of: address)
            return host.tryBegin() ? .place(.taken(host)) : .wait(host.wait ?? .zero)
        } catch let error as CodedError where error.kind == .input {
            return .place(.forbidden(error))
        }
    }

    // MARK: Fetching

    private func perform(_ job: Job) async throws {
        defer { self.gate.end() }
        let (fetch, startedAt) = (job.fetch, self.context.time.now())
        let host: EndpointGate
        switch job.place {
        case .taken(let gate): host = gate
        case .forbidden(let error):
            return try await self.conclude(fetch, with: self.ended(.forbidden(error), fetch, startedAt: startedAt))
        }
        let outcome: FetchOutcome
        do {
            outcome = try await self.context.ports.fetcher.fetch(fetch.request) { bytes, offset, version in
                try await self.context.store.keep(bytes, at: offset, of: fetch, version: version)
            }
        } catch let error as CodedError where error.code == .cardConflict {
            // A person erased the card, or another process has taken it over.
            return host.withdraw()
        } catch let error as CodedError where error.code == .diskSpaceLow {
            host.withdraw()
            return try await self.conclude(fetch, with: .postponed(until: startedAt.advanced(by: .seconds(60))))
        }
        try await self.conclude(fetch, with: self.ended(outcome, fetch, startedAt: startedAt))
        guard case .failed(let failure) = outcome else { return try await host.end(.answered, failure: nil) }
        try await host.end(Self.result(of: failure), failure: failure)
        self.context.events(.failed(.fetch, failure))
    }

    /// A word about one image says nothing about the others of its host.
    private static func result(of failure: RemoteFailure) -> Gate.Result {
        switch failure.failureClass {
        case .accepted, .rejected, .shrink, .stop: .answered
        case .throttled, .notSent, .transient, .unknown: Gate.Result(failure)
        }
    }

    /// Attempts are not counted, only time is: a host that fails for an hour fails nobody.
    private func ended(_ outcome: FetchOutcome, _ job: FetchJob, startedAt: Timestamp) -> FetchConclusion {
        .ended(outcome, startedAt: startedAt, self.context.retryTerms(maxAttempts: .max, tries: job.tries))
    }

    private func conclude(_ job: FetchJob, with conclusion: FetchConclusion) async throws {
        let change = try await self.context.store.conclude(job, with: conclusion, now: self.context.time.now())
        guard change.state != .fetching else { return self.context.board.ring(.fetch) }
        self.context.events(.changed(change))
        self.context.board.ring(.prepare)
        // What is settled may have kept others of its number waiting.
        self.context.board.ring(.deliver)
    }
}
