import IDCardCore

/// Claims work of one lane and does it, as much at a time as the lane may have under way.
struct StageLoop<Job: Sendable>: Sendable {
    let lane: Lane
    let concurrency: Int
    let board: WorkBoard
    let gate: StageGate
    let time: PipelineTime
    /// Leases up to so many pieces of work.
    let claim: @Sendable (_ limit: Int) async throws -> [Job]
    /// When there will be work again, if none could be claimed.
    let nextDue: @Sendable () async throws -> Timestamp?
    /// Does one piece; throws only if the store does. What it leaves to be done in this lane it announces.
    let work: @Sendable (Job) async throws -> Void
    /// Whether the end of a piece may leave something to be done that is not announced.
    var endsAreNews = false

    /// Works until the task is cancelled, or the board drains and what is under way has ended; throws if the store does.
    func run() async throws {
        let failure = FirstError()
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled, !self.board.isDraining {
                // The store failed under a piece of work: claiming more would only begin what cannot be concluded.
                try failure.check()
                let parking = self.board.parking(of: self.lane)
                let admission = self.admission()
                let jobs = try await self.claimJobs(admission)
                for job in jobs {
                    self.board.began(self.lane)
                    group.addTask {
                        // Ended last, so that the loop it wakes sees the error.
                        var isNews = self.endsAreNews
                        defer { self.board.ended(self.lane, isNews: isNews) }
                        do {
                            try await self.work(job)
                        } catch {
                            isNews = true
                            failure.record(error)
                            throw error
                        }
                    }
                }
                if case .free(let places) = admission, jobs.count == places { continue }
                try await self.park(at: parking, admission: admission)
            }
        }
    }

    private func admission() -> StagePace.Admission {
        let claimed = self.board.inFlight(of: self.lane)
        let admission = self.gate.admission(at: self.time.now(), claimed: claimed)
        guard case .free(let places) = admission else { return admission }
        let free = min(places, self.concurrency - claimed)
        return free > 0 ? .free(free) : .full
    }

    private func claimJobs(_ admission: StagePace.Admission) async throws -> [Job] {
        guard case .free(let places) = admission else { return [] }
        let jobs = try await self.claim(places)
        if jobs.count < places { self.gate.ranDry() }
        return jobs
    }

    private func park(at noted: WorkBoard.Parking, admission: StagePace.Admission) async throws {
        var parking = noted
        let due: Timestamp?
        switch admission {
        case .free:
            // There was less to do than there were places: what ends changes nothing about that.
            parking.ended = nil
            due = try await self.nextDue()
        // The end of any piece under way wakes the loop; a due time would make it spin.
        case .full: due = nil
        // Nothing to wait for if the stage has no work at all.
        case .closed(let until): due = try await self.nextDue().map { max($0, until) }
        }
        await self.board.park(self.lane, at: parking, until: due, time: self.time)
    }
}
