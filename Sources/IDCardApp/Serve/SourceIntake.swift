import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Logging
import ServiceLifecycle

/// Takes the inputs of one run in, a bounded number at a time.
struct SourceIntake: Sendable {
    /// How often and when an input is tried again that was refused for a reason that may pass.
    struct Patience: Sendable {
        /// How often it is tried at most (`watch.attempts`).
        var attempts: Int
        /// The first wait; it doubles each time (`watch.retry_base`).
        var base: Duration
        /// The longest wait (`watch.retry_cap`).
        var cap: Duration

        init(attempts: Int = 6, base: Duration = .seconds(1), cap: Duration = .seconds(300)) {
            self.attempts = attempts
            self.base = base
            self.cap = cap
        }

        init(_ settings: WatchSettings) {
            self.init(attempts: settings.attempts, base: settings.retryBase, cap: settings.retryCap)
        }

        func wait(tries: Int) -> Duration { RefusalProspect.wait(tries: tries, base: self.base, cap: self.cap) }
    }

    let intake: any CardIntake
    let concurrency: Int
    let patience: Patience
    let time: PipelineTime
    let logger: Logger

    /// Takes all inputs in.
    ///
    /// - Parameters:
    ///   - announcement: what the rules were told of them.
    ///   - run: the identifier of the run, for the log.
    ///   - count: hears what became of each.
    /// - Throws: `StoreError` if the store as a whole fails; `CancellationError` if the service is coming to its end.
    func take(
        _ items: IntakeList,
        announcement: IntakeAnnouncement,
        of run: String,
        count: @escaping @Sendable (InputResult) -> Void
    ) async throws {
        let queue = SourceQueue(items)
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<max(1, self.concurrency) {
                group.addTask {
                    while let entry = try await self.next(of: queue) {
                        guard let result = try await self.result(of: entry, in: queue) else { continue }
                        if case .refused(let reason, _) = result { self.log(reason, of: entry, run: run) }
                        guard
                            try await self.whenThereIsRoom({ try await announcement.arrived(entry.item, result) })
                        else { throw CancellationError() }
                        count(result)
                    }
                }
            }
        }
    }

    /// Waits for an input that is due; `nil` if there is none any more. Another taker may have one in hand that it puts
    /// off: it then waits for that itself.
    private func next(of queue: SourceQueue) async throws -> SourceQueue.Entry? {
        while true {
            try Self.checkMayGoOn()
            switch queue.next(now: self.time.now()) {
            case .take(let entry): return entry
            case .wait(let due): try await self.sleep(until: due)
            case .rest: return nil
            }
        }
    }

    /// Takes one input in as soon as it is let in; `nil` if it was put off.
    private func result(of entry: SourceQueue.Entry, in queue: SourceQueue) async throws -> InputResult? {
        var refusedForRoom = 0
        while true {
            try Self.checkMayGoOn()
            if case .closed(_, _, let retryAfter) = await self.intake.pressure() {
                try await self.sleep(until: self.time.now().advanced(by: retryAfter))
                continue
            }
            let result = try await self.attempt(entry.item)
            guard case .refused(let reason, _) = result, case .take = entry.item.disposition else { return result }
            switch RefusalProspect(of: reason) {
            case .room:
                // Though there seemed to be room: the disk knows better.
                let wait = self.patience.wait(tries: refusedForRoom)
                try await self.sleep(until: self.time.now().advanced(by: wait))
                refusedForRoom += 1
            case .stillness, .doubtful:
                guard entry.tries + 1 < self.patience.attempts else { return result }
                let wait = self.patience.wait(tries: entry.tries)
                queue.putOff(entry, until: self.time.now().advanced(by: wait))
                return nil
            case .none: return result
            }
        }
    }

    private func attempt(_ item: IntakeItem) async throws -> InputResult {
        do {
            return try await self.intake.take(item)
        } catch let error as StoreError where error.code == .diskFull {
            return .refused(.diskSpaceLow, message: error.message)
        } catch let error as StoreError where error.concernsOneCard || error.code == .conflict {
            return .refused(.storeFailed, message: error.message)
        }
    }

    /// Does what needs room on the disk as soon as there is some.
    ///
    /// - Returns: `false` if the service is coming to its end before that.
    func whenThereIsRoom(_ work: () async throws -> Void) async throws -> Bool {
        var tries = 0
        while true {
            do {
                try await work()
                return true
            } catch let error as StoreError where error.code == .diskFull {
                let due = self.time.now().advanced(by: self.patience.wait(tries: tries))
                // Fallback of a sleep that was cut short: the work is left to the next start.
                guard (try? await self.sleep(until: due)) != nil else { return false }
                tries += 1
            }
        }
    }

    private func log(_ reason: ReasonCode, of entry: SourceQueue.Entry, run: String) {
        self.logger.notice(
            "input of a run over a source is refused",
            metadata: ["run.id": "\(run)", "run.input": "\(entry.place)", "code": "\(reason)"]
        )
    }

    private static func checkMayGoOn() throws {
        try Task.checkCancellation()
        if Task.isShuttingDownGracefully { throw CancellationError() }
    }

    /// - Throws: `CancellationError` as soon as the service is coming to its end.
    private func sleep(until due: Timestamp) async throws {
        try await cancelWhenGracefulShutdown { try await self.time.sleep(due) }
    }
}
