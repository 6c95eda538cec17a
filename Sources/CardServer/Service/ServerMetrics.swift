package import CardEngine
import CardModel
import CardStore
import Synchronization

/// The figures of a process, in the text format of Prometheus (0.0.4).
///
/// A metric has a bounded number of combinations of labels: what comes beyond it is counted under `other`.
package final class ServerMetrics: Sendable {
    /// One metric: its name, kind, labels and help.
    struct Metric: Hashable, Sendable {
        enum Kind: String {
            case counter
            case gauge
            /// Times in seconds.
            case histogram
        }

        let name: String
        let kind: Kind
        let labels: [String]
        let help: String

        init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
            self.name = name
            self.kind = kind
            self.labels = labels
            self.help = help
        }
    }

    private struct Series {
        var value = 0.0
        var count = 0
        var buckets = Array(repeating: 0, count: bounds.count)
    }

    /// Upper bounds of the buckets of times, in seconds.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    private let series = Mutex<[Metric: [[String]: Series]]>([:])

    /// Begins with the metrics whose labels are known, at zero, so that a rate is right from the first event on.
    package init() {
        for metric in Metric.unlabelled { self.add(metric, by: 0) }
        for result in ["admitted", "duplicate", "refused"] { self.add(.inputs, [result], by: 0) }
        for state in CardState.allCases { self.add(.cardsEntered, [state.rawValue], by: 0) }
    }

    // MARK: Counting

    /// Counts up.
    func add(_ metric: Metric, _ labels: [String] = [], by amount: Double = 1) {
        self.change(metric, labels) { $0.value += amount }
    }

    /// Sets what goes up and down.
    func set(_ metric: Metric, _ labels: [String] = [], to value: Double) {
        self.change(metric, labels) { $0.value = value }
    }

    /// Counts an answered request.
    func count(method: String, route: String, status: Int, took: Duration) {
        self.add(.requests, [method, route, "\(status)"])
        self.add(.duration, [route], took: took)
    }

    /// Adds a time.
    func add(_ metric: Metric, _ labels: [String], took: Duration) {
        let seconds = took.inSeconds
        self.change(metric, labels) { series in
            series.value += seconds
            series.count += 1
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { series.buckets[index] += 1 }
        }
    }

    /// Counts what an event of the engine tells.
    package func count(_ event: PipelineEvent) {
        switch event {
        case .taken(_, let outcome): self.add(.inputs, [outcome.isDuplicate ? "duplicate" : "admitted"])
        case .refused: self.add(.inputs, ["refused"])
        case .changed(let change): self.add(.cardsEntered, [change.state.rawValue])
        case .sending, .failed: break
        }
    }

    private func change(_ metric: Metric, _ labels: [String], _ body: (inout Series) -> Void) {
        self.series.withLock { series in
            var labels = labels
            if let known = series[metric], known[labels] == nil, known.count >= Limits.metricSeries {
                labels = labels.map { _ in "other" }
            }
            body(&series[metric, default: [:]][labels, default: Series()])
        }
    }

    // MARK: Rendering

    /// Everything as text, sorted.
    package var text: String {
        var text = ""
        for (metric, series) in self.series.withLock({ $0 }).sorted(by: { $0.key.name < $1.key.name }) {
            text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for (values, series) in series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                let labels = zip(metric.labels, values).map { "\($0)=\"\(Self.quoted($1))\"" }
                text += Self.lines(of: series, metric, labels)
            }
        }
        return text
    }

    private static func lines(of series: Series, _ metric: Metric, _ labels: [String]) -> String {
        let braced = { (labels: [String]) in labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}" }
        let name = metric.name
        guard metric.kind == .histogram else { return "\(name)\(braced(labels)) \(self.figure(series.value))\n" }
        let buckets = zip(self.bounds.map(self.figure) + ["+Inf"], series.buckets + [series.count])
        let lines = buckets.map { "\(name)_bucket\(braced(labels + ["le=\"\($0)\""])) \($1)\n" }
        return lines.joined() + "\(name)_sum\(braced(labels)) \(self.figure(series.value))\n"
            + "\(name)_count\(braced(labels)) \(series.count)\n"
    }

    /// A value of a label within its quotes.
    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// A figure: whole ones without a point.
    private static func figure(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }
}

// Each stands on one line.
// swift-format-ignore
extension ServerMetrics.Metric {
    static let requests = Self("idcard_http_requests_total", .counter, labels: ["method", "route", "status"], "Answered requests.")
    static let duration = Self("idcard_http_duration_seconds", .histogram, labels: ["route"], "From the head of a request to its answer.")
    static let bodyBytes = Self("idcard_http_body_bytes_total", .counter, "Bytes of bodies that were read.")
    static let connections = Self("idcard_http_connections", .gauge, "Connections that are open.")
    static let refusals = Self("idcard_http_refusals_total", .counter, labels: ["code"], "What never became a request.")
    static let refusedConnections = Self("idcard_http_refused_connections", .gauge, "Connections that were one too many, since the start.")
    static let failedAuthentications = Self("idcard_http_failed_authentications_total", .counter, "Requests without a valid token.")
    static let refusedWebhooks = Self("idcard_http_refused_webhooks_total", .counter, "Webhooks that were not accepted.")
    static let cards = Self("idcard_cards", .gauge, labels: ["state"], "Cards in each state.")
    static let stagePaused = Self("idcard_stage_paused", .gauge, labels: ["stage"], "1 if a stage has stopped.")
    static let inputs = Self("idcard_inputs_total", .counter, labels: ["result"], "Inputs of runs and watched folders.")
    static let stageCalls = Self("idcard_stage_calls_total", .counter, labels: ["stage", "outcome"], "Calls of a stage, by how they ended.")
    static let stageDuration = Self("idcard_stage_duration_seconds", .histogram, labels: ["stage"], "How long a call of a stage took.")
    static let cardsEntered = Self("idcard_cards_entered_total", .counter, labels: ["state"], "Cards that entered each state.")

    /// Those that stand in the text from the start.
    static let unlabelled = [bodyBytes, connections, refusedConnections, failedAuthentications, refusedWebhooks]
}
