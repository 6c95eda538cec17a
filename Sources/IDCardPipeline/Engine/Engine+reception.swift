import IDCardCore

// The loops of what comes before an image is prepared: fetching, and preparing what is in the store.
extension Engine {
    /// Fetches images; if nothing can fetch, such cards wait, and the loop parks for ever, as the board expects of each.
    var fetchLoop: StageLoop<HostedFetch> {
        StageLoop(
            lane: .fetch,
            concurrency: self.context.settings.fetchConcurrency,
            board: self.context.board,
            gate: self.fetchGate,
            time: self.context.time,
            claim: { limit in
                // What is fetched is as large as what is taken in.
                guard let fetch = self.fetch, await self.context.space.look().allowsIntake else { return [] }
                return try await fetch.claim(limit) { self.leaseExpiry }
            },
            nextDue: {
                guard let fetch = self.fetch else { return nil }
                // What waits for its host is leased, so the store does not tell of it.
                let waiting = fetch.queue.nextDue(at: self.context.time.now())
                return try await self.nextReception(in: .fetching, or: waiting) { $0.allowsIntake }
            },
            work: { try await self.fetch?.work($0) },
            // It frees a place of its host.
            endsAreNews: true
        )
    }

    /// Prepares what was received.
    var prepareLoop: StageLoop<Card> {
        StageLoop(
            lane: .prepare,
            concurrency: self.context.settings.prepareConcurrency,
            board: self.context.board,
            gate: self.prepareGate,
            time: self.context.time,
            claim: { limit in
                // An image takes less room than its source, which goes in the same change.
                guard await self.context.space.look().allowsVerification else { return [] }
                return try await self.context.store.claimReceived(
                    limit: limit,
                    until: self.leaseExpiry,
                    now: self.context.time.now()
                )
            },
            nextDue: { try await self.nextReception(in: .received) { $0.allowsVerification } },
            work: { try await self.prepare.work($0) }
        )
    }

    private func nextReception(
        in state: CardState,
        or waiting: Timestamp? = nil,
        ifRoom allows: (StoreSpace) -> Bool
    ) async throws -> Timestamp? {
        let stored = try await self.context.store.nextDue(in: state)
        guard let due = [stored, waiting].compactMap(\.self).min() else { return nil }
        if allows(await self.context.space.look()) { return due }
        return max(due, self.context.time.now().advanced(by: IntakeStage.roomInterval))
    }
}
