import Logging

extension Logger {
    /// Makes the logger of one run.
    init(_ configuration: AppConfiguration.Log, runID: String? = nil) {
        let format: ConsoleLogHandler.Format =
            switch configuration.format {
            case .text: .text
            case .json: .json
            }
        self.init(label: "idcard-pipeline") { _ in ConsoleLogHandler(level: configuration.level, format: format) }
        if let runID { self[metadataKey: "run.id"] = "\(runID)" }
    }
}
