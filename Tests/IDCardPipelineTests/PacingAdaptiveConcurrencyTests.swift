import IDCardCore
import Testing

@testable import IDCardPipeline

@Suite("The learned concurrency")
struct PacingAdaptiveConcurrencyTests {
    /// Drives the machine: every call begins with as many beside it as the limit allows.
    private final class Driver {
        var machine: AdaptiveConcurrency
        var now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)
        private var number: UInt64 = 0

        init(maximum: Int, startingAt start: Int = 1) {
            self.machine = AdaptiveConcurrency(maximum: maximum, startingAt: start)
        }

        func call(position: Int? = nil) -> PacedCall {
            defer { self.number += 1 }
            return PacedCall(number: self.number, position: position ?? self.machine.limit, startedAt: self.now)
        }

        func answer(_ call: PacedCall, isLimiting: Bool = true) {
            self.machine.answered(call, isLimiting: isLimiting, next: self.number, at: self.now)
        }

        func throttle(_ call: PacedCall) {
            self.machine.throttled(call, next: self.number, at: self.now)
        }

        /// Lets so many calls begin and be answered, one by one; returns the limits on the way.
        func answers(_ count: Int, isLimiting: Bool = true) -> [Int] {
            (0..<count).map { _ in
                self.answer(self.call(), isLimiting: isLimiting)
                return self.machine.limit
            }
        }

        func wait(_ duration: Duration) {
            self.now = self.now.advanced(by: duration)
        }
    }

    @Test("It starts with one and grows with every answer up to the configured concurrency", arguments: [1, 2, 5, 32])
    func start(maximum: Int) {
        let driver = Driver(maximum: maximum)
        #expect(driver.machine.limit == 1)
        #expect(driver.answers(maximum + 1) == (2...(maximum + 2)).map { min($0, maximum) })
    }

    @Test("A stage with little to do learns nothing")
    func idle() {
        let driver = Driver(maximum: 8)
        #expect(driver.answers(20, isLimiting: false).allSatisfy { $0 == 1 })
    }

    @Test(
        "A throttled call halves the limit or what was under way, whichever is less; the one below was good",
        arguments: [
            (limit: 8, position: 8, after: 4, ceiling: 7), (limit: 8, position: 5, after: 2, ceiling: 4),
            (limit: 5, position: 9, after: 2, ceiling: 4), (limit: 2, position: 2, after: 1, ceiling: 1),
            (limit: 1, position: 1, after: 1, ceiling: 1), (limit: 32, position: 1, after: 1, ceiling: 1),
        ]
    )
    func halves(limit: Int, position: Int, after: Int, ceiling: Int) {
        let driver = Driver(maximum: 32, startingAt: limit)
        driver.throttle(driver.call(position: position))
        #expect(driver.machine.limit == after)
        #expect(driver.machine.ceiling == ceiling)
        #expect(driver.machine.heldUntil == driver.now.advanced(by: .seconds(30)))
    }

    @Test("Throttled calls of one wave count once, and show what was good")
    func wave() {
        let driver = Driver(maximum: 32, startingAt: 8)
        let wave = (1...8).map { driver.call(position: $0) }
        driver.throttle(wave[7])
        #expect((driver.machine.limit, driver.machine.ceiling) == (4, 7))
        driver.throttle(wave[6])
        driver.throttle(wave[5])
        #expect((driver.machine.limit, driver.machine.ceiling) == (4, 5))
        // Those that were let through began before the cut: they say nothing of what follows it.
        for call in wave[..<4] { driver.answer(call) }
        #expect(driver.machine.limit == 4)
        driver.throttle(driver.call())
        #expect(driver.machine.limit == 2)
    }

    @Test("After a throttled call it grows by one after as many answers as the limit, and stops at what was good")
    func regrowth() {
        let driver = Driver(maximum: 8, startingAt: 8)
        driver.throttle(driver.call(position: 6))
        #expect(driver.machine.limit == 3)
        #expect(driver.answers(9) == [3, 3, 4, 4, 4, 4, 5, 5, 5])
        driver.wait(.seconds(29))
        _ = driver.answers(300)
        #expect(driver.machine.limit == 5)
        driver.wait(.seconds(1))
        #expect(driver.answers(1) == [6])
    }

    @Test("Tries beyond what was good are 30 s apart, then twice as long, up to ten minutes")
    func doubling() {
        let driver = Driver(maximum: 8)
        _ = driver.answers(1)
        var holds: [Int64] = []
        for _ in 0..<7 {
            driver.throttle(driver.call(position: 2))
            #expect(driver.machine.limit == 1)
            let hold = driver.machine.heldUntil?.duration(since: driver.now) ?? .zero
            holds.append(hold.wholeMilliseconds / 1000)
            driver.wait(hold - .milliseconds(1))
            #expect(driver.answers(300).allSatisfy { $0 == 1 })
            driver.wait(.milliseconds(1))
            #expect(driver.answers(1) == [2])
        }
        #expect(holds == [30, 60, 120, 240, 480, 600, 600])
    }

    @Test("A try that holds becomes what is good, and the next failure is held for 30 s again")
    func holds() {
        let driver = Driver(maximum: 8)
        _ = driver.answers(1)
        for hold in [30, 60, 120] {
            driver.throttle(driver.call(position: 2))
            driver.wait(.seconds(hold))
            _ = driver.answers(200)
            #expect(driver.machine.limit == 2)
        }
        #expect(driver.machine.ceiling == 1)
        // Two answers with two under way: the endpoint allows more by now. On it goes.
        #expect(driver.answers(2) == [2, 3])
        #expect(driver.machine.ceiling == 2)
        driver.throttle(driver.call(position: 3))
        #expect((driver.machine.limit, driver.machine.ceiling) == (1, 2))
        #expect(driver.machine.heldUntil == driver.now.advanced(by: .seconds(30)))
    }

    @Test("With slow calls there are two hundred answers between two tries, or ten minutes")
    func slowCalls() {
        let driver = Driver(maximum: 8)
        _ = driver.answers(1)
        driver.throttle(driver.call(position: 2))
        driver.wait(.seconds(31))
        #expect(driver.answers(199).allSatisfy { $0 == 1 })
        #expect(driver.answers(1) == [2])
        driver.throttle(driver.call(position: 2))
        driver.wait(.seconds(599))
        #expect(driver.answers(1) == [1])
        driver.wait(.seconds(1))
        #expect(driver.answers(1) == [2])
    }
}
