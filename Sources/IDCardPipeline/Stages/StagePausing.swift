import IDCardCore
import Logging

/// Pauses a stage and lets it go on, in the gate, in the store (for `status`) and towards the observer.
struct StagePausing: Sendable {
    let store: any CardStore
    let gate: StageGate
    let monitor: PipelineMonitor
    let logger: Logger

    /// Pauses a stage because every card would fail.
    ///
    /// - Parameters:
    ///   - call: the call that failed, if there was one.
    ///   - isDoubtful: whether a few odd cards are as likely the cause.
    func pause(
        _ stage: Stage,
        _ failure: RemoteFailure,
        after call: PacedCall? = nil,
        isDoubtful: Bool = false,
        now: Timestamp
    ) async {
        let isNew = self.gate.pause == nil
        let pause = self.gate.stop(failure, after: call, isDoubtful: isDoubtful, at: now)
        guard isNew else { return }
        await self.write(pause, of: stage)
        self.logger.error("stage stopped", metadata: ["stage": "\(stage.rawValue)", "code": "\(pause.code)"])
        self.monitor.report(.stagePaused(stage, pause))
    }

    /// Notes that the endpoint of a stage works, by a call.
    func resume(_ stage: Stage, after call: PacedCall) async {
        guard self.gate.succeeded(call) else { return }
        await self.write(nil, of: stage)
        self.logger.info("stage resumed", metadata: ["stage": "\(stage.rawValue)"])
        self.monitor.report(.stageResumed(stage))
    }

    private func write(_ pause: StagePause?, of stage: Stage) async {
        do {
            try await self.store.setPause(pause, of: stage)
        } catch {
            // The pause itself holds in memory; only what `status` shows is stale. A store that is really broken fails the next change.
            self.logger.warning(
                "stage pause not recorded",
                metadata: [
                    "stage": "\(stage.rawValue)",
                    "store.code": "\((error as? StoreError)?.code.description ?? "other")",
                ]
            )
        }
    }
}
