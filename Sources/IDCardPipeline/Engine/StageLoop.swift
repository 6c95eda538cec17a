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
    /// Does one piece; throws only if the store does.
    let work: @Sendable (Job) async throws -> Void

    /// Works until the task is cancelled; throws if the store does.
    func run() async throws {
        let failure = FirstError()
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                // The store failed under a piece of work: claiming more would only begin what cannot be concluded.
                try failure.check()
                let generation = self.board.generation(of: self.lane)
                let admission = self.gate.admission(at: self.time.now())
                let jobs = try await self.claimJobs(admission)
                for job in jobs {
                    self.board.began(self.lane)
                    group.addTask {
                        // Ended last, so that the loop it wakes sees the error.
                        defer { self.board.ended(self.lane) }
                        do {
                            try await self.work(job)
                        } catch {
                            failure.record(error)
                            throw error
                        }
                    }
                }
                if jobs.isEmpty { try await self.park(at: generation, admission: admission) }
            }
        }
    }

    private func claimJobs(_ admission: StageGate.Admission) async throws -> [Job] {
        let limit: Int
        switch admission {
        case .open: limit = self.concurrency
        case .probe: limit = 1
        case .closed: limit = 0
        }
        let free = limit - self.board.inFlight(of: self.lane)
        return free > 0 ? try await self.claim(free) : []
    }

    private func park(at generation: UInt64, admission: StageGate.Admission) async throws {
        // With all slots taken the end of any of them wakes the loop; a due time would make it spin.
        if case .closed(let until) = admission {
            // Nothing to wait for if the stage has no work at all.
            let due = try await self.nextDue().map { max($0, until) }
            return await self.board.park(self.lane, at: generation, until: due, time: self.time)
        }
        let limit = admission == .probe ? 1 : self.concurrency
        let isFull = self.board.inFlight(of: self.lane) >= limit
        let due = isFull ? nil : try await self.nextDue()
        await self.board.park(self.lane, at: generation, until: due, time: self.time)
    }
}
