import CardModel
import CardStore

/// Work that an engine repeats beside its stages.
struct PeriodicTask: Sendable {
    /// The pause before the first time.
    let firstPause: Duration
    /// Does the work once, and returns the pause until the next time.
    let body: @Sendable () async throws -> Duration
}

extension Engine {
    /// Returns the heartbeat, the erasing of expired cards, the decisions of people and the counting of events.
    func periodicTasks(beside stages: [any StageWork]) -> [PeriodicTask] {
        let (board, time, upkeep) = (self.context.board, self.context.time, self.context.store.upkeep)
        return [
            PeriodicTask(firstPause: Worker.heartbeat) {
                try await self.beat(beside: stages)
                return Worker.heartbeat
            },
            PeriodicTask(firstPause: Limits.retentionPause) {
                let begun = time.steady()
                let isBehind = await self.eraseExpired(until: begun + Worker.heartbeat)
                // Any number of overdue cards takes only a fixed share of the time.
                return isBehind ? (time.steady() - begun) * Limits.retentionShare : Limits.retentionPause
            },
            // Apart from the heartbeat, because decisions may wait for the lock of a number.
            PeriodicTask(firstPause: Limits.decisionInterval) {
                await self.carryOutDueDecisions()
                return Limits.decisionInterval
            },
            PeriodicTask(firstPause: Limits.tallyPause) {
                // An error is ignored: the same events are added later. The stages detect damaged data themselves.
                while !board.isEnding, (try? await upkeep.foldTally(now: time.now())) == true {}
                return Limits.tallyPause
            },
        ]
    }

    /// Returns a function that repeats a task until the engine ends.
    func repeating(_ task: PeriodicTask) -> @Sendable () async throws -> Void {
        {
            var pause = task.firstPause
            while !self.context.board.isEnding {
                do { try await self.context.time.sleep(pause) } catch { return }
                pause = try await task.body()
            }
        }
    }

    /// Writes the heartbeat, takes over claims of dead workers, obeys pauses that other processes stored, and marks stages
    /// with due work.
    private func beat(beside stages: [any StageWork]) async throws {
        let dead = try await self.heartbeat()
        self.context.events(.beat(self.context.room))
        try await self.markDue(stages, self.restoreGates())
        if dead > 0 { self.wake() }
    }

    /// Writes the heartbeat, takes over the claims of dead workers, and returns the number of dead workers.
    @discardableResult
    func heartbeat() async throws -> Int {
        let (dead, held) = try await self.context.store.upkeep.heartbeat(
            of: self.context.worker,
            onUnknown: self.context.settings.onUnknown,
            staying: self.context.board.staying,
            tokens: self.context.board.tokens,
            standstill: self.context.board.standstill(time: self.context.time),
            now: self.context.time.now()
        )
        held.forEach(self.context.report)
        return dead
    }

    /// Marks each stage with due work, unless a rate, a reported pause or a full disk holds the stage back. A stage that stays
    /// marked for long is idle for an unknown cause, which is reported.
    private func markDue(_ stages: [any StageWork], _ pauses: [EndpointPause]) async throws {
        // Each host of photos has its own gate, and cards that wait for one are due later.
        let reported = pauses.filter { !$0.isStandstill && $0.state != .waits && $0.stage != .fetch }.map(\.stage)
        let (now, isAmple) = (self.context.time.now(), self.context.room == .ample)
        for work in stages {
            let mayWork =
                !reported.contains(work.stage) && work.gate?.timeToNextCall == nil
                && (isAmple || work.stage == .deliver)
            if mayWork, let due = try await work.nextDue(), due <= now {
                self.context.board.markDue(work.stage, time: self.context.time)
            } else {
                self.context.board.markMoved(work.stage)
            }
        }
    }

    /// Applies the pauses that the sandbox stores to the gates, and returns these pauses.
    @discardableResult
    func restoreGates(isStart: Bool = false) async throws -> [EndpointPause] {
        let store = self.context.store
        let gates = [self.verifyGate, self.deliverGate] + self.fetchHosts.known
        let before = gates.map(\.stored)
        let pauses = try await store.endpoints.pauses()
        for (gate, before) in zip(gates, before) {
            // Counted after the pauses are read: a process stores the unreadable answer first, then the pause for it.
            let numbers =
                gate.stage == .fetch
                ? 0 : try await store.endpoints.unreadableNumbers(gate.stage, now: self.context.time.now())
            try await gate.write(gate.restore(from: pauses, unreadable: numbers, before: before, isStart: isStart))
        }
        return pauses
    }

    /// Carries out the decisions of people that can no longer be undone; returns whether cards changed.
    @discardableResult
    func carryOutDueDecisions() async -> Bool {
        let (worker, time) = (self.context.worker, self.context.time)
        // An error, such as a busy or full sandbox, is ignored: the decisions stay due.
        let changes = try? await self.context.store
            .decisions.carryOutDecisions(by: worker, steady: time.steady(), now: time.now())
        guard let changes, !changes.isEmpty else { return false }
        changes.forEach(self.context.report)
        self.wake()
        return true
    }

    /// Erases cards past their retention, until none is left, the engine ends, or `end` has come; then reports how many
    /// cards are overdue.
    ///
    /// An error is only reported: the erasing is tried again later.
    ///
    /// - Returns: whether overdue cards are left.
    @discardableResult
    func eraseExpired(until end: Duration) async -> Bool {
        let (terms, store) = (self.context.settings.retention, self.context.store)
        guard terms != RetentionTerms() else { return false }
        do {
            let origin = AccessOrigin(actor: "retention")
            // Alternates between images and cards, so that neither uses all the time.
            while !self.context.board.isEnding {
                let dropped = try await store.upkeep.dropImages(terms, now: self.context.time.now())
                let erased = try await store.upkeep.eraseExpired(terms, by: origin, now: self.context.time.now())
                guard dropped > 0 || !erased.isEmpty else { return false }
                guard self.context.time.steady() < end else { break }
            }
            let overdue = try await store.upkeep.overdue(terms, now: self.context.time.now())
            if overdue > 0 { self.context.events(.overdue(overdue)) }
            return overdue > 0
        } catch let error as CodedError {
            self.context.events(.erasingFailed(error))
        } catch {
            // Fallback of a cancellation: no report; the task ends.
        }
        return false
    }
}
