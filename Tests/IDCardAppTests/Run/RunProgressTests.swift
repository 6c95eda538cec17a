import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardApp

@Suite("How far a run is")
struct RunProgressTests {
    private static func card(_ state: CardState) throws -> Card {
        Card(
            id: CardID(rawValue: "card-1"),
            state: state,
            metadata: CardMetadata(businessNumber: try #require(BusinessNumber("R-1"))),
            intakeOrder: 1,
            createdAt: Timestamp(millisecondsSinceEpoch: 0),
            changedAt: Timestamp(millisecondsSinceEpoch: 0)
        )
    }

    @Test("Cards of an earlier run that end in this one never make more than all of them done")
    func backlog() throws {
        let progress = RunProgress()
        for state in [CardState.verified, .delivering, .delivered, .delivered, .rejected] {
            progress.observe(.cardChanged(try Self.card(state)))
            let figures = progress.current
            #expect(figures.verify.done <= figures.verify.total && figures.deliver.done <= figures.deliver.total)
        }
        #expect(progress.current.deliver.done == 2)
    }
}
