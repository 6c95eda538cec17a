import IDCardCore
import Testing

@testable import IDCardApp

@Suite("The report of a run in pieces")
struct RunReportTests {
    private static func report(_ count: Int?) -> RunReport {
        let cards = count.map { count in
            RunReports(count: count) { index in
                var card = RunCardReport(source: "照片/\(index).jpg", state: CardState.rejected.rawValue)
                card.message = "two\nlines, a \"quote\" and a /"
                return card
            }
        }
        return RunReport(runID: "run", counts: RunCounts(), cards: cards)
    }

    @Test("Written in pieces a report is what it is as one document", arguments: [nil, 0, 1, 63, 64, 65, 200])
    func pieces(count: Int?) {
        let report = Self.report(count)
        var pieces: [String] = []
        report.write { pieces.append($0) }
        // As the console does with a text that does not end its line.
        let text = pieces.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined()
        #expect(text == JSONText.document(report) + "\n")
        #expect(pieces.count <= 3 + (count ?? 0) / 64 + 1)
    }
}
