import IDCardCore

extension FetchStage {
    /// How many cards are claimed at a time, and how often in a row before the loop looks at what has ended meanwhile.
    private static let batchSize = 64
    private static let mostBatches = 8

    /// Claims cards whose hosts have a place, up to a limit; those of the others wait in the queue or are put off.
    func claim(_ limit: Int, until expiry: @Sendable () -> Timestamp) async throws -> [HostedFetch] {
        var begun = try await self.take([], limit: limit)
        for _ in 0..<Self.mostBatches where begun.count < limit {
            let now = self.context.time.now()
            let jobs = try await self.context.store.claimFetching(limit: Self.batchSize, until: expiry(), now: now)
            begun += try await self.take(jobs, limit: limit - begun.count)
            guard jobs.count == Self.batchSize else { break }
        }
        return begun
    }

    private func take(_ claimed: [FetchJob], limit: Int) async throws -> [HostedFetch] {
        let turn = self.queue.turn(claimed, limit: limit, at: self.context.time.now())
        // All at once, so that the store writes them in one go; no more than were claimed, or wait.
        try await withThrowingTaskGroup { group in
            for (job, until) in turn.putOff {
                group.addTask { try await self.putBack(job.card, as: .retry(at: until, costsAttempt: false)) }
            }
            for (job, last) in turn.expired {
                group.addTask { try await self.putBack(job.card, as: Self.tooOld(last: last)) }
            }
            for try await _ in group {}
        }
        return turn.begun
    }

    /// Concludes work on a card that has waited in vain.
    private func putBack(_ card: Card, as conclusion: FetchConclusion) async throws {
        do {
            try await self.leave(card, as: conclusion, attempt: nil)
        } catch let error as StoreError {
            let number = card.metadata.businessNumber
            guard try await self.context.wereTaken([card.id], under: [number], after: error) else { throw error }
        }
    }
}
