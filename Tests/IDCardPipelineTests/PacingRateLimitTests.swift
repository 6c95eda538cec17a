import IDCardCore
import Testing

@testable import IDCardPipeline

@Suite("A fixed rate")
struct PacingRateLimitTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    /// Holds a limit where a condition can change it.
    private final class Holder {
        var limit: RateLimit

        init(perSecond rate: Double) {
            self.limit = RateLimit(perSecond: rate)
        }

        func take(at now: Timestamp) -> Bool { self.limit.take(at: now) }
    }

    @Test(
        "Calls begin exactly as far apart as the rate says",
        arguments: [
            (0.5, [0, 2000, 4000]), (1, [0, 1000, 2000]), (3, [0, 334, 668]), (10, [0, 100, 200]),
        ] as [(Double, [Int64])]
    )
    func spacing(rate: Double, times: [Int64]) {
        let holder = Holder(perSecond: rate)
        var now = Self.start
        for time in times {
            now = holder.limit.nextCall(at: now)
            #expect(now == Self.start.advanced(by: .milliseconds(time)))
            #expect(holder.limit.available(at: now) == 1)
            #expect(holder.take(at: now))
            #expect(!holder.take(at: now), "a second call in the same moment")
        }
    }

    @Test(
        "However late the calls come, no second holds more than the rate and one burst",
        arguments: [1.0, 7, 50, 400]
    )
    func bound(rate: Double) {
        let holder = Holder(perSecond: rate)
        var random = SplitMix64(seed: 3)
        var now = Self.start
        var taken: [Timestamp] = []
        while now < Self.start.advanced(by: .seconds(20)) {
            if holder.take(at: now) { taken.append(now) } else { now = holder.limit.nextCall(at: now) }
            now = now.advanced(by: .milliseconds(Int64.random(in: 0...4, using: &random)))
        }
        let burst = max(1, Int(rate / 10))
        for (index, time) in taken.enumerated() {
            let end = time.advanced(by: .seconds(1))
            #expect(taken[index...].prefix { $0 < end }.count <= Int(rate) + burst)
        }
        #expect(Double(taken.count) >= 20 * rate * 0.95, "the rate was not used")
    }

    @Test("An idle hour earns one burst, and a clock set back an hour costs one")
    func clock() {
        let holder = Holder(perSecond: 1)
        #expect(holder.take(at: Self.start))
        let later = Self.start.advanced(by: .seconds(3600))
        #expect(holder.limit.available(at: later) == 1)
        #expect(holder.take(at: later))
        #expect(holder.limit.nextCall(at: Self.start) == Self.start.advanced(by: .seconds(1)))
    }
}
