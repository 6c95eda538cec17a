import Testing

@testable import IDCardSandbox

/// When commits wait for company.
struct CommitPaceTests {
    private static let start = ContinuousClock.now

    private func delays(_ pace: CommitPace, every interval: Duration, count: Int) -> [Duration] {
        var pace = pace
        return (0..<count).map { pace.arrived(at: Self.start + interval * $0) }
    }

    @Test("Changes that follow each other closely wait for four more, once it is clear that they do")
    func busy() {
        let pace = CommitPace(longest: .milliseconds(25))
        for (interval, delay) in [(1, 4), (2, 8), (6, 24), (10, 25), (12, 25)] {
            let delays = self.delays(pace, every: .milliseconds(interval), count: 40)
            #expect(
                delays == Array(repeating: .zero, count: 16) + Array(repeating: .milliseconds(delay), count: 24),
                "every \(interval) ms"
            )
        }
    }

    @Test("Those that have come meanwhile are not waited for")
    func waiting() {
        var pace = CommitPace(longest: .milliseconds(25))
        for number in 0..<20 { _ = pace.arrived(at: Self.start + .milliseconds(number)) }
        let delays = (0...5).map { pace.delay(at: Self.start + .milliseconds(20), waiting: $0) }
        #expect(delays == [4, 3, 2, 1, 0, 0].map(Duration.milliseconds))
    }

    @Test("Changes that come one by one, or a few at a time, wait for nothing")
    func calm() {
        let pace = CommitPace(longest: .milliseconds(25))
        #expect(Set(self.delays(pace, every: .milliseconds(13), count: 100)) == [.zero])
        #expect(self.delays(pace, every: .zero, count: 16) == Array(repeating: .zero, count: 16))
    }

    @Test("Without a delay nothing ever waits")
    func never() {
        #expect(Set(self.delays(CommitPace(longest: .zero), every: .zero, count: 100)) == [.zero])
    }
}
