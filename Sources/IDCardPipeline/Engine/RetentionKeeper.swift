import IDCardCore
import Logging

/// Erases what has been in its state for longer than its retention, a few cards at a time, beside all other work.
struct RetentionKeeper: Sendable {
    let context: StageContext

    /// Cards that are erased between two looks at whether to go on.
    private static let batchSize = 50
    /// How long until the next look at what has expired.
    private static let interval = Duration.seconds(3600)
    private static let origin = AccessOrigin(actor: "engine", purpose: AccessPurpose.retention)

    /// Looks at once and then every hour, until the task is cancelled.
    func run() async throws {
        guard !self.context.settings.retention.isEmpty else { return }
        while !Task.isCancelled {
            do {
                try await self.sweep()
                // Also those that could not be finished when they were asked for.
                _ = try await self.context.store.finishErasures()
            } catch let error as StoreError {
                // The cards that are under way must not wait for it: it is tried again at the next look.
                self.context.logger.error(
                    "cards could not be erased after their retention",
                    metadata: ["store.code": "\(error.code)"]
                )
            }
            // Fallback of a cancelled sleep: the loop ends.
            try? await self.context.time.sleep(self.context.time.now().advanced(by: Self.interval))
        }
    }

    private func sweep() async throws {
        var count = 0
        while !Task.isCancelled {
            let cards = try await self.context.store.expired(
                under: self.context.settings.retention,
                limit: Self.batchSize,
                now: self.context.time.now()
            )
            guard !cards.isEmpty else { break }
            count += try await self.context.store.erase(
                cards,
                under: self.context.settings.retention,
                reason: .retention,
                by: Self.origin,
                now: self.context.time.now()
            ).count
        }
        guard count > 0 else { return }
        self.context.logger.notice("cards erased after their retention", metadata: ["cards": "\(count)"])
    }
}
