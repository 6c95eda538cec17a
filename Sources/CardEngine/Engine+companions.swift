import CardModel
import CardStore

/// Work beside the stages: what to do, again and again.
struct Companion: Sendable {
    /// How long after the start it comes first.
    let pause: Duration
    /// Returns how long until it comes again.
    let body: @Sendable () async throws -> Duration
}

extension Engine {
    func companions(of stages: [any StageWork]) -> [Companion] {
        let (board, time, upkeep) = (self.context.board, self.context.time, self.context.store.upkeep)
        return [
            Companion(pause: Worker.heartbeat) {
                try await self.beat(beside: stages)
                return Worker.heartbeat
            },
            Companion(pause: Limits.retentionPause) {
                let begun = time.steady()
                let isBehind = await self.eraseExpired(until: begun + Worker.heartbeat)
                // Overdue cards are erased for a fixed share of the time, however many they are.
                return isBehind ? (time.steady() - begun) * Limits.retentionShare : Limits.retentionPause
            },
            // Apart from the heartbeat, because it may wait for the lock of a number.
            Companion(pause: Limits.decisionInterval) {
                await self.carryOutDueDecisions()
                return Limits.decisionInterval
            },
            Companion(pause: Limits.tallyPause) {
                // An error is ignored: the same events are added later. The stages detect damaged data themselves.
                while !board.isEnding, (try? await upkeep.foldTally(now: time.now())) == true {}
                return Limits.tallyPause
            },
        ]
    }

    /// Returns the task of a companion, which lasts until the engine ends.
    func running(_ companion: Companion) -> @Sendable () async throws -> Void {
        {
            var pause = companion.pause
            while !self.context.board.isEnding {
                do { try await self.context.time.sleep(pause) } catch { return }
                pause = try await companion.body()
            }
        }
    }

    /// Writes the heartbeat, takes over claims of dead workers, and obeys pauses that other processes stored.
    private func beat(beside stages: [any StageWork]) async throws {
        let dead = try await self.heartbeat()
        self.context.events(.beat(self.context.room))
        try await self.markDue(stages, self.restoreGates())
        if dead > 0 { self.wake() }
    }

    /// Writes the heartbeat, takes over the claims of dead workers, and returns how many these were.
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

    /// Marks the stages with due work that nothing holds back: neither time nor rate, a reported pause or a full disk.
    private func markDue(_ stages: [any StageWork], _ pauses: [EndpointPause]) async throws {
        // Each host of photos has its own gate, and cards that wait for one are due later.
        let reported = pauses.filter { !$0.isStandstill && $0.state != .waits && $0.stage != .fetch }.map(\.stage)
        let (now, isAmple) = (self.context.time.now(), self.context.room == .ample)
        for work in stages {
            let mayWork =
                !reported.contains(work.stage) && work.gate?.wait == nil && (isAmple || work.stage == .deliver)
            if mayWork, let due = try await work.nextDue(), due <= now {
                self.context.board.markDue(work.stage, time: self.context.time)
            } else {
                self.context.board.markMoved(work.stage)
            }
        }
    }

    /// - Returns: the pauses stored in the sandbox.
    @discardableResult
    func restoreGates(isStart: Bool = false) async throws -> [EndpointPause] {
        let store = self.context.store
        let gates = [self.verifyGate, self.deliverGate] + self.fetchHosts.known
        let before = gates.map(\.stored)
        let pauses = try await store.endpoints.pauses()
        for (gate, before) in zip(gates, before) {
            // Read after the pauses: a process that stores a pause has already concluded its answer.
            let numbers =
                gate.stage == .fetch
                ? 0 : try await store.endpoints.unreadableNumbers(gate.stage, now: self.context.time.now())
            try await gate.write(gate.restore(from: pauses, unreadable: numbers, before: before, isStart: isStart))
        }
        return pauses
    }

    /// - Returns: whether cards changed.
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

    /// Erases cards past their retention, until none is left, the engine ends, or `end`; then reports those that are overdue.
    ///
    /// An error is reported, too, and has no other effect: the erasing is tried again.
    ///
    /// - Returns: whether overdue cards are left.
    @discardableResult
    func eraseExpired(until end: Duration) async -> Bool {
        let (terms, store) = (self.context.settings.retention, self.context.store)
        guard terms != RetentionTerms() else { return false }
        do {
            let origin = AccessOrigin(actor: "retention")
            // Alternate, so that neither uses all the time.
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
            // A cancelled task ends by itself.
        }
        return false
    }
}
