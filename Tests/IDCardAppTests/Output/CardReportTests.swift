import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardApp

@Suite("What cards show prints of one card")
struct CardReportTests {
    @Test("What remote sides said of it is printed only where it is revealed", arguments: [true, false])
    func message(isRevealed: Bool) throws {
        let card = Card(
            id: CardID(rawValue: "card-1"),
            state: .rejected,
            reason: ReasonCode(rawValue: "100007"),
            message: "the backend refused the document (100007: someone else's name)",
            metadata: CardMetadata(businessNumber: try #require(BusinessNumber("CASE-1"))),
            intakeOrder: 1,
            createdAt: Timestamp(millisecondsSinceEpoch: 0),
            changedAt: Timestamp(millisecondsSinceEpoch: 0)
        )
        let details = CardDetails(card: card, reading: nil, imageByteCount: nil, events: [])
        let report = CardReport(details, reveal: isRevealed)
        for text in [JSONText.document(report), report.lines.joined(separator: "\n")] {
            #expect(text.contains("someone else") == isRevealed)
            #expect(text.contains("100007"))
        }
    }
}
