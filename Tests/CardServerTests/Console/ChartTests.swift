import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The plots of the console.
@Suite struct ChartTests {
    private typealias Series = (name: HTML, counts: [Int])

    private static let start = Timestamp(millisecondsSinceEpoch: 1_700_000_000_000)

    private static func chart(_ series: [Series], isStacked: Bool, every width: Duration = .seconds(60)) -> Chart {
        let starts = series[0].counts.indices.map { Self.start.advanced(by: width * $0) }
        return Chart(id: "test", title: "A title", starts: starts, series: series, isStacked: isStacked)
    }

    private static func random(_ count: Int, seed: UInt64) -> [Series] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { index in
            ("series \(index)", (0..<84).map { _ in max(0, Int.random(in: -20...40, using: &random)) })
        }
    }

    /// The heights of the bars in a path, by the place of their bucket.
    private static func heights(in path: String, from left: Double, every slot: Double) throws -> [Int: (
        y: Double, height: Double
    )] {
        var bars: [Int: (Double, Double)] = [:]
        for bar in path.matches(of: /M([\d.]+) ([\d.]+)h([\d.]+)v-([\d.]+)h-([\d.]+)z/) {
            let x = try #require(Double(bar.1))
            #expect(bar.3 == bar.5 && x >= left && x + (Double(bar.3) ?? .infinity) <= 712.01)
            bars[Int((x - left + 0.01) / slot)] = (try #require(Double(bar.2)), try #require(Double(bar.4)))
        }
        return bars
    }

    @Test(arguments: [(1, true), (3, false), (7, true), (7, false)])
    func `bars, table, sums and what was counted are the same numbers`(count: Int, isStacked: Bool) throws {
        let series = Self.random(count, seed: UInt64(count))
        let page = try Page(Self.chart(series, isStacked: isStacked).html)
        let rows = page.texts(of: "td", in: "tbody")
        let paths = page.elements.filter { $0.name == "path" && $0.attributes["fill"] != nil }
        #expect(paths.count == count && rows.count == 84 * count)
        let sums = series.map { $0.counts.reduce(0, +) }
        #expect(page.texts(of: "td", in: "tfoot") == sums.map(String.init))
        let highest =
            isStacked
            ? (0..<84).map { bucket in series.map { $0.counts[bucket] }.reduce(0, +) }.max()
            : series.flatMap(\.counts).max()
        let scale = 140 / Double(try #require(highest))
        for (index, path) in paths.enumerated() {
            let bars = try Self.heights(in: path.attributes["d"] ?? "", from: 64, every: 648.0 / 84)
            for bucket in 0..<84 {
                let counted = series[index].counts[bucket]
                #expect(rows[bucket * count + index] == "\(counted)")
                #expect(Int(((bars[bucket]?.height ?? 0) / scale).rounded()) == counted)
                let below = isStacked ? series[..<index].map { $0.counts[bucket] }.reduce(0, +) : 0
                if let bar = bars[bucket] { #expect(abs(bar.y - (152 - scale * Double(below))) < 0.01) }
            }
        }
        #expect(page.texts(of: "text", in: "g").prefix(2) == ["\(highest ?? 0)", "0"])
    }

    @Test func `a hostile reason is text wherever it stands`() throws {
        let hostile = "\"><script>alert(1)</script>&'\u{202E}"
        let series: [Series] = [("\(hostile)", [1, 2])]
        let html = Self.chart(series, isStacked: true).html
        #expect(!html.markup.contains("<script") && !html.markup.contains("\u{202E}"))
        let page = try Page(html)
        let shown = hostile.replacing("\u{202E}", with: "\u{FFFD}")
        #expect(page.texts(of: "li", in: "ul") == [" " + shown])
        #expect(page.texts(of: "th", in: "thead").last == shown)
    }

    @Test func `a plot has a title, a text, a pattern for each series, and no style`() throws {
        let page = try Page(Self.chart(Self.random(7, seed: 7), isStacked: true).html)
        let svg = try #require(page.elements.first { $0.name == "svg" })
        #expect(svg.attributes["role"] == "img" && svg.attributes["viewBox"] == "0 0 720 180")
        let ids = page.elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        let named = svg.attributes["aria-labelledby"]?.split(separator: " ").map(String.init) ?? []
        #expect(named.count == 2 && Set(named).isSubset(of: ids))
        #expect(page.texts(of: "title", in: "svg") == ["A title"] && page.texts(of: "desc", in: "svg").count == 1)
        let patterns = page.elements.indices.filter { page.elements[$0].name == "pattern" }
        #expect(Set(patterns.map { page.elements[$0 + 2].attributes["d"] }).count == 7)
        #expect(Set(patterns.map { page.elements[$0 + 1].attributes["fill"] }).count == 7)
        for element in page.elements {
            #expect(element.attributes["style"] == nil && element.attributes.keys.allSatisfy { !$0.hasPrefix("on") })
            for reference in element.attributes.values.compactMap({ $0.firstMatch(of: /url\(#(.*)\)/)?.1 }) {
                #expect(ids.contains(String(reference)))
            }
        }
    }

    @Test func `times are those of this machine, dates where the span is longer than a day`() throws {
        let counts = Array(repeating: 1, count: 84)
        for (width, range) in [(60, 11..<16), (7_200, 0..<10)] {
            let chart = Self.chart([("one", counts)], isStacked: true, every: .seconds(width))
            let times = [0, 41, 83].map { bucket in
                let local = Array(chart.starts[bucket].local)
                return String(local[range])
            }
            #expect(try Page(chart.html).texts(of: "text", in: "g").suffix(3) == times)
        }
    }

    @Test func `without a card there are words, no plot`() throws {
        for series in [[], [("one", [0, 0])]] as [[Series]] {
            let chart = Chart(
                id: "test",
                title: "A title",
                starts: [Self.start, Self.start],
                series: series,
                isStacked: true
            )
            let page = try Page(chart.html)
            #expect(page.elements.map(\.name) == ["figure", "figcaption", "p"])
            #expect(page.texts(of: "p", in: "figure") == ["No card in this time."])
        }
    }
}

/// The elements of a piece of a page in their order, with the texts in them.
private final class Page: NSObject, XMLParserDelegate {
    struct Element {
        let name: String
        let parents: [String]
        let attributes: [String: String]
        var text = ""
    }

    private(set) var elements: [Element] = []
    private var open: [Int] = []

    /// - Throws: if it is not well-formed.
    init(_ html: HTML) throws {
        super.init()
        let parser = XMLParser(data: Data(html.markup.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    }

    func texts(of name: String, in parent: String) -> [String] {
        self.elements.filter { $0.name == name && $0.parents.contains(parent) }.map(\.text)
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        self.elements.append(
            Element(name: name, parents: self.open.map { self.elements[$0].name }, attributes: attributes)
        )
        self.open.append(self.elements.count - 1)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        self.open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        for index in self.open { self.elements[index].text += text }
    }
}
