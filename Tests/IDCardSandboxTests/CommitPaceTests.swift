import Testing

@testable import IDCardSandbox

/// When commits wait for company.
struct CommitPaceTests {
    private static let start = ContinuousClock.now

    private func delays(_ pace: CommitPace, every interval: Duration, count: Int) -> [Duration] {
        var pace = pace
        return (0..<count).map { pace.arrived(at: Self.start + interval * $0) }
    }

    @Test("Changes that follow each other closely are gathered, once it is clear that they do")
    func busy() {
        let delays = self.delays(CommitPace(delay: .milliseconds(4)), every: .milliseconds(2), count: 20)
        #expect(delays == Array(repeating: .zero, count: 8) + Array(repeating: .milliseconds(4), count: 12))
    }

    @Test("Changes that come one by one, or a few at a time, wait for nothing")
    func calm() {
        let pace = CommitPace(delay: .milliseconds(4))
        #expect(Set(self.delays(pace, every: .milliseconds(3), count: 100)) == [.zero])
        #expect(self.delays(pace, every: .zero, count: 8) == Array(repeating: .zero, count: 8))
    }

    @Test("Without a delay nothing ever waits")
    func never() {
        #expect(Set(self.delays(CommitPace(delay: .zero), every: .zero, count: 100)) == [.zero])
    }
}
