package import CoreMetrics
import Synchronization

/// Keeps the figures of a process, and renders them as Prometheus reads them (text format 0.0.4).
///
/// A metric has a bounded number of combinations of labels: what comes beyond it is counted under `other`.
package final class PrometheusMetrics: MetricsFactory {
    /// The media type of the text.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private struct Family {
        var kind: MetricKind
        var series: [[String]: MetricSeries] = [:]
        /// The names of the labels; one set for all series.
        var labels: [String]
    }

    private let families = Mutex<[String: Family]>([:])
    private let maximumSeries: Int

    /// Makes an empty register.
    ///
    /// - Parameter maximumSeries: the most combinations of labels of one metric.
    package init(maximumSeries: Int = 500) {
        self.maximumSeries = maximumSeries
    }

    // MARK: Factory

    /// Returns what counts up under a name and labels.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.series(label, dimensions, .counter)
    }

    /// Returns what counts up by fractions.
    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        self.series(label, dimensions, .counter)
    }

    /// Returns what goes up and down.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.series(label, dimensions, .gauge)
    }

    /// Returns what keeps the last value, or with `aggregate` the distribution of all.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        self.series(label, dimensions, aggregate ? .distribution : .gauge)
    }

    /// Returns what keeps the distribution of times.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.series(label, dimensions, .time)
    }

    /// Keeps the figure: one that starts anew within a process would go backwards.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Keeps the figure: one that starts anew within a process would go backwards.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Keeps the figure: one that starts anew within a process would go backwards.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Keeps the figure: one that starts anew within a process would go backwards.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Keeps the figure: one that starts anew within a process would go backwards.
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: MetricKind) -> MetricSeries {
        let name = MetricName.safe(label)
        let full = name.hasSuffix(kind.suffix) ? name : name + kind.suffix
        let sorted = dimensions.sorted { $0.0 < $1.0 }
        return self.families.withLock { families in
            var family = families[full] ?? Family(kind: kind, labels: sorted.map { MetricName.safe($0.0) })
            // The same name for something else, or with other labels, would make the text unreadable.
            guard family.kind == kind, family.labels == sorted.map({ MetricName.safe($0.0) }) else {
                return MetricSeries(kind: kind)
            }
            var values = sorted.map(\.1)
            if family.series[values] == nil, family.series.count >= self.maximumSeries {
                values = values.map { _ in "other" }
            }
            if let known = family.series[values] { return known }
            let made = MetricSeries(kind: kind)
            family.series[values] = made
            families[full] = family
            return made
        }
    }

    // MARK: Rendering

    /// Returns everything as text, sorted.
    package func render() -> String {
        var text = ""
        for (name, family) in self.families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            if let help = MetricName.help[name] { text += "# HELP \(name) \(help)\n" }
            text += "# TYPE \(name) \(family.kind.word)\n"
            let series = family.series.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (values, series) in series {
                let labels = zip(family.labels, values).map { "\($0)=\"\(MetricName.quoted($1))\"" }
                text += Self.lines(of: series.snapshot, name: name, labels: labels, kind: family.kind)
            }
        }
        return text
    }

    private static func lines(
        of state: MetricSeries.State,
        name: String,
        labels: [String],
        kind: MetricKind
    ) -> String {
        let braced = { (labels: [String]) in labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}" }
        guard kind.isDistribution else { return "\(name)\(braced(labels)) \(MetricName.figure(state.value))\n" }
        var text = ""
        for (bound, count) in zip(MetricSeries.bounds, state.buckets) {
            text += "\(name)_bucket\(braced(labels + ["le=\"\(MetricName.figure(bound))\""])) \(count)\n"
        }
        text += "\(name)_bucket\(braced(labels + ["le=\"+Inf\""])) \(state.count)\n"
        text += "\(name)_sum\(braced(labels)) \(MetricName.figure(state.value))\n"
        return text + "\(name)_count\(braced(labels)) \(state.count)\n"
    }
}
