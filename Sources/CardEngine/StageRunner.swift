import CardModel
import CardStore
import Synchronization

/// What makes a stage: how it claims work, when there is more, and what it does with a piece.
struct StageWork<Job: Sendable>: Sendable {
    let name: Stage
    let gate: any StageGate
    /// Claims at most so many pieces of work.
    let claim: @Sendable (_ limit: Int) async throws -> [Job]
    /// When the next piece may be claimed; `nil` if none is known, a time in the past if one may be now.
    let nextDue: @Sendable () async throws -> Timestamp?
    /// Does a piece of work, concludes it, and tells the gate.
    let perform: @Sendable (Job) async throws -> Void
}

/// Runs a stage: waits for news or time, asks the gate for places, claims, starts, concludes.
struct StageRunner<Job: Sendable>: Sendable {
    let stage: StageWork<Job>
    let board: WorkBoard
    let time: EngineTime

    /// Runs until the board asks for the end, and then waits for what is under way.
    ///
    /// - Throws: the first error of the sandbox, which asks for the end: what else is under way is concluded first.
    func run() async throws {
        let failure = Mutex<(any Error)?>(nil)
        await self.run { error in
            failure.withLock { $0 = $0 ?? error }
            self.board.end()
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func run(onError: @escaping @Sendable (any Error) -> Void) async {
        await withDiscardingTaskGroup { group in
            while !self.board.isEnding {
                self.board.listen(self.stage.name)
                let places = self.stage.gate.places
                let jobs: [Job]
                let pause: Duration
                do {
                    jobs = places > 0 ? try await self.stage.claim(places) : []
                    pause = jobs.isEmpty ? try await self.pause() : .zero
                } catch {
                    // Thrown out of here it would cut off what is under way.
                    onError(error)
                    break
                }
                self.stage.gate.begin(jobs.count)
                self.board.begin(jobs.count, of: self.stage.name)
                for job in jobs {
                    group.addTask {
                        defer { self.board.finish(self.stage.name) }
                        do { try await self.stage.perform(job) } catch is CancellationError {
                            // The time to end in order is over; what was being sent may have arrived, and is treated so.
                        } catch { onError(error) }
                    }
                }
                if jobs.isEmpty { await self.board.wait(self.stage.name, for: pause, time: self.time) }
            }
        }
    }

    /// Says what the stage is doing, now that nothing can be claimed, and returns how long it waits unless it is rung.
    private func pause() async throws -> Duration {
        let name = self.stage.name
        let gateWait = self.stage.gate.wait
        guard !self.board.isUnderWay(name) else { return min(gateWait ?? Limits.look, Limits.look) }
        let now = self.time.now()
        guard let due = try await self.stage.nextDue() else {
            self.board.set(.idle(until: nil), of: name)
            return Limits.look
        }
        if self.stage.gate.isStoppedForGood {
            self.board.set(.stopped, of: name)
            return min(gateWait ?? Limits.look, Limits.look)
        }
        // What is due but was not claimed is another process's, or waits for the gate.
        let wait = max(due.duration(since: now), gateWait ?? .zero)
        let pause = wait > .zero ? min(wait, Limits.look) : Limits.look
        self.board.set(.idle(until: now.advanced(by: max(wait, pause))), of: name)
        return pause
    }
}
