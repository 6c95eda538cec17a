import Foundation
import Testing

@testable import CardServer

/// The rules and the dashboard in `config/monitoring`: they name nothing that the server does not tell.
@Suite struct MonitoringFilesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "config/monitoring")

    private struct Dashboard: Decodable {
        struct Panel: Decodable { var title: String, targets: [Target] }
        struct Target: Decodable { var expr: String, legendFormat: String }
        var panels: [Panel]
    }

    /// An expression, with a text that may name labels of its result.
    private static func expressions() throws -> [(expression: String, text: String)] {
        let rules = try String(contentsOf: self.folder.appending(path: "prometheus-rules.yml"), encoding: .utf8)
        let alerts = rules.components(separatedBy: "- alert: ").dropFirst().map { alert in
            let line = alert.split(separator: "\n").first { $0.contains(" expr: ") }
            return (String(line?.split(separator: ":", maxSplits: 1).last ?? ""), alert)
        }
        let json = try Data(contentsOf: self.folder.appending(path: "grafana-dashboard.json"))
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: json)
        return alerts + dashboard.panels.flatMap { panel in panel.targets.map { ($0.expr, $0.legendFormat) } }
    }

    @Test func `each metric and label that rules and dashboard name is one that the server tells`() throws {
        let expressions = try Self.expressions()
        #expect(expressions.count == 18)
        for (expression, text) in expressions {
            #expect(expression.count { $0 == "(" } == expression.count { $0 == ")" }, "\(expression)")
            var labels: Set<String> = []
            for match in expression.matches(of: /\b(idcard_\w+|up)\b/) where match.1 != "up" {
                let suffixed = String(match.1.replacing(/_(bucket|sum|count)$/, with: ""))
                let named = { (name: String) in ServerMetrics.Metric.all.first { $0.name == name } }
                let metric = try #require(named(String(match.1)) ?? named(suffixed), "\(match.1)")
                labels.formUnion(metric.labels.map(\.name))
                if match.1.hasSuffix("_bucket") { labels.insert("le") }
                #expect((metric.kind == .histogram) == (match.1 != suffixed), "\(match.1)")
                #expect((metric.kind == .counter) == match.1.hasSuffix("_total"), "\(match.1)")
            }
            let grouped = expression.matches(of: /(?:by|on) \(([^)]*)\)/).flatMap { $0.1.split(separator: ",") }
            let named = text.matches(of: /\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/).map(\.1)
            for label in (grouped + named).map({ $0.trimmingCharacters(in: .whitespaces) }) {
                #expect(labels.contains(label), "\(label) in \(expression)")
            }
            for name in named {
                #expect(grouped.contains { $0.trimmingCharacters(in: .whitespaces) == name }, "\(name)")
            }
        }
    }

    @Test func `an alert is there for all that a person is to see to`() throws {
        let rules = try Self.expressions().map(\.expression)
        for metric: ServerMetrics.Metric in [.casesNeedingPerson, .stagePaused, .oldestCard, .freeBytes, .lastSuccess] {
            #expect(rules.contains { $0.contains(metric.name) && $0.contains(/[<>=] ?\d/) }, "\(metric)")
        }
        #expect(rules.contains { $0.contains("up{") && $0.contains("absent(") })
    }
}
