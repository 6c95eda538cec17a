import CardModel
import CardStore

/// A plot of counts over time, with a table of the same numbers.
///
/// Made of attributes and classes only: the content security policy forbids inline style. A style sheet may change the
/// colours of `.series-0` to `.series-6`; each series has a pattern of its own beside its colour.
struct Chart {
    /// Prefix of the element ids of this chart, unique on the page.
    let id: String
    let title: Message
    /// When each bucket begins.
    let starts: [Timestamp]
    /// At most seven, with a count for each bucket.
    let series: [(name: HTML, counts: [Int])]
    /// Whether the bars of a bucket are stacked, else side by side.
    var isStacked = false

    /// The numbers of cards that were admitted, verified and delivered.
    static func throughput(_ throughput: Throughput) -> Chart {
        let series: [(name: HTML, counts: [Int])] = [
            ("\(Message.chartAdmitted)", throughput.admitted), ("\(Message.chartVerified)", throughput.verified),
            ("\(Message.stateName(CardState.delivered))", throughput.delivered),
        ]
        return Chart(id: "throughput", title: .chartThroughput, starts: throughput.starts, series: series)
    }

    /// The numbers of refused cards, by reason.
    static func refusals(_ throughput: Throughput) -> Chart {
        let series = throughput.refusals.map { reason, cards in
            (name: reason.map { "\($0.rawValue)" } ?? "\(Message.chartOther)" as HTML, counts: cards)
        }
        return Chart(id: "refusals", title: .chartRefusals, starts: throughput.starts, series: series, isStacked: true)
    }

    var html: HTML {
        let isEmpty = self.series.allSatisfy { $0.counts.allSatisfy { $0 == 0 } }
        let content: HTML = isEmpty ? "<p>\(Message.chartNothing)</p>" : "\(self.plot)\(self.legend)\(self.table)"
        return "<figure class=\"chart\"><figcaption>\(self.title)</figcaption>\(content)</figure>"
    }

    // MARK: The plot

    // In 720 × 180 the bars have 648 × 140, from 64 and 12: the highest count is left of them, the times are below.
    private var slot: Double { 648 / Double(self.starts.count) }
    private static let colours = ["#0b5fa5", "#b4470e", "#00735c", "#8a2a6b", "#6b5b00", "#3a3f8f", "#555555"]
    /// White patterns on the colours, on tiles of 6 × 6: none, rising, horizontal, vertical, falling, crossed, dotted.
    private static let lines = [
        "", "M-1 1L1-1M0 6L6 0M5 7L7 5", "M0 3H6", "M3 0V6", "M-1 5L1 7M0 0L6 6M5-1L7 1", "M0 3H6M3 0V6", "M2 3H4",
    ]

    private var highest: Int {
        self.starts.indices.map { bucket in
            self.series.map { $0.counts[bucket] }.reduce(0) { self.isStacked ? $0 + $1 : max($0, $1) }
        }.max() ?? 0
    }

    private var plot: HTML {
        let (id, times) = (self.id, [0, (self.starts.count - 1) / 2, self.starts.count - 1])
        let summary = Message.chartSummary(self.starts[times[0]], to: self.starts[times[2]], self.highest)
        let patterns: [HTML] = self.series.indices.map { index in
            """
            <pattern id="\(id)-\(index)" width="6" height="6" patternUnits="userSpaceOnUse">\
            <rect class="series-\(index)" width="6" height="6" fill="\(Self.colours[index])"/>\
            <path d="\(Self.lines[index])" stroke="#ffffff" stroke-opacity="0.6" stroke-width="1.5"/></pattern>
            """
        }
        let bars: [HTML] = self.series.indices.map { "<path fill=\"url(#\(id)-\($0))\" d=\"\(self.bars(of: $0))\"/>" }
        return """
            <svg viewBox="0 0 720 180" width="720" height="180" role="img" aria-labelledby="\(id)-title \(id)-text">\
            <title id="\(id)-title">\(self.title)</title><desc id="\(id)-text">\(summary)</desc>\
            <defs>\(patterns)</defs>\(bars)<path stroke="currentColor" stroke-opacity="0.5" d="M64 12H712M64 152H712"/>\
            <g fill="currentColor" font-size="12"><text x="58" y="16" text-anchor="end">\(self.highest)</text>\
            <text x="58" y="156" text-anchor="end">0</text>\(times.map(self.label))</g></svg>
            """
    }

    /// One path for all bars of a series.
    private func bars(of index: Int) -> String {
        let bar = self.slot * 0.9 / (self.isStacked ? 1 : Double(self.series.count))
        let scale = 140 / Double(self.highest)
        return self.starts.indices.filter { self.series[index].counts[$0] > 0 }.map { bucket in
            let below = self.isStacked ? self.series[..<index].map { $0.counts[bucket] }.reduce(0, +) : 0
            let x = 64 + self.slot * Double(bucket) + (self.isStacked ? 0 : bar * Double(index))
            let height = scale * Double(self.series[index].counts[bucket])
            let (left, base) = (Self.text(x), Self.text(152 - scale * Double(below)))
            return "M\(left) \(base)h\(Self.text(bar))v\(Self.text(-height))h\(Self.text(-bar))z"
        }
        .joined()
    }

    private static func text(_ length: Double) -> String { String((length * 100).rounded() / 100) }

    /// The time of a bucket, shown below it: the date if the chart spans more than a day.
    private func label(_ bucket: Int) -> HTML {
        let last = self.starts.count - 1
        let isLong = self.starts[last] >= self.starts[0].advanced(by: .seconds(86_400))
        let local = self.starts[bucket].local
        let time = String(isLong ? local.prefix(10) : local.dropFirst(11).prefix(5))
        let (anchor, share) = bucket == 0 ? ("start", 0) : bucket == last ? ("end", 1) : ("middle", 0.5)
        let x = Self.text(64 + self.slot * (Double(bucket) + share))
        return "<text x=\"\(x)\" y=\"170\" text-anchor=\"\(anchor)\">\(time)</text>"
    }

    // MARK: Texts and numbers

    private var legend: HTML {
        let items: [HTML] = self.series.enumerated().map { index, series in
            """
            <li><svg width="18" height="18" aria-hidden="true"><rect width="18" height="18" fill="url(#\(self.id)-\(index))"/>\
            </svg> \(series.name)</li>
            """
        }
        return "<ul class=\"legend\">\(items)</ul>"
    }

    private var table: HTML {
        func row(_ head: HTML, _ counts: [Int]) -> HTML {
            "<tr><th scope=\"row\">\(head)</th>\(counts.map { "<td>\($0)</td>" as HTML })</tr>"
        }
        let names = self.series.map { "<th scope=\"col\">\($0.name)</th>" as HTML }
        let rows = self.starts.indices.map { bucket in
            row("\(self.starts[bucket])", self.series.map { $0.counts[bucket] })
        }
        return """
            <details><summary>\(Message.chartNumbers)</summary><table>\
            <thead><tr><th scope="col">\(Message.pageTime)</th>\(names)</tr></thead><tbody>\(rows)</tbody>\
            <tfoot>\(row("\(Message.chartSum)", self.series.map { $0.counts.reduce(0, +) }))</tfoot></table></details>
            """
    }
}
