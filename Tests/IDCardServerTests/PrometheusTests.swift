import CoreMetrics
import Testing

@testable import IDCardServer

/// The text format 0.0.4, and that it stays within its bounds.
struct PrometheusTests {
    @Test("Counters, gauges and times are rendered, sorted and escaped")
    func render() {
        let metrics = PrometheusMetrics()
        Counter(label: "b.sent", dimensions: [("kind", "a\"b\\c\nd")], factory: metrics).increment(by: 3)
        Gauge(label: "a-depth", dimensions: [], factory: metrics).record(2.5)
        CoreMetrics.Timer(label: "c.took", dimensions: [], factory: metrics).recordNanoseconds(2_000_000)
        CoreMetrics.Timer(label: "c.took", dimensions: [], factory: metrics).recordNanoseconds(40_000_000_000)
        let lines = metrics.render().split(separator: "\n").map(String.init)
        #expect(
            lines[..<4] == [
                "# TYPE a_depth gauge", "a_depth 2.5", "# TYPE b_sent_total counter",
                "b_sent_total{kind=\"a\\\"b\\\\c\\nd\"} 3",
            ]
        )
        #expect(lines.contains("# TYPE c_took_seconds histogram"))
        #expect(lines.contains("c_took_seconds_bucket{le=\"0.001\"} 0"))
        #expect(lines.contains("c_took_seconds_bucket{le=\"0.0025\"} 1"))
        #expect(lines.contains("c_took_seconds_bucket{le=\"30\"} 1"))
        #expect(lines.contains("c_took_seconds_bucket{le=\"+Inf\"} 2"))
        #expect(lines.contains("c_took_seconds_count 2"))
        #expect(lines.last == "c_took_seconds_count 2")
    }

    @Test("Labels beyond the bound are counted together")
    func bounded() {
        let metrics = PrometheusMetrics(maximumSeries: 10)
        for number in 0..<1_000 {
            Counter(label: "a", dimensions: [("n", "\(number)")], factory: metrics).increment()
        }
        let lines = metrics.render().split(separator: "\n")
        #expect(lines.count == 12)
        #expect(lines.contains("a_total{n=\"other\"} 990"))
    }

    @Test("A name that is used for two things keeps the first")
    func clash() {
        let metrics = PrometheusMetrics()
        Counter(label: "a", dimensions: [("x", "1")], factory: metrics).increment()
        Counter(label: "a", dimensions: [("y", "1")], factory: metrics).increment()
        Counter(label: "a", dimensions: [], factory: metrics).increment()
        #expect(metrics.render() == "# TYPE a_total counter\na_total{x=\"1\"} 1\n")
    }

    @Test(
        "Names become letters, digits and underscores",
        arguments: [("a.b-c", "a_b_c"), ("9x", "_9x"), ("ä", "_"), ("", "_")]
    )
    func names(label: String, name: String) {
        #expect(MetricName.safe(label) == name)
    }
}
