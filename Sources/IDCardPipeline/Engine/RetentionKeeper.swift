import IDCardCore
import Logging

/// Erases what has been in its state for longer than its retention, a few cards at a time, beside all other work, and
/// finishes erasures that were cut short; and forgets requests that nobody repeats any more.
struct RetentionKeeper: Sendable {
    let context: StageContext

    /// Cards that are erased between two looks at whether to go on.
    private static let batchSize = 50
    /// How long until the next look at what has expired.
    static let interval = Duration.seconds(3600)
    private static let origin = AccessOrigin.engine("retention", purpose: AccessPurpose.retention)

    /// Looks once intake has ended, which must not wait for the one writer behind erasures, and then every hour, until the
    /// task is cancelled or the board drains.
    ///
    /// A batch does not end before the first look is done, or a short one would never erase anything.
    func run() async {
        await self.context.board.waitUntilIntakeEnds()
        while !Task.isCancelled, !self.context.board.isDraining {
            await self.trying { try await self.forgetReceipts() }
            await self.trying { try await self.sweep() }
            // Whatever the retention is: a person may have asked for them.
            await self.trying { _ = try await self.context.store.finishErasures() }
            self.context.board.swept()
            let next = self.context.time.now().advanced(by: Self.interval)
            await self.context.board.waitUntilDraining(or: next, time: self.context.time)
        }
    }

    /// The cards that are under way must not wait for what fails here: it is tried again at the next look.
    private func trying(_ step: () async throws -> Void) async {
        do {
            try await step()
        } catch is CancellationError {
            // The batch is over; the next one goes on.
        } catch {
            // What else an error has to say might be personal.
            let code = (error as? StoreError).map { "\($0.code)" } ?? "unexpected"
            self.context.logger.error(
                "what is due could not be erased, tried again later",
                metadata: ["store.code": "\(code)"]
            )
        }
    }

    private func forgetReceipts() async throws {
        let age = self.context.settings.receiptRetention
        _ = try await self.context.store.forgetReceipts(before: self.context.time.now().advanced(by: .zero - age))
    }

    private func sweep() async throws {
        guard !self.context.settings.retention.isEmpty else { return }
        var count = 0
        while !Task.isCancelled, !self.context.board.isDraining {
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
