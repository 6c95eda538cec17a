package import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization

/// The metrics of a process, in the text format of Prometheus (0.0.4).
///
/// A metric has a bounded number of combinations of labels: further ones are counted as `other`.
package final class ServerMetrics: Sendable {
    enum Kind: String {
        case counter, gauge
        /// Times in seconds.
        case histogram
    }

    /// A label that distinguishes the series of a metric.
    enum Label {
        case code, commit, method, outcome, photoReason, reason, result, route, schema, stage, state, status, version

        var name: String { self == .photoReason ? "reason" : "\(self)" }

        /// The values that are known beforehand; none if clients determine them.
        var values: [String] {
            switch self {
            case .outcome: FailureClass.allCases.map(\.rawValue)
            case .reason: ServerMetrics.reasons + ["other"]
            case .result: ["admitted", "duplicate", "refused", "ignored"]
            case .stage: Stage.allCases.map(\.rawValue)
            case .state: CardState.allCases.map(\.rawValue)
            case .code, .commit, .method, .photoReason, .route, .schema, .status, .version: []
            }
        }
    }

    struct Metric: Hashable, Sendable {
        let name: String
        let kind: Kind
        let labels: [Label]
        let help: String

        private init(_ name: String, _ kind: Kind, _ labels: [Label], _ help: String) {
            (self.name, self.kind, self.labels, self.help) = (name, kind, labels, help)
        }
    }

    struct Series {
        var value = 0.0
        fileprivate var count = 0
        fileprivate var buckets = Array(repeating: 0, count: bounds.count)
    }

    /// Upper bounds of the buckets of times, in seconds.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    private let series = Mutex<[Metric: [[String]: Series]]>([:])

    /// Begins with the metrics whose labels are known, at zero, so that a rate is right from the first event on.
    ///
    /// - Parameters:
    ///   - version: the version of this program.
    ///   - commit: the commit that the program was built from.
    ///   - schema: the schema of its sandboxes.
    package init(version: String = "unknown", commit: String = "unknown", schema: String = "unknown") {
        for metric in Metric.all {
            let known = metric.labels.reduce([[]]) { known, label in
                known.flatMap { start in label.values.map { start + [$0] } }
            }
            for labels in known { self.change(metric, labels) { _ in } }
        }
        self.set(.buildInfo, [version, commit, schema], to: 1)
    }

    // MARK: Counting

    func add(_ metric: Metric, _ labels: [String] = [], by amount: Double = 1) {
        self.change(metric, labels) { $0.value += amount }
    }

    func set(_ metric: Metric, _ labels: [String] = [], to value: Double) {
        self.change(metric, labels) { $0.value = value }
    }

    func add(_ metric: Metric, _ labels: [String], took: Duration) {
        let seconds = took.inSeconds
        self.change(metric, labels) { series in
            series.value += seconds
            series.count += 1
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { series.buckets[index] += 1 }
        }
    }

    package func count(_ event: PipelineEvent) {
        switch event {
        case .taken(_, let outcome) where outcome.state == .rejected && !outcome.isDuplicate:
            self.add(.inputs, ["refused"])
        case .taken(_, let outcome): self.add(.inputs, [outcome.isDuplicate ? "duplicate" : "admitted"])
        case .refused: self.add(.inputs, ["refused"])
        case .called(let stage, let outcome, let took):
            self.add(.stageCalls, [stage.rawValue, outcome.rawValue])
            self.add(.stageDuration, [stage.rawValue], took: took)
            let now = Timestamp(Date())
            if outcome == .accepted { self.setLastSuccess(of: stage, at: now, now: now) }
        case .changed, .sending, .failed, .paused, .resumed, .beat, .overdue, .erasingFailed: break
        }
    }

    /// The result of an input that the engine does not get: a list or a watched folder refuses it, or it is not an image.
    package enum UnseenInput: String { case refused, ignored }

    package func count(_ input: UnseenInput) { self.add(.inputs, [input.rawValue]) }

    func change(_ metric: Metric, _ labels: [String], _ body: (inout Series) -> Void) {
        self.series.withLock { series in
            var labels = labels
            if let known = series[metric], known[labels] == nil, known.count >= Limits.metricSeries {
                labels = labels.map { _ in "other" }
            }
            body(&series[metric, default: [:]][labels, default: Series()])
        }
    }

    // MARK: Rendering

    /// All metrics as text, sorted.
    package var text: String {
        var text = ""
        for (metric, series) in self.series.withLock({ $0 }).sorted(by: { $0.key.name < $1.key.name }) {
            text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for (values, series) in series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                let labels = zip(metric.labels, values).map { "\($0.name)=\"\(Self.quoted($1))\"" }
                text += Self.lines(of: series, metric, labels)
            }
        }
        return text
    }

    private static func lines(of series: Series, _ metric: Metric, _ labels: [String]) -> String {
        let braced = { (labels: [String]) in labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}" }
        let name = metric.name
        guard metric.kind == .histogram else { return "\(name)\(braced(labels)) \(self.number(series.value))\n" }
        let buckets = zip(self.bounds.map(self.number) + ["+Inf"], series.buckets + [series.count])
        let lines = buckets.map { "\(name)_bucket\(braced(labels + ["le=\"\($0)\""])) \($1)\n" }
        return lines.joined() + "\(name)_sum\(braced(labels)) \(self.number(series.value))\n"
            + "\(name)_count\(braced(labels)) \(series.count)\n"
    }

    /// Escapes the value of a label for its quotes.
    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// A number, without a point if it is whole.
    private static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }
}

