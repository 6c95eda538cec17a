import IDCardCore
import Logging

/// What every stage works with.
struct StageContext: Sendable {
    let store: any CardStore
    let settings: EngineSettings
    let board: WorkBoard
    let applications: PendingApplications
    let monitor: PipelineMonitor
    let space: SpaceWatch
    let queue: QueueWatch
    let time: PipelineTime
    let random: RandomSource
    let metrics: StageMetrics
    let logger: Logger
}

extension StageContext {
    /// Pauses a stage by its gate, and lets it go on.
    func pausing(_ gate: StageGate) -> StagePausing {
        StagePausing(store: self.store, gate: gate, monitor: self.monitor, logger: self.logger)
    }
}
