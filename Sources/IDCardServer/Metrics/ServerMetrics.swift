import CoreMetrics
import IDCardCore
import IDCardPipeline

/// The server's own figures.
///
/// | name | labels | what |
/// |---|---|---|
/// | `idcard_http_requests_total` | method, route, status | answered requests |
/// | `idcard_http_duration_seconds` | route | from the head of a request to its answer |
/// | `idcard_http_body_bytes_total` | | bytes of bodies that were read |
/// | `idcard_http_connections` | | connections that are open |
/// | `idcard_http_refusals_total` | code | what never became a request |
/// | `idcard_http_refused_connections` | | connections that were one too many, since the start |
/// | `idcard_http_failed_authentications_total` | | requests without a valid token |
/// | `idcard_http_refused_webhooks_total` | | webhooks that were not accepted |
/// | `idcard_cards` | state | cards in each state |
/// | `idcard_stage_paused` | stage | 1 if a stage has stopped |
/// | `idcard_stage_failing` | stage | 1 if the last calls to the endpoint of a stage have failed |
/// | `idcard_stage_oldest_seconds` | stage | since when the oldest card waits for a stage; 0 if none does |
struct ServerMetrics: Sendable {
    let factory: any MetricsFactory
    let bodyBytes: Counter
    let failedAuthentications: Counter
    let refusedWebhooks: Counter

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        self.bodyBytes = Counter(label: "idcard.http.body_bytes", dimensions: [], factory: factory)
        self.failedAuthentications = Counter(
            label: "idcard.http.failed_authentications",
            dimensions: [],
            factory: factory
        )
        self.refusedWebhooks = Counter(label: "idcard.http.refused_webhooks", dimensions: [], factory: factory)
    }

    /// Counts an answered request.
    func count(method: String, route: String, status: Int, took: Duration) {
        let labels = [("method", method), ("route", route), ("status", "\(status)")]
        Counter(label: "idcard.http.requests", dimensions: labels, factory: self.factory).increment()
        let (seconds, attoseconds) = took.components
        CoreMetrics.Timer(label: "idcard.http.duration", dimensions: [("route", route)], factory: self.factory)
            .recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Counts what never became a request.
    func count(refusal code: ProblemCode) {
        Counter(label: "idcard.http.refusals", dimensions: [("code", code.rawValue)], factory: self.factory).increment()
    }

    /// Sets what is looked up when the figures are asked for.
    func set(connections: Int, refused: Int) {
        self.gauge("idcard.http.connections", [], Double(connections))
        self.gauge("idcard.http.refused_connections", [], Double(refused))
    }

    /// Sets what the store knows.
    func set(
        states: [CardState: Int],
        pauses: [Stage: StagePause],
        standings: [Stage: StageStanding],
        now: Timestamp
    ) {
        for state in CardState.allCases {
            self.gauge("idcard.cards", [("state", state.rawValue)], Double(states[state] ?? 0))
        }
        for stage in Stage.allCases {
            let labels = [("stage", stage.rawValue)]
            let standing = standings[stage]
            self.gauge("idcard.stage_paused", labels, pauses[stage] == nil ? 0 : 1)
            self.gauge("idcard.stage_failing", labels, standing?.failure == nil ? 0 : 1)
            let age = standing?.oldestSince.map { now.millisecondsSinceEpoch - $0.millisecondsSinceEpoch } ?? 0
            self.gauge("idcard.stage_oldest_seconds", labels, Double(max(0, age)) / 1000)
        }
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)], _ value: Double) {
        Gauge(label: label, dimensions: dimensions, factory: self.factory).record(value)
    }
}
