import CardModel
import CardStore

/// A plot of counts over time, with a table of the same numbers.
///
/// By attributes and classes alone: the policy for content forbids inline style. A style sheet may change the colours of
/// `.series-0` to `.series-6`; each series has a pattern of its own beside its colour.
struct Chart {
    struct Series {
        let name: HTML
        /// One for each bucket.
        let counts: [Int]
    }

    /// By what the parts of this plot find each other: a word that no other plot of the page has.
    let id: String
    let title: Message
    /// When each bucket begins.
    let starts: [Timestamp]
    /// At most seven.
    let series: [Series]
    /// Whether the bars of a bucket stand on each other, else beside each other.
    let isStacked: Bool

    /// How far cards came.
    static func throughput(_ figures: Throughput) -> Chart {
        let series = [
            Series(name: "\(Message.chartAdmitted)", counts: figures.admitted),
            Series(name: "\(Message.chartVerified)", counts: figures.verified),
            Series(name: "\(Message.chartDelivered)", counts: figures.delivered),
        ]
        return Chart(
            id: "throughput",
            title: .chartThroughput,
            starts: figures.starts,
            series: series,
            isStacked: false
        )
    }

    /// Why cards did not come further.
    static func refusals(_ figures: Throughput) -> Chart {
        let series = figures.refusals.map { reason, cards in
            Series(name: reason.map { "\($0.rawValue)" } ?? "\(Message.chartOther)", counts: cards)
        }
        return Chart(id: "refusals", title: .chartRefusals, starts: figures.starts, series: series, isStacked: true)
    }

    var html: HTML {
        let isEmpty = self.series.allSatisfy { $0.counts.allSatisfy { $0 == 0 } }
        let content: HTML = isEmpty ? "<p>\(Message.chartNothing)</p>" : "\(self.plot)\(self.legend)\(self.table)"
        return "<figure class=\"chart\"><figcaption>\(self.title)</figcaption>\(content)</figure>"
    }

    // MARK: The plot

    // The place of the bars in 720 × 180: left of it the highest count, below it the times.
    private static let (left, top, width, height) = (64.0, 12.0, 648.0, 140.0)
    private static let colours = ["#0b5fa5", "#b4470e", "#00735c", "#8a2a6b", "#6b5b00", "#3a3f8f", "#555555"]
    /// White lines on the colours, on tiles of 6 × 6: none, rising, lying, standing, falling, crossed, dotted.
    private static let lines = [
        "", "M-1 1L1-1M0 6L6 0M5 7L7 5", "M0 3H6", "M3 0V6", "M-1 5L1 7M0 0L6 6M5-1L7 1", "M0 3H6M3 0V6", "M2 3H4",
    ]

    private var highest: Int {
        self.starts.indices.map { bucket in
            let counts = self.series.map { $0.counts[bucket] }
            return self.isStacked ? counts.reduce(0, +) : counts.max() ?? 0
        }.max() ?? 0
    }

    private var plot: HTML {
        let (id, right, bottom) = (self.id, Int(Self.left + Self.width), Int(Self.top + Self.height))
        let bars = self.series.indices.map { index in
            "<path class=\"series-\(index)\" fill=\"url(#\(id)-\(index))\" d=\"\(self.bars(of: index))\"/>" as HTML
        }
        let patterns = self.series.indices.map { index in
            """
            <pattern id="\(id)-\(index)" width="6" height="6" patternUnits="userSpaceOnUse">\
            <rect class="series-\(index)" width="6" height="6" fill="\(Self.colours[index])"/>\
            <path d="\(Self.lines[index])" stroke="#ffffff" stroke-width="1.5"/></pattern>
            """ as HTML
        }
        let summary = Message.chartSummary(self.starts[0], to: self.starts[self.starts.count - 1], self.highest)
        return """
            <svg viewBox="0 0 720 180" width="720" height="180" role="img" aria-labelledby="\(id)-title \(id)-text">\
            <title id="\(id)-title">\(self.title)</title><desc id="\(id)-text">\(summary)</desc>\
            <defs>\(patterns)</defs>\(bars)\
            <path class="axis" stroke="currentColor" stroke-opacity="0.5" d="M\(Int(Self.left)) \(Int(Self.top))H\(right)M\(Int(Self.left)) \(bottom)H\(right)"/>\
            <g fill="currentColor" font-size="12">\(self.labels)</g></svg>
            """
    }

    /// One path for all bars of a series.
    private func bars(of index: Int) -> String {
        let slot = Self.width / Double(self.starts.count)
        let bar = slot * 0.9 / (self.isStacked ? 1 : Double(self.series.count))
        let scale = Self.height / Double(self.highest)
        return self.starts.indices.filter { self.series[index].counts[$0] > 0 }.map { bucket in
            let below = self.isStacked ? self.series[..<index].map { $0.counts[bucket] }.reduce(0, +) : 0
            let x = Self.left + slot * Double(bucket) + (self.isStacked ? 0 : bar * Double(index))
            let y = Self.top + Self.height - scale * Double(below)
            let height = Self.text(scale * Double(self.series[index].counts[bucket]))
            return "M\(Self.text(x)) \(Self.text(y))h\(Self.text(bar))v-\(height)h-\(Self.text(bar))z"
        }
        .joined()
    }

    private static func text(_ length: Double) -> String { String((length * 100).rounded() / 100) }

    /// The highest count, 0, and the first, middle and last time.
    private var labels: HTML {
        let last = self.starts.count - 1
        let isLong = self.starts[last].duration(since: self.starts[0]) >= .seconds(86_400)
        let slot = Self.width / Double(self.starts.count)
        let times = [(0, "start"), (last / 2, "middle"), (last, "end")].map { bucket, anchor in
            let local = self.starts[bucket].local
            let time = String(isLong ? local.prefix(10) : local.dropFirst(11).prefix(5))
            let x = Self.left + slot * (Double(bucket) + (anchor == "start" ? 0 : anchor == "end" ? 1 : 0.5))
            return "<text x=\"\(Self.text(x))\" y=\"170\" text-anchor=\"\(anchor)\">\(time)</text>" as HTML
        }
        return """
            <text x="58" y="16" text-anchor="end">\(self.highest)</text><text x="58" y="152" text-anchor="end">0</text>\
            \(times)
            """
    }

    // MARK: Words and numbers

    private var legend: HTML {
        let items = self.series.indices.map { index in
            """
            <li><svg width="18" height="18" aria-hidden="true"><rect width="18" height="18" fill="url(#\(self.id)-\(index))"/>\
            </svg> \(self.series[index].name)</li>
            """ as HTML
        }
        return "<ul class=\"legend\">\(items)</ul>"
    }

    private var table: HTML {
        let names = self.series.map { "<th scope=\"col\">\($0.name)</th>" as HTML }
        let rows = self.starts.indices.map { bucket in
            let counts = self.series.map { "<td>\($0.counts[bucket])</td>" as HTML }
            return "<tr><th scope=\"row\">\(self.starts[bucket])</th>\(counts)</tr>" as HTML
        }
        let sums = self.series.map { "<td>\($0.counts.reduce(0, +))</td>" as HTML }
        return """
            <details><summary>\(Message.chartNumbers)</summary><table>\
            <thead><tr><th scope="col">\(Message.chartTime)</th>\(names)</tr></thead><tbody>\(rows)</tbody>\
            <tfoot><tr><th scope="row">\(Message.chartSum)</th>\(sums)</tr></tfoot></table></details>
            """
    }
}
