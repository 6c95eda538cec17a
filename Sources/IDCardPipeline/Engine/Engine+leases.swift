import IDCardCore
import Logging

extension Engine {
    /// Renews our leases at a third of their time, and takes back those of owners that died, every few seconds.
    ///
    /// - Parameter isService: whether the engine has no end of its own: then it also looks at what others have done to the
    ///   cards meanwhile, such as a person's `cards retry`, of which nobody tells it.
    func keepLeases(isService: Bool) async throws {
        let heartbeat = self.context.settings.leaseDuration / 3
        var watch = ClockWatch(self.context.time)
        var renewAt = self.context.time.now().advanced(by: heartbeat)
        var mark: Int64?
        while !Task.isCancelled {
            let next = self.context.time.now().advanced(by: self.context.settings.takeBackInterval)
            // Fallback of a cancelled sleep: the loop ends.
            try? await self.context.time.sleep(min(next, renewAt))
            guard !Task.isCancelled else { return }
            let wentBack = watch.look(jump: heartbeat)
            if wentBack {
                self.endWaits(at: watch.now)
                // The store knows that the clock was ahead only if it saw it then.
                try await self.context.store.see(watch.before, believing: false)
            }
            if watch.now >= renewAt || wentBack {
                try await self.context.store.renewLeases(until: self.leaseExpiry)
                try await self.context.store.see(watch.now, believing: false)
                try await self.context.store.keepAwaiting(now: watch.now)
                renewAt = watch.now.advanced(by: heartbeat)
                if wentBack { mark = nil }
                // Less often: what waits is decided on again; what is blocked only if a card of its number has changed.
                if isService || wentBack { mark = try await self.decideAgain(changedSince: mark) }
            }
            try await self.lookAtWaits()
            let reclaimed = try await self.context.store.reclaimLeases(now: watch.leasesExpireBy)
            if reclaimed > 0 || isService || wentBack {
                self.context.board.announce(.fetch, .prepare, .verify, .deliver)
            }
            // Not before the loops are to look at what was corrected: what they wait for until then seems to outlast any patience.
            if wentBack { self.context.monitor.restartPatience(at: watch.now) }
        }
    }

    /// Ends every wait of this process that was set by a clock that went back: it would last as long as the clock was ahead.
    private func endWaits(at now: Timestamp) {
        for gate in [self.verifyGate, self.deliverGate] { gate.endWaits(at: now) }
        self.fetch?.queue.endWaits(at: now)
        self.assembly.endWaits(at: now)
        self.context.logger.warning("the clock went back; what waited for a time goes on")
    }

    /// Takes over what holds for every process: until when a host asked to be left alone, and that a process which is gone
    /// left a stage stopped.
    func lookAtWaits() async throws {
        let now = self.context.time.now()
        let leftBehind = try await self.context.store.pausesLeftBehind()
        let waits = try await self.context.store.waits(longest: self.context.settings.longestWait, now: now)
        for (stage, gate) in [(Stage.verify, self.verifyGate), (.deliver, self.deliverGate)] {
            if leftBehind.contains(stage) { gate.noteStoredPause() }
            if let until = waits[gate.host] { gate.keepAway(until: until, at: now) }
        }
    }

    private func decideAgain(changedSince mark: Int64?) async throws -> Int64 {
        let (numbers, next) = try await self.context.store.applications(changedSince: mark)
        for number in numbers { self.context.applications.touch(number) }
        // Others may have ended meanwhile that expected their inputs, or refused them.
        for number in try await self.context.store.applicationsAwaitingInputs() {
            self.context.applications.touch(number)
        }
        self.context.board.announce(.settle)
        return next
    }
}

/// Notices that the wall clock was set, or that the machine stood still.
private struct ClockWatch {
    private let time: PipelineTime
    /// When it looked last.
    private(set) var now: Timestamp
    /// When it looked before that; where the clock went back since, the latest time that it told.
    private(set) var before: Timestamp
    private var steady: SuspendingClock.Instant?
    private var beforeJump: Timestamp?
    private var looksSinceJump = 0

    /// By then the others have renewed what they have leased.
    private static let looksToWait = 3

    init(_ time: PipelineTime) {
        self.time = time
        (self.now, self.steady) = (time.now(), time.steady?())
        self.before = self.now
    }

    /// The time by which leases of living owners expire: after a jump ahead all seem to, until their owners, who see the
    /// same jump, have renewed them.
    var leasesExpireBy: Timestamp { self.beforeJump ?? self.now }

    /// Looks at the clock, and returns whether it went back.
    ///
    /// - Parameter jump: how far ahead of the steady clock is a jump.
    mutating func look(jump: Duration) -> Bool {
        let steadyBefore = self.steady
        self.before = self.now
        (self.now, self.steady) = (self.time.now(), self.time.steady?())
        if let steadyBefore, let steady, self.now.duration(since: self.before) - (steady - steadyBefore) > jump {
            (self.beforeJump, self.looksSinceJump) = (self.before, 0)
        } else if self.beforeJump != nil {
            self.looksSinceJump += 1
            if self.looksSinceJump >= Self.looksToWait { self.beforeJump = nil }
        }
        // Whoever has been told a later time meanwhile may wait for it.
        let latest = self.time.latest.time
        guard self.now < latest.advanced(by: .zero - SeenTime.smallestStep) else { return false }
        self.before = latest
        self.time.latest.restart(at: self.now)
        return true
    }
}
