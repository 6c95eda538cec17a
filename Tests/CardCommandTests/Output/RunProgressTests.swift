import CardModel
import TestSupport
import Testing

@testable import CardCommand

/// What the progress of a run shows.
@Suite struct RunProgressTests {
    private static func throttled(_ failureClass: FailureClass) -> RemoteFailure {
        RemoteFailure(failureClass, code: "http_429", message: "slow down", httpStatus: 429)
    }

    @Test func `A card counts once in each stage, however often it comes by`() {
        var figures = RunProgress()
        let cards = ["a", "b", "c"].map(CardID.init(rawValue:))
        for card in cards { figures.count(.prepared, of: card) }
        // It comes back from a delivery that was not applied, and is judged again.
        for state: CardState in [.verified, .delivering, .verified, .held, .prepared, .verified] {
            figures.count(state, of: cards[0])
        }
        figures.count(.rejected, of: cards[1])
        #expect(figures.plain.text().contains("verified 2/3, delivered 0"))
        for _ in 1...2 { figures.count(.delivered, of: cards[0]) }
        #expect(figures.plain.text().contains("verified 2/3, delivered 1"))
        // What is rejected before it is prepared was never to be verified.
        figures.count(.rejected, of: CardID(rawValue: "d"))
        figures.count(.verified, of: CardID(rawValue: "e"))
        #expect(figures.plain.text().contains("verified 3/4, delivered 1"))
    }

    @Test func `A rate is that since the earlier counts, and tells the time left`() {
        var figures = RunProgress()
        figures.intake = RunProgress.Counts(done: 100, total: 400)
        let past = figures.counts
        #expect(figures.lines(since: past, over: .seconds(10))[0] == "intake  100/400")
        figures.intake.done = 200
        #expect(figures.lines(since: past, over: .seconds(10))[0] == "intake  200/400  10.0/s  20s left")
    }

    @Test func `A stage that is throttled is slower, one that fails fails`() {
        var figures = RunProgress()
        figures.lastFailures[.verify] = Self.throttled(.throttled)
        #expect(figures.plain.text().hasSuffix("verify is slower: http_429"))
        let past = figures.counts
        figures.count(.prepared, of: CardID(rawValue: "a"))
        #expect(figures.lines(since: past, over: .seconds(10))[1] == "verify  0/1  slower: http_429")
        figures.lastFailures[.verify] = Self.throttled(.transient)
        #expect(figures.plain.text().hasSuffix("verify fails: http_429"))
        #expect(figures.lines(since: past, over: .seconds(10))[1] == "verify  0/1  fails: http_429")
    }
}
