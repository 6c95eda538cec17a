import IDCardCore
import Logging

/// What every stage works with.
struct StageContext: Sendable {
    let store: any CardStore
    let settings: EngineSettings
    let board: WorkBoard
    let applications: PendingApplications
    let monitor: PipelineMonitor
    let time: PipelineTime
    let random: RandomSource
    let logger: Logger
}
