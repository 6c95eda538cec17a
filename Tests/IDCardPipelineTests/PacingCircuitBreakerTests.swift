import IDCardCore
import Testing

@testable import IDCardPipeline

@Suite("The breaker")
struct PacingCircuitBreakerTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private final class Driver {
        var breaker: CircuitBreaker
        var now = PacingCircuitBreakerTests.start
        private var number: UInt64 = 0

        init(failures: Int = 10) {
            self.breaker = CircuitBreaker(failures: failures, openFor: .seconds(10), cap: .seconds(120))
        }

        func call() -> PacedCall {
            defer { self.number += 1 }
            return PacedCall(number: self.number, position: 1, startedAt: self.now)
        }

        @discardableResult
        func fail(_ call: PacedCall? = nil) -> Timestamp? {
            let call = call ?? self.call()
            return self.breaker.failed(call, next: self.number, at: self.now)
        }

        @discardableResult
        func answer(_ call: PacedCall? = nil) -> Bool {
            self.breaker.answered(call ?? self.call(), at: self.now)
        }

        var admission: CircuitBreaker.Admission { self.breaker.admission(at: self.now) }
    }

    @Test("So many failures in a row open it; an answer in between begins the count anew", arguments: [1, 3, 10])
    func inARow(failures: Int) {
        let driver = Driver(failures: failures)
        for _ in 1..<failures { #expect(driver.fail() == nil) }
        driver.answer()
        for _ in 1..<failures { #expect(driver.fail() == nil) }
        #expect(driver.admission == .all)
        let until = Self.start.advanced(by: .seconds(10))
        #expect(driver.fail() == until)
        #expect(driver.admission == .none(until: until))
    }

    @Test("After its time one call decides: failures double the time up to the cap, an answer closes it")
    func halfOpen() {
        let driver = Driver(failures: 1)
        var intervals: [Int64] = []
        for _ in 0..<6 {
            guard let until = driver.fail() else { break }
            intervals.append(until.duration(since: driver.now).wholeMilliseconds / 1000)
            driver.now = until.advanced(by: .milliseconds(-1))
            #expect(driver.admission == .none(until: until))
            driver.now = until
            #expect(driver.admission == .one)
        }
        #expect(intervals == [10, 20, 40, 80, 120, 120])
        #expect(driver.answer())
        #expect(driver.admission == .all)
        #expect(driver.fail() == driver.now.advanced(by: .seconds(10)), "the doubling did not begin anew")
    }

    @Test("Calls that began before it opened decide nothing")
    func lateCalls() {
        let driver = Driver(failures: 2)
        let late = (0..<4).map { _ in driver.call() }
        driver.fail(late[0])
        let until = driver.fail(late[1])
        #expect(until != nil)
        driver.now = driver.now.advanced(by: .seconds(11))
        #expect(driver.fail(late[2]) == nil)
        #expect(!driver.answer(late[3]))
        #expect(driver.admission == .one)
    }

    @Test(
        "More than half of twenty calls or more, over a whole window, open it",
        arguments: [(calls: 40, failuresOfTen: 6, opens: true), (40, 5, false), (40, 3, false), (12, 6, false)]
    )
    func share(calls: Int, failuresOfTen: Int, opens: Bool) {
        let driver = Driver(failures: 100)
        var hasOpened = false
        for index in 0..<calls * 2 {
            driver.now = Self.start.advanced(by: .seconds(10) * index / calls)
            if index % 10 < failuresOfTen {
                hasOpened = driver.fail() != nil || hasOpened
            } else {
                driver.answer()
            }
            if driver.now < Self.start.advanced(by: .seconds(10)) {
                #expect(!hasOpened, "a bad start is not sustained")
            }
            if hasOpened { break }
        }
        #expect(hasOpened == opens)
    }
}