// Each stands on one line.
// swift-format-ignore
extension ServerMetrics.Metric {
    static let requests = Self("idcard_http_requests_total", .counter, [.method, .route, .status], "Answered requests.")
    static let duration = Self("idcard_http_duration_seconds", .histogram, [.route], "From the head of a request to its answer.")
    static let bodyBytes = Self("idcard_http_body_bytes_total", .counter, [], "Bytes of bodies that were read.")
    static let connections = Self("idcard_http_connections", .gauge, [], "Connections that are open.")
    static let refusals = Self("idcard_http_refusals_total", .counter, [.code], "What never became a request.")
    static let refusedConnections = Self("idcard_http_refused_connections", .gauge, [], "Connections that were one too many, since the start.")
    static let failedAuthentications = Self("idcard_http_failed_authentications_total", .counter, [], "Requests without a valid token.")
    static let unavailableTokens = Self("idcard_http_unavailable_tokens_total", .counter, [], "Requests refused because the tokens could not be read.")
    static let refusedWebhooks = Self("idcard_http_refused_webhooks_total", .counter, [], "Webhooks that were not accepted.")
    static let refusedUploads = Self("idcard_uploads_refused_total", .counter, [.photoReason], "Images of requests that cannot be used.")
    static let ignoredWebhooks = Self("idcard_http_ignored_webhooks_total", .counter, [], "Webhooks of a type that brings no card.")
    static let cards = Self("idcard_cards", .gauge, [.state], "Cards in each state.")
    static let cardsEntered = Self("idcard_cards_entered_total", .counter, [.state], "Cards that entered each state, whoever moved them.")
    static let cardsNeedingPerson = Self("idcard_cards_needing_person", .gauge, [.reason], "Cards that need a person.")
    static let casesNeedingPerson = Self("idcard_cases_needing_person", .gauge, [.reason], "Cases that need a person.")
    static let oldestCard = Self("idcard_stage_oldest_card_age_seconds", .gauge, [.stage], "Seconds since the oldest card with work came to a stage; 0 if none has.")
    static let lastSuccess = Self("idcard_stage_last_success_timestamp_seconds", .gauge, [.stage], "When the endpoint of a stage last took a call; 0 if it never did.")
    static let freeBytes = Self("idcard_sandbox_free_bytes", .gauge, [], "Bytes that are free on the disk of the sandbox.")
    static let buildInfo = Self("idcard_build_info", .gauge, [.version, .commit, .schema], "1; the labels are of this build.")
    static let stagePaused = Self("idcard_stage_paused", .gauge, [.stage], "1 if the endpoint of a stage is paused or stopped, or the stage is stuck.")
    static let inputs = Self("idcard_inputs_total", .counter, [.result], "Inputs of runs and watched folders.")
    static let stageCalls = Self("idcard_stage_calls_total", .counter, [.stage, .outcome], "Calls of a stage, by how they ended.")
    static let stageDuration = Self("idcard_stage_duration_seconds", .histogram, [.stage], "How long a call of a stage took.")

    static let all = [
        requests, duration, bodyBytes, connections, refusals, refusedConnections, failedAuthentications,
        unavailableTokens, refusedWebhooks, refusedUploads, ignoredWebhooks, cards, cardsEntered, cardsNeedingPerson,
        casesNeedingPerson, oldestCard, lastSuccess, freeBytes, buildInfo, stagePaused, inputs, stageCalls,
        stageDuration,
    ]
}

extension ServerMetrics {
    /// The reasons with a series of their own; a remote's own code counts as `other`.
    static let reasons = ReasonCode.all.map(\.code.rawValue)

    func set(_ counts: StoreCounts, now: Timestamp) {
        for state in CardState.allCases {
            let (cards, entered) = counts.cards[state] ?? (0, 0)
            self.set(.cards, [state.rawValue], to: Double(cards))
            self.set(.cardsEntered, [state.rawValue], to: Double(entered))
        }
        self.set(.cardsNeedingPerson, byReason: counts.attention.map { ($0.rawValue, $1) })
        self.set(.casesNeedingPerson, byReason: counts.cases.map { ($0.cause ?? "", $0.cases) })
        for stage in Stage.allCases {
            // After a clock was set back, an age is zero, not negative.
            let age = counts.oldest[stage].map { max(.zero, now.duration(since: $0)) } ?? .zero
            self.set(.oldestCard, [stage.rawValue], to: age.inSeconds)
            self.setLastSuccess(of: stage, at: counts.lastSuccess[stage], now: now)
        }
    }

    /// Sets the time of the last success, but not back: the sandbox forgets calls for erased cards. A time in the future, from a
    /// clock that was fast, is replaced.
    func setLastSuccess(of stage: Stage, at time: Timestamp?, now: Timestamp) {
        let last = Double(time?.millisecondsSinceEpoch ?? 0) / 1000
        let latest = Double(now.millisecondsSinceEpoch) / 1000
        self.change(.lastSuccess, [stage.rawValue]) { $0.value = $0.value > latest ? last : max($0.value, last) }
    }

    private func set(_ metric: Metric, byReason counts: [(String, Int)]) {
        let known = Set(Self.reasons)
        let sums = Dictionary(counts.map { (known.contains($0) ? $0 : "other", $1) }, uniquingKeysWith: +)
        for reason in Self.reasons + ["other"] { self.set(metric, [reason], to: Double(sums[reason] ?? 0)) }
    }
}
