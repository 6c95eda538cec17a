import NIOCore
import Testing

@testable import OutboundHTTP

/// The clockwork behind the idle timeouts, without a socket.
struct IdleClockTests {
    private typealias Sight = IdleClock.Sight

    private func verdict(_ sights: [(second: Int64, sight: IdleClock.Sight)]) -> IdleClock.Verdict? {
        let limits = IdleLimits(write: .seconds(10), read: .seconds(20))
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var clock = IdleClock(limits, now: start)
        var verdict: IdleClock.Verdict?
        for (second, sight) in sights where verdict == nil {
            verdict = clock.look(sight, now: start + .seconds(second))
        }
        return verdict
    }

    @Test("Nothing taken for ten seconds is idle, ten seconds counted from the last progress")
    func write() {
        let first = Sight(requestSent: false, written: 100, buffered: 90, received: 0)
        var second = first
        second.buffered = 89
        #expect(self.verdict([(0, first), (9, first)]) == nil)
        #expect(self.verdict([(0, first), (10, first)]) == .write)
        #expect(self.verdict([(0, first), (9, second), (18, second)]) == nil)
        #expect(self.verdict([(0, first), (9, second), (19, second)]) == .write)
    }

    @Test("A source that is slow is not the remote's fault")
    func source() {
        let waiting = Sight(requestSent: false, written: 100, buffered: 0, received: 0)
        #expect(self.verdict([(0, waiting), (100, waiting), (1000, waiting)]) == nil)
    }

    @Test("After the request the other limit counts, from its end on")
    func read() {
        let writing = Sight(requestSent: false, written: 100, buffered: 1, received: 0)
        let sent = Sight(requestSent: true, written: 100, buffered: 0, received: 0)
        var answering = sent
        answering.received = 1
        #expect(self.verdict([(0, writing), (9, sent), (28, sent)]) == nil)
        #expect(self.verdict([(0, writing), (9, sent), (29, sent)]) == .read)
        #expect(self.verdict([(0, writing), (9, sent), (28, answering), (47, answering)]) == nil)
        #expect(self.verdict([(0, writing), (9, sent), (28, answering), (48, answering)]) == .read)
    }

    @Test("Without limits there is no clock")
    func unlimited() {
        #expect(IdleLimits(write: nil, read: nil).tick == nil)
        #expect(IdleLimits(write: .seconds(30), read: nil).tick == .seconds(1))
        #expect(IdleLimits(write: .seconds(30), read: .milliseconds(200)).tick == .milliseconds(50))
        #expect(IdleLimits(write: .milliseconds(1), read: nil).tick == .milliseconds(5))
    }
}
