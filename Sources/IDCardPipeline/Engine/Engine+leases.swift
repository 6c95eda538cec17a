import IDCardCore

extension Engine {
    /// Renews our leases at a third of their time, and takes back those of owners that died, every few seconds.
    ///
    /// - Parameter isService: whether the engine has no end of its own: then it also looks at what others have done to the
    ///   cards meanwhile, such as a person's `cards retry`, of which nobody tells it.
    func keepLeases(isService: Bool) async throws {
        let heartbeat = self.context.settings.leaseDuration / 3
        var renewAt = self.context.time.now().advanced(by: heartbeat)
        while !Task.isCancelled {
            let next = self.context.time.now().advanced(by: self.context.settings.takeBackInterval)
            // Fallback of a cancelled sleep: the loop ends.
            try? await self.context.time.sleep(min(next, renewAt))
            guard !Task.isCancelled else { return }
            if self.context.time.now() >= renewAt {
                try await self.context.store.renewLeases(until: self.leaseExpiry)
                renewAt = self.context.time.now().advanced(by: heartbeat)
                // Less often: every business number that waits for something is decided on anew.
                if isService { try await self.decideAnew() }
            }
            let reclaimed = try await self.context.store.reclaimLeases(now: self.context.time.now())
            if reclaimed > 0 || isService { self.context.board.announce(.fetch, .prepare, .verify, .deliver) }
        }
    }

    private func decideAnew() async throws {
        for number in try await self.context.store.applicationsWithVerifiedCards() {
            self.context.applications.touch(number)
        }
        self.context.board.announce(.settle)
    }
}
