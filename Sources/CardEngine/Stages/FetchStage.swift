import CardModel
import CardStore

/// Fetches images that are named by URL, each host at its own pace.
struct FetchStage: Sendable {
    let context: EngineContext
    let gate: LocalGate
    let hosts: FetchHosts

    var stage: Stage<FetchJob> {
        Stage(
            name: .fetch,
            gate: self.gate,
            claim: self.claim,
            nextDue: { try await self.context.store.nextFetching() },
            perform: self.perform
        )
    }

    private func claim(_ limit: Int) async throws -> [FetchJob] {
        try self.context.requireWorker()
        guard self.context.room == .ample else { return [] }
        return try await self.context.store.claimFetching(
            by: self.context.worker,
            limit: limit,
            untriedFirst: false,
            now: self.context.time.now()
        )
    }

    private func perform(_ job: FetchJob) async throws {
        defer { self.gate.end() }
        let startedAt = self.context.time.now()
        let host: EndpointGate
        do {
            host = try await self.hosts.gate(of: job.request.address)
        } catch let error as CodedError where error.kind == .input {
            return try await self.conclude(job, with: self.ended(.forbidden(error), job, startedAt: startedAt))
        }
        guard host.places > 0 else {
            let wait = max(host.wait ?? Limits.look, Limits.look)
            return try await self.conclude(job, with: .postponed(until: startedAt.advanced(by: wait)))
        }
        host.begin(1)
        let outcome: FetchOutcome
        do {
            outcome = try await self.context.ports.fetcher.fetch(job.request) { bytes, offset, version in
                try await self.context.store.keep(bytes, at: offset, of: job, version: version)
            }
        } catch let error as CodedError where error.code == .cardConflict {
            // A person erased the card, or another process has taken it over.
            return host.withdraw()
        } catch let error as CodedError where error.code == .diskSpaceLow {
            host.withdraw()
            return try await self.conclude(job, with: .postponed(until: startedAt.advanced(by: .seconds(60))))
        }
        try await self.conclude(job, with: self.ended(outcome, job, startedAt: startedAt))
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
