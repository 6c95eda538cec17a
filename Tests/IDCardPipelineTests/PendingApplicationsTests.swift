import IDCardCore
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardPipeline

@Suite("Business numbers to be decided on", .timeLimit(.minutes(Sanitizer.minutes(1))))
struct PendingApplicationsTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private static func numbers(_ name: String, _ count: Int) throws -> [BusinessNumber] {
        try (0..<count).map { try #require(BusinessNumber("\(name)-\($0)")) }
    }

    @Test("They come in the order in which they changed, each once until it is taken")
    func order() throws {
        let pending = PendingApplications()
        let numbers = try Self.numbers("A", 5)
        for number in numbers + numbers { pending.touch(number) }
        #expect(pending.nextDue(now: Self.start) == Self.start)
        #expect(pending.take(2, now: Self.start) == Array(numbers[..<2]))
        pending.touch(numbers[0])
        pending.touch(numbers[3])
        #expect(pending.take(9, now: Self.start) == Array(numbers[2...]) + [numbers[0]])
        #expect(pending.take(9, now: Self.start) == [])
        #expect(pending.nextDue(now: Self.start) == nil)
    }

    @Test("Waits end at their time, and the last word on each counts")
    func waits() throws {
        let pending = PendingApplications()
        let numbers = try Self.numbers("A", 4)
        let second = { (count: Int) in Self.start.advanced(by: .seconds(count)) }
        for (number, seconds) in zip(numbers, [4, 2, 3, 1]) { pending.wait(number, until: second(seconds)) }
        pending.wait(numbers[3], until: second(9))
        pending.wait(numbers[3], until: second(1))
        pending.wait(numbers[1], until: nil)
        #expect(pending.nextDue(now: Self.start) == second(1))
        #expect(pending.take(9, now: Self.start) == [])
        #expect(pending.take(9, now: second(3)) == [numbers[3], numbers[2]])
        #expect(pending.nextDue(now: second(3)) == second(4))
        // The time that was taken back does not come to life again.
        #expect(pending.take(9, now: second(20)) == [numbers[0]])
        #expect(pending.nextDue(now: second(20)) == nil)
    }

    @Test("The start of a service moves with its clock: ahead when that jumps, back when that was ahead")
    func serviceStart() throws {
        let now = Mutex(Self.start)
        let steady = Mutex(SuspendingClock.now)
        let time = PipelineTime(
            now: { now.withLock { $0 } },
            sleep: { _ in },
            steady: { steady.withLock { $0 } }
        )
        let pass = { (wall: Duration, real: Duration) in
            now.withLock { $0 = $0.advanced(by: wall) }
            steady.withLock { $0 += real }
        }
        let pending = PendingApplications()
        #expect(pending.serviceStart(time) == nil)
        pending.beginService(time)
        pass(.seconds(900), .seconds(900))
        #expect(pending.serviceStart(time) == Self.start)
        pass(.seconds(3600), .seconds(1))
        let ahead = Self.start.advanced(by: .seconds(4500))
        #expect(pending.serviceStart(time) == ahead)
        pass(.seconds(-4000), .seconds(1))
        let right = Self.start.advanced(by: .seconds(500))
        #expect(pending.serviceStart(time) == right)
        pass(.seconds(900), .seconds(900))
        #expect(pending.serviceStart(time) == right)
    }

    @Test("What arrives counts only where something waits for it")
    func arrivals() throws {
        let pending = PendingApplications()
        let number = try Self.numbers("A", 1)[0]
        #expect(!pending.touchIfWaiting(number))
        pending.touch(number)
        #expect(pending.take(9, now: Self.start) == [number])
        // While it is being decided on, and as long as the decision left something.
        #expect(pending.touchIfWaiting(number))
        #expect(pending.take(9, now: Self.start) == [number])
        pending.wait(number, until: nil, hasVerified: true)
        #expect(pending.touchIfWaiting(number))
        #expect(pending.take(9, now: Self.start) == [number])
        pending.wait(number, until: nil, hasVerified: false)
        #expect(!pending.touchIfWaiting(number))
        #expect(pending.take(9, now: Self.start) == [])
    }

    @Test("Many that wait and many that changed are taken a few at a time, in no more than the time of the test")
    func many() throws {
        let pending = PendingApplications()
        let later = Self.start.advanced(by: .seconds(9))
        for number in try Self.numbers("W", 50_000) { pending.wait(number, until: later) }
        let changed = try Self.numbers("C", 50_000)
        for number in changed { pending.touch(number) }
        var taken = 0
        while let number = pending.take(1, now: Self.start).first {
            #expect(number == changed[taken])
            taken += 1
        }
        #expect(taken == changed.count)
    }
}
