import CardModel
import TestSupport
import Testing

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(base: .seconds(1), cap: .seconds(60))

    @Test func `The bound doubles with each failure up to the cap`() {
        let bounds = (0...9).map { self.policy.bound(afterAttempt: $0) }
        #expect(bounds == [1, 1, 2, 4, 8, 16, 32, 60, 60, 60].map { Duration.seconds($0) })
        #expect(self.policy.bound(afterAttempt: .max) == .seconds(60))
    }

    @Test func `The delay is drawn from all of 0 to the bound`() {
        var random = SeededRandom(seed: 3)
        let delays = (0..<2000).map { _ in self.policy.delay(afterAttempt: 4, using: &random) }
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .seconds(8) })
        let eighths = Set(delays.map { $0.wholeMilliseconds / 1000 })
        #expect(eighths.isSuperset(of: Set<Int64>(0...7)), "the jitter is not full")
    }
}
