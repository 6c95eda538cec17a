import IDCardCore
import Testing

@testable import IDCardPipeline

@Suite("The retry budget")
struct PacingRetryBudgetTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    /// Holds a budget where a condition can change it.
    private final class Holder {
        var budget: RetryBudget

        init(ratio: Double, floor: Double) {
            self.budget = RetryBudget(ratio: ratio, floor: floor)
        }

        func begin(isRetry: Bool, at now: Timestamp) -> Timestamp? { self.budget.begin(isRetry: isRetry, at: now) }
    }

    private static func call(isRetry: Bool, at time: Timestamp) -> PacedCall {
        PacedCall(number: 0, position: 1, isRetry: isRetry, startedAt: time)
    }

    @Test(
        "Ten seconds hold so many retries",
        arguments: [
            (firsts: 0, ratio: 0.2, floor: 1.0, retries: 10), (50, 0.2, 1, 20), (200, 0.2, 1, 50), (200, 0.2, 0, 40),
            (0, 0.2, 0.5, 5), (10, 1, 0, 10), (0, 0, 0, 1),
        ] as [(firsts: Int, ratio: Double, floor: Double, retries: Int)]
    )
    func allowance(firsts: Int, ratio: Double, floor: Double, retries: Int) {
        let holder = Holder(ratio: ratio, floor: floor)
        for _ in 0..<firsts { #expect(holder.begin(isRetry: false, at: Self.start) == nil) }
        let covered = (0..<300).prefix { _ in holder.begin(isRetry: true, at: Self.start) == nil }.count
        #expect(covered == retries)
    }

    @Test("Uncovered retries queue at the pace of the budget, none longer than half a minute; first attempts go on")
    func queue() {
        let holder = Holder(ratio: 0, floor: 1)
        for _ in 0..<10 { #expect(holder.begin(isRetry: true, at: Self.start) == nil) }
        let now = Self.start.advanced(by: .seconds(8))
        let waits = (0..<32).map { _ in
            holder.begin(isRetry: true, at: now).map { $0.duration(since: now).wholeMilliseconds / 1000 }
        }
        #expect(waits == (2...30).map { $0 } + [30, 30, 30])
        #expect(holder.begin(isRetry: false, at: now) == nil)
        #expect(holder.begin(isRetry: true, at: Self.start.advanced(by: .seconds(10))) == nil)
    }

    @Test("A retry that got an answer is handed back; a first attempt that was never sent earns none")
    func handedBack() {
        let holder = Holder(ratio: 1, floor: 0)
        for _ in 0..<100 {
            #expect(holder.begin(isRetry: true, at: Self.start) == nil)
            holder.budget.handBack(Self.call(isRetry: true, at: Self.start), wasAnswered: true)
        }
        for _ in 0..<5 {
            #expect(holder.begin(isRetry: false, at: Self.start) == nil)
            holder.budget.handBack(Self.call(isRetry: false, at: Self.start), wasAnswered: false)
        }
        #expect(holder.begin(isRetry: true, at: Self.start) == nil)
        #expect(holder.begin(isRetry: true, at: Self.start) != nil)
    }

    @Test("Under total failure no ten seconds hold more retries than the ratio and the floor", arguments: 1...5)
    func totalFailure(seed: UInt64) {
        let holder = Holder(ratio: 0.2, floor: 1)
        var random = SplitMix64(seed: seed)
        var now = Self.start
        var calls: [(time: Timestamp, isRetry: Bool)] = []
        for _ in 0..<5000 {
            let isRetry = Int.random(in: 0..<4, using: &random) > 0
            if holder.begin(isRetry: isRetry, at: now) == nil { calls.append((now, isRetry)) }
            now = now.advanced(by: .milliseconds(Int64.random(in: 0...40, using: &random)))
        }
        for (index, call) in calls.enumerated() where call.isRetry {
            let begin = call.time.advanced(by: .zero - RetryBudget.window)
            let window = calls[...index].suffix(while: { $0.time > begin })
            let retries = window.count { $0.isRetry }
            #expect(Double(retries) <= 0.2 * Double(window.count - retries) + 10)
        }
    }

    @Test("A sliding count forgets to the millisecond, and survives a clock that is set back")
    func slidingCount() {
        var count = SlidingCount(window: .seconds(10))
        for second in 0..<200 { count.add(at: Self.start.advanced(by: .seconds(second))) }
        #expect(count.count == 10)
        count.remove(at: Self.start.advanced(by: .seconds(195)))
        #expect(count.count == 9)
        count.remove(at: Self.start.advanced(by: .seconds(500)))
        #expect(count.count == 9)
        let last = Self.start.advanced(by: .seconds(199))
        #expect(count.time(whenAtMost: 8, at: last) == last.advanced(by: .seconds(1)))
        #expect(count.time(whenAtMost: 9, at: last) == last)
        count.add(at: Self.start)
        #expect(count.count == 10)
        count.expire(at: last.advanced(by: .milliseconds(9999)))
        #expect(count.count == 2)
        count.expire(at: last.advanced(by: .seconds(10)))
        #expect(count.count == 0)
    }
}

extension BidirectionalCollection {
    /// The longest end of the collection all of whose elements hold a condition.
    fileprivate func suffix(while condition: (Element) -> Bool) -> SubSequence {
        self[(self.lastIndex { !condition($0) }.map { self.index(after: $0) } ?? self.startIndex)...]
    }
}
