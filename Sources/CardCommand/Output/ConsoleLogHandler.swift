import CardEngine
import CardModel
import CardStore
import Foundation
import Logging

/// Writes log records to standard error, as text or as one JSON object a line.
struct ConsoleLogHandler: LogHandler {
    /// The forms of a record (`log.format`).
    enum Format: String, CaseIterable, Sendable {
        /// `2026-05-12T10:14:07.000Z info message key=value`
        case text
        /// `{"time": …, "level": …, "message": …, …}`
        case json
    }

    /// The keys whose values a record shows: these are identifiers of this program, words of a closed set, or numbers. The
    /// value of any other key may be a name.
    static let shownKeys: Set<String> = [
        "run.id", "card.id", "card.state", "card.reason", "attempt.class", "attempt.code", "http.status", "stage",
        "input.known", "endpoint.state", "endpoint.since", "cards", "error.code",
        // The server; a route is the template of a path, and the name of a token is not its secret.
        "request.id", "http.method", "http.route", "http.code", "http.milliseconds", "http.bytes", "http.error",
        "token.name", "webhook.refusal",
        "run.source", "run.state",
        // The built-in endpoints.
        "verifier.side", "verifier.milliseconds", "verifier.code", "verifier.error", "verifier.message", "backend.code",
        "backend.retcode", "backend.replay",
    ]

    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    let format: Format

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let merged = self.metadata.merging(event.metadata ?? [:]) { _, new in new }
        let shown = Dictionary(
            uniqueKeysWithValues: merged.map { ($0, Self.shownKeys.contains($0) ? "\($1)" : "[not listed]") }
        )
        switch self.format {
        case .text:
            let values = shown.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            Console.standardError("\(Self.time) \(event.level.rawValue) \(event.message)\(values)")
        case .json: Console.standardError(Self.record(event.level, "\(event.message)", shown), isForProgram: true)
        }
    }

    static func record(_ level: Logger.Level, _ message: String, _ values: [String: String]) -> String {
        let record = ["time": Self.time, "level": level.rawValue, "message": message]
        return JSONText.line(values.merging(record) { $1 })
    }

    private static var time: String { Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

/// Logs the events of the pipeline; identifiers, states and codes only.
struct EventLog: Sendable {
    let logger: Logger
    /// The log level of results of cards: lower for a run, whose report shows them.
    let outcomes: Logger.Level

    func observe(_ event: PipelineEvent) {
        switch event {
        case .taken(_, let outcome):
            var metadata = Self.metadata(outcome.card, outcome.state, outcome.reason)
            metadata["input.known"] = "\(outcome.isDuplicate)"
            let isEnd = !outcome.isDuplicate && Self.isOutcome(outcome.state, outcome.reason)
            self.logger.log(level: isEnd ? self.outcomes : .debug, "input imported", metadata: metadata)
        case .refused(_, let error): self.logger.debug("input refused", metadata: ["card.reason": "\(error.code)"])
        case .changed(let change):
            let level = Self.isOutcome(change.state, change.reason) ? self.outcomes : .debug
            let metadata = Self.metadata(change.card, change.state, change.reason)
            self.logger.log(level: level, "card changed state", metadata: metadata)
        case .sending, .called, .beat: break
        case .paused(let pause):
            let metadata: Logger.Metadata = [
                "stage": "\(pause.stage.rawValue)", "endpoint.state": "\(pause.state.rawValue)",
                "attempt.code": "\(pause.code)", "endpoint.since": "\(pause.since)",
            ]
            self.logger.debug("endpoint paused", metadata: metadata)
        case .overdue(let count):
            self.logger.warning("cards past their retention are not erased yet", metadata: ["cards": "\(count)"])
        case .erasingFailed(let error):
            self.logger.warning("cannot erase cards", metadata: ["error.code": "\(error.code)"])
        case .resumed(let stage, _): self.logger.debug("endpoint works again", metadata: ["stage": "\(stage.rawValue)"])
        case .failed(let stage, let failure):
            let metadata: Logger.Metadata = [
                "stage": "\(stage.rawValue)", "attempt.class": "\(failure.failureClass.rawValue)",
                "attempt.code": "\(failure.code)", "http.status": "\(failure.httpStatus ?? 0)",
            ]
            self.logger.debug("call failed", metadata: metadata)
        }
    }

    /// Whether a card was delivered, rejected, or needs a person.
    private static func isOutcome(_ state: CardState, _ reason: ReasonCode?) -> Bool {
        let notice = CardNotice(state, reason, isSeen: false, isRetaken: false)
        return state == .delivered || state == .rejected || notice.needsPerson
    }

    private static func metadata(_ card: CardID, _ state: CardState, _ reason: ReasonCode?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["card.id": "\(card)", "card.state": "\(state.rawValue)"]
        if let reason { metadata["card.reason"] = "\(reason)" }
        return metadata
    }
}
