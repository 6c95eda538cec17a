import CardModel
import CardStore
import Foundation

extension Filling {
    /// Measures what is done with the next photos: one of a new number, and one of the busy number.
    mutating func work(_ times: Times) async throws {
        try await self.deliver(self.photo(.prepared, of: "NEW-\(self.count)"), times, of: "")
        try await self.deliver(self.photo(.prepared, of: Self.busy), times, of: ", of the busy number")
        try await self.fetch(times)
        for (name, body) in self.upkeep { try await times.measure(name, body) }
    }

    /// Takes one photo all the way.
    private func deliver(_ photo: NewCard, _ times: Times, of what: String) async throws {
        _ = try await times.measure("admit\(what)") { try await self.store.intake.admit([photo], now: .now) }
        let jobs = try await times.measure("claim a verification\(what)") { try await self.claim() }
        for job in jobs {
            try await times.measure("conclude a verification\(what)") { try await self.conclude(job) }
        }
        let proposals = try await times.measure("propose deliveries\(what)") { try await self.propose() }
        for one in proposals {
            guard let job = try await times.measure("begin a delivery\(what)", { try await self.begin(one) }) else {
                continue
            }
            try await times.measure("conclude a delivery\(what)") { try await self.conclude(job) }
        }
    }

    private func fetch(_ times: Times) async throws {
        let hosts = try await times.measure("look at the hosts of waiting images") {
            try await self.store.stages.fetchHosts(now: .now)
        }
        guard let host = hosts.first else { return }
        _ = try await times.measure("claim a fetch") {
            try await self.store.stages.claimFetching(
                from: host,
                by: self.worker,
                limit: 8,
                untriedFirst: false,
                now: .now
            ).jobs
        }
    }

    private var upkeep: [Step] {
        let (store, worker) = (self.store, self.worker)
        let origin = AccessOrigin(actor: "scale")
        let long = Duration.seconds(900 * 86_400)
        var terms = RetentionTerms()
        (terms.delivered, terms.rejected, terms.failed, terms.held) = (long, long, long, long)
        return [
            (
                "claim a repeated delivery",
                { _ = try await store.deliveries.claimDeliveries(by: worker, limit: 8, now: .now).jobs }
            ),
            (
                "claim a preparation",
                { _ = try await store.stages.claimPreparation(by: worker, limit: 8, now: .now).jobs }
            ),
            (
                "when is next due",
                {
                    for state in [CardState.fetching, .received, .prepared] {
                        _ = try await store.stages.nextDue(in: state, now: .now)
                    }
                    _ = try await store.deliveries.nextDecision(now: .now)
                    _ = try await store.deliveries.nextDelivery(now: .now)
                }
            ), ("undecided deliveries", { _ = try await store.deliveries.undecidedDeliveries() }),
            ("is the queue full", { _ = try await store.intake.isFull() }),
            (
                "is a submitter's share full",
                { _ = try await store.intake.hasReachedQueueShare(by: Caller(subject: "sender-3", scopes: [])) }
            ),
            ("heartbeat", { _ = try await store.upkeep.heartbeat(of: worker, now: .now) }),
            ("fold the tally", { _ = try await store.upkeep.foldTally(now: .now) }),
            (
                "retention, nothing due",
                { [terms] in
                    _ = try await store.upkeep.eraseExpired(terms, by: origin, now: .now)
                    _ = try await store.upkeep.overdue(terms, now: .now)
                }
            ),
        ]
    }
}
