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

    /// Where an image lies, as our rules see its address.
    private enum Site {
        case host(String)
        case forbidden(CodedError)
    }

    private let context: EngineContext
    private let gate: LocalGate
    private let hosts: FetchHosts
    /// Where the images of cards lie that wait: their addresses are opened once.
    private let sites = Mutex<[CardID: Site]>([:])
    /// Until when the hosts of all that is due ask to be left alone.
    private let rest = Mutex<Timestamp?>(nil)

    init(context: EngineContext, gate: LocalGate, hosts: FetchHosts) {
        self.context = context
        self.gate = gate
        self.hosts = hosts
    }

    var stage: StageWork<Job> {
        StageWork(name: .fetch, gate: self.gate, claim: self.claim, nextDue: self.nextDue, perform: self.perform)
    }

    private func nextDue() async throws -> Timestamp? {
        let store = self.context.store
        let now = self.context.time.now()
        guard let rest = self.rest.withLock(\.self) else { return try await store.nextDue(in: .fetching, now: now) }
        // What is due waits for its host; something else may be due before.
        return try await min(rest, store.nextDue(in: .fetching, after: now, now: now) ?? rest)
    }

    // MARK: Claiming

    /// Cards that may begin, with what their hosts said; a card without a place is damaged, and ends when it is claimed.
    private struct Offer {
        var cards: [CardID] = []
        var places: [CardID: Place] = [:]
        /// How long hosts that have no place ask to be left alone, by name.
        var rests: [String: Duration] = [:]
    }

    /// Claims only what has a place at its host: the others stay where they are, and cost nothing.
    private func claim(_ limit: Int) async throws -> [Job] {
        try self.context.requireWorker()
        guard self.context.room == .ample else { return [] }
        let now = self.context.time.now()
        var offer = try await self.offer(limit, now: now)
        self.rest.withLock { $0 = offer.cards.isEmpty ? offer.rests.values.min().map(now.advanced(by:)) : nil }
        var jobs: [Job] = []
        let claimed = try await self.context.store.claimFetching(
            offer.cards,
            by: self.context.worker,
            now: now,
            told: self.context.tell
        )
        for job in claimed {
            if let place = offer.places.removeValue(forKey: job.card.id) {
                jobs.append(Job(fetch: job, place: place))
            } else {
                try await self.context.store.conclude(job, with: .postponed(until: now), now: now)
            }
        }
        for case .taken(let host) in offer.places.values { host.withdraw() }
        return jobs
    }

    private func offer(_ limit: Int, now: Timestamp) async throws -> Offer {
        var offer = Offer()
        var last: FetchCandidate?
        repeat {
            let page = try await self.context.store.fetchCandidates(
                after: last,
                limit: Limits.fetchesLookedAt,
                now: now
            )
            let sites = try await self.sites(of: page.map(\.card))
            for candidate in page where offer.cards.count < limit {
                switch sites[candidate.card] {
                case .host(let name):
                    guard offer.rests[name] == nil else { continue }
                    let host = try await self.hosts.gate(of: name)
                    guard host.tryBegin() else {
                        offer.rests[name] = host.wait ?? .zero
                        continue
                    }
                    offer.places[candidate.card] = .taken(host)
                case .forbidden(let error): offer.places[candidate.card] = .forbidden(error)
                case nil: break
                }
                offer.cards.append(candidate.card)
            }
            last = page.count < Limits.fetchesLookedAt ? nil : page.last
        } while last != nil && offer.cards.count < limit
        return offer
    }

    private func sites(of cards: [CardID]) async throws -> [CardID: Site] {
        let known = self.sites.withLock { sites in cards.reduce(into: [:]) { $0[$1] = sites[$1] } }
        let unknown = cards.filter { known[$0] == nil }
        guard !unknown.isEmpty else { return known }
        let new = try await self.context.store.fetchAddresses(of: unknown).mapValues { address -> Site in
            do { return .host(try self.context.ports.fetcher.host(address)) } catch let error as CodedError
                where error.kind == .input
            {
                return .forbidden(error)
            }
        }
        self.sites.withLock { sites in
            if sites.count > Limits.rememberedSites { sites = [:] }
            sites.merge(new) { $1 }
        }
        return known.merging(new) { $1 }
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
        let conclusion = self.ended(outcome, fetch, startedAt: startedAt)
        guard case .failed(let failure) = outcome else {
            try await self.conclude(fetch, with: conclusion)
            return try await host.write(host.end(.answered, failure: nil))
        }
        let news = host.end(Self.result(of: failure), failure: failure)
        try await self.conclude(fetch, with: conclusion)
        try await host.write(news)
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
        self.context.tell(change)
        self.context.board.ring(.prepare)
        // A card that the image was one of already may be verified again.
        self.context.board.ring(.verify)
    }
}
