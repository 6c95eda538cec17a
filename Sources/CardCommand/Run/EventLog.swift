import CardEngine
import CardModel
import CardStore
import Logging

/// Writes what happens in the pipeline to the log; identifiers, states and codes only.
struct EventLog: Sendable {
    let logger: Logger

    func observe(_ event: PipelineEvent) {
        switch event {
        case .taken(_, let outcome):
            self.logger.debug(
                "input taken in",
                metadata: [
                    "card.id": "\(outcome.card)", "card.state": "\(outcome.state.rawValue)",
                    "input.known": "\(outcome.isDuplicate)",
                ]
            )
        case .refused(_, let error):
            self.logger.debug("input refused", metadata: ["card.reason": "\(error.code)"])
        case .changed(let change):
            var metadata: Logger.Metadata = ["card.id": "\(change.card)", "card.state": "\(change.state.rawValue)"]
            if let reason = change.reason { metadata["card.reason"] = "\(reason)" }
            self.logger.debug("card moved on", metadata: metadata)
        case .sending: break
        case .failed(let stage, let failure):
            self.logger.debug(
                "call failed",
                metadata: [
                    "stage": "\(stage.rawValue)", "attempt.class": "\(failure.failureClass.rawValue)",
                    "attempt.code": "\(failure.code)", "http.status": "\(failure.httpStatus ?? 0)",
                ]
            )
        }
    }
}
