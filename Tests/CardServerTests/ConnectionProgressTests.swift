import Testing

@testable import CardServer

/// The rules of time on a connection, without a clock.
struct ConnectionProgressTests {
    private static var limits: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.headTime = .seconds(10)
        limits.idleTime = .seconds(60)
        limits.bodyStandstill = .seconds(15)
        limits.bodyGrace = .seconds(20)
        limits.bodyBytesPerSecond = 1_000
        limits.writeTime = .seconds(30)
        limits.lingerTime = .seconds(2)
        return limits
    }

    @Test func `the first head is due from the opening on, however it drips`() {
        var progress = ConnectionProgress(limits: Self.limits, at: .seconds(100))
        #expect(progress.deadline?.at == .seconds(110))
        #expect(progress.deadline?.overdue == .silence)
        let isTooMuch = progress.receivePartOfHead(1, at: .seconds(101))
        #expect(!isTooMuch)
        let isStillTooMuch = progress.receivePartOfHead(1, at: .seconds(109))
        #expect(!isStillTooMuch)
        #expect(progress.deadline?.at == .seconds(111))
        #expect(progress.deadline?.overdue == .head)
    }

    @Test func `a head without end is one too many bytes at the limit`() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        let isTooMuch = progress.receivePartOfHead(Limits.headBytes, at: .zero)
        #expect(!isTooMuch)
        let isOneTooMuch = progress.receivePartOfHead(1, at: .zero)
        #expect(isOneTooMuch)
    }

    @Test func `between requests there is more time, until the next one begins`() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        progress.receiveHead()
        progress.receiveEnd(at: .seconds(1))
        #expect(progress.deadline == nil)
        progress.beginAnswer(at: .seconds(5))
        #expect(progress.deadline?.overdue == .answer)
        #expect(progress.deadline?.at == .seconds(35))
        let ending = progress.endAnswer()
        #expect(ending == .next)
        progress.flush(at: .seconds(6))
        #expect(progress.deadline?.at == .seconds(66))
        _ = progress.receivePartOfHead(1, at: .seconds(50))
        #expect(progress.deadline?.at == .seconds(60))
        #expect(progress.deadline?.overdue == .head)
    }

    @Test func `an idle connection outlives the minute that proxies keep theirs`() {
        var progress = ConnectionProgress(limits: ConnectionLimits(), at: .zero)
        progress.receiveHead()
        progress.receiveEnd(at: .zero)
        progress.beginAnswer(at: .zero)
        _ = progress.endAnswer()
        progress.flush(at: .zero)
        #expect(progress.deadline.map { $0.at >= .seconds(70) && $0.overdue == .silence } == true)
    }

    @Test func `an answer before the end of its body ends the connection, after the rest was read away`() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        progress.receiveHead()
        progress.beginAnswer(at: .zero)
        let ending = progress.endAnswer()
        #expect(ending == .linger)
        progress.linger(at: .seconds(7))
        #expect(progress.deadline?.at == .seconds(9))
    }

    @Test func `the answer to the first of two requests does not end the second's body`() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        progress.receiveHead()
        progress.receiveEnd(at: .zero)
        progress.receiveHead()
        let ending = progress.endAnswer()
        #expect(ending == .next)
        #expect(progress.isInBody)
        progress.receiveEnd(at: .zero)
        progress.close(after: 1)
        let last = progress.endAnswer()
        #expect(last == .close)
    }

    @Test func `time counts against a body only while it is waited for`() {
        var pace = BodyPace(limits: Self.limits)
        #expect(pace.deadline == nil)
        pace.beginWaiting(at: .seconds(0))
        #expect(pace.deadline == .seconds(15))
        pace.receive(1_000, at: .seconds(14))
        #expect(pace.deadline == nil)
        // Nobody wanted anything for an hour.
        pace.beginWaiting(at: .seconds(3_614))
        // 20 s of grace and 1 s for 1,000 bytes, of which 14 s are used up.
        #expect(pace.deadline == .seconds(3_614 + 7))
        pace.receive(1, at: .seconds(3_620))
        pace.beginWaiting(at: .seconds(3_620))
        #expect(pace.deadline == .seconds(3_621) + .milliseconds(1))
    }

    @Test func `what came fast buys no more than the grace and a standstill, however much it is`() {
        var pace = BodyPace(limits: Self.limits)
        pace.beginWaiting(at: .zero)
        pace.receive(44 << 20, at: .seconds(1))
        // Then a byte every ten seconds.
        var time = Duration.seconds(1)
        pace.beginWaiting(at: time)
        while let deadline = pace.deadline, deadline > time + .seconds(10), time < .seconds(3_600) {
            time += .seconds(10)
            pace.receive(1, at: time)
            pace.beginWaiting(at: time)
        }
        #expect(time == .seconds(31))
        // 20 s and 15 s, of which 30 s are used up.
        #expect(pace.deadline.map { $0 < .seconds(37) } == true)
    }

    @Test func `a body with a total time ends by it, however it comes, and its successor has its own`() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        progress.receiveHead()
        progress.limitBody(until: .seconds(30))
        for second in 0..<29 {
            progress.beginWaiting(at: .seconds(second))
            progress.receiveBody(1 << 20, at: .seconds(second + 1))
        }
        #expect(progress.deadline == nil)
        progress.beginWaiting(at: .seconds(29))
        #expect(progress.deadline?.at == .seconds(30))
        #expect(progress.deadline?.overdue == .body)
        progress.receiveEnd(at: .seconds(29))
        progress.receiveHead()
        progress.beginWaiting(at: .seconds(29))
        #expect(progress.deadline?.at == .seconds(29 + 15))
    }

    @Test func `the total time of an unsigned body lets the largest one through on a line of 256 kB a second`() {
        let limits = ConnectionLimits()
        let largest = (32 << 20) / 3 * 4 + Limits.formOverheadBytes
        #expect(limits.unsignedTime(of: largest) > .seconds(largest) / 256_000)
        // And holds one that drips no longer than it would have needed.
        #expect(limits.unsignedTime(of: 22_000_000) == .seconds(120))
    }

    @Test func `a body that comes fast enough may take as long as it needs`() {
        var pace = BodyPace(limits: Self.limits)
        let late = (0..<10_000).filter { second in
            pace.beginWaiting(at: .seconds(second))
            defer { pace.receive(1_000, at: .seconds(second + 1)) }
            return pace.deadline.map { $0 <= .seconds(second + 1) } ?? true
        }
        #expect(late == [])
    }
}
