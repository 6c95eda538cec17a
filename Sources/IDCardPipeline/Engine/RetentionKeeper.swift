import IDCardCore
import Logging

/// Erases what has been in its state for longer than its retention, a few cards at a time, beside all other work, and
/// finishes erasures that were cut short; and forgets requests that nobody repeats any more.
struct RetentionKeeper: Sendable {
    let context: StageContext
    /// Whether the engine ends with its cards: then erasing goes on for a bounded time after them, and the next run goes on
    /// with it.
    let isBatch: Bool

    /// Cards that are erased between two looks at whether to go on.
    private static let batchSize = 50
    /// How long is searched between two looks at whether to go on.
    private static let searchSlice = Duration.milliseconds(500)
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
            var turn = Turn(context: self.context, isBatch: self.isBatch)
            await self.trying {
                let now = try await self.believedTime()
                await self.trying { try await self.forgetReceipts(now: now) }
                try await self.sweep(now: now, during: &turn)
            }
            // Whatever the retention is: a person may have asked for them.
            await self.trying { try await self.search(during: &turn) }
            self.context.board.swept()
            let next = self.context.time.now().advanced(by: Self.interval)
            await self.context.board.waitUntilDraining(or: next, time: self.context.time)
        }
    }

    /// How long one look goes on.
    private struct Turn {
        let context: StageContext
        let isBatch: Bool
        private var endsAt: Timestamp?

        init(context: StageContext, isBatch: Bool) {
            (self.context, self.isBatch) = (context, isBatch)
        }

        /// Whether there is time for more: as long as others work, and in a batch for a bounded time after them.
        mutating func goesOn() -> Bool {
            guard !Task.isCancelled, !self.context.board.isDraining else { return false }
            guard self.isBatch, self.context.board.isResting else {
                self.endsAt = nil
                return true
            }
            let now = self.context.time.now()
            let end = self.endsAt ?? now.advanced(by: self.context.settings.retentionRunTime)
            self.endsAt = end
            return now < end
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

    /// The time that ages are measured by: not that of a clock that has just jumped far ahead.
    private func believedTime() async throws -> Timestamp {
        let seen = try await self.context.store.see(self.context.time.now(), believing: false)
        if let doubted = seen.doubted {
            self.context.logger.warning(
                "the clock is more than a week ahead of the last time that the sandbox saw; nothing expires until it has run for 20 hours, or a person runs cards erase --expired",
                metadata: ["clock.now": "\(doubted.upperBound)", "clock.last": "\(seen.last)"]
            )
        }
        return seen.last
    }

    private func forgetReceipts(now: Timestamp) async throws {
        let age = self.context.settings.receiptRetention
        _ = try await self.context.store.forgetReceipts(before: now.advanced(by: .zero - age))
    }

    private func sweep(now: Timestamp, during turn: inout Turn) async throws {
        guard !self.context.settings.retention.isEmpty else { return }
        var count = 0
        while turn.goesOn() {
            let cards = try await self.context.store.expired(
                under: self.context.settings.retention,
                limit: Self.batchSize,
                now: now
            )
            guard !cards.isEmpty else { break }
            count += try await self.context.store.erase(
                cards,
                under: self.context.settings.retention,
                reason: .retention,
                by: Self.origin,
                now: now
            ).count
        }
        guard count > 0 else { return }
        self.context.logger.notice("cards erased after their retention", metadata: ["cards": "\(count)"])
    }

    /// Looks for what erasures have left, once for all of them, and leaves as much time to others as it takes.
    private func search(during turn: inout Turn) async throws {
        while turn.goesOn() {
            let start = ContinuousClock.now
            guard try await self.context.store.continueErasures(within: Self.searchSlice).isGoingOn else { return }
            guard !self.isBatch || !self.context.board.isResting else { continue }
            try await Task.sleep(for: min(ContinuousClock.now - start, Self.searchSlice))
        }
    }
}
