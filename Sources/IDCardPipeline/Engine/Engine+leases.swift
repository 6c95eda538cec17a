import IDCardCore

extension Engine {
    /// Renews our leases at a third of their time, and takes back those of owners that died, every few seconds.
    ///
    /// - Parameter isService: whether the engine has no end of its own: then it also looks at what others have done to the
    ///   cards meanwhile, such as a person's `cards retry`, of which nobody tells it.
    func keepLeases(isService: Bool) async throws {
        let heartbeat = self.context.settings.leaseDuration / 3
        var renewAt = self.context.time.now().advanced(by: heartbeat)
        var mark: Int64?
        while !Task.isCancelled {
            let next = self.context.time.now().advanced(by: self.context.settings.takeBackInterval)
            // Fallback of a cancelled sleep: the loop ends.
            try? await self.context.time.sleep(min(next, renewAt))
            guard !Task.isCancelled else { return }
            if self.context.time.now() >= renewAt {
                try await self.context.store.renewLeases(until: self.leaseExpiry)
                renewAt = self.context.time.now().advanced(by: heartbeat)
                // Less often: what waits is decided on again; what is blocked only if a card of its number has changed.
                if isService { mark = try await self.decideAgain(changedSince: mark) }
            }
            let reclaimed = try await self.context.store.reclaimLeases(now: self.context.time.now())
            if reclaimed > 0 || isService { self.context.board.announce(.fetch, .prepare, .verify, .deliver) }
        }
    }

    private func decideAgain(changedSince mark: Int64?) async throws -> Int64 {
        let (numbers, next) = try await self.context.store.applications(changedSince: mark)
        for number in numbers { self.context.applications.touch(number) }
        self.context.board.announce(.settle)
        return next
    }
}
