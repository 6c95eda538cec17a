import Testing

@testable import IDCardServer

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
        limits.headBytes = 100
        return limits
    }

    @Test("The first head is due from the opening on, however it drips")
    func drippingHead() {
        var progress = ConnectionProgress(limits: Self.limits, at: .seconds(100))
        #expect(progress.deadline?.at == .seconds(110))
        #expect(progress.deadline?.overdue == .silence)
        let isTooMuch1 = progress.receivePartOfHead(1, at: .seconds(101))
        #expect(!isTooMuch1)
        let isTooMuch2 = progress.receivePartOfHead(1, at: .seconds(109))
        #expect(!isTooMuch2)
        #expect(progress.deadline?.at == .seconds(111))
        #expect(progress.deadline?.overdue == .head)
    }

    @Test("A head without end is one too many bytes at the limit")
    func endlessHead() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        let isTooMuch3 = progress.receivePartOfHead(100, at: .zero)
        #expect(!isTooMuch3)
        let isTooMuch4 = progress.receivePartOfHead(1, at: .zero)
        #expect(isTooMuch4)
    }

    @Test("Between requests there is more time, until the next one begins")
    func idle() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        progress.receiveHead()
        progress.receiveEnd(at: .seconds(1))
        #expect(progress.deadline == nil)
        progress.beginAnswer(at: .seconds(5))
        #expect(progress.deadline?.overdue == .answer)
        #expect(progress.deadline?.at == .seconds(35))
        let ending5 = progress.endAnswer()
        #expect(ending5 == .next)
        progress.flush(at: .seconds(6))
        #expect(progress.deadline?.at == .seconds(66))
        _ = progress.receivePartOfHead(1, at: .seconds(50))
        #expect(progress.deadline?.at == .seconds(60))
        #expect(progress.deadline?.overdue == .head)
    }

    @Test("An answer before the end of its body ends the connection, after the rest was read away")
    func early() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        progress.receiveHead()
        progress.beginAnswer(at: .zero)
        let ending6 = progress.endAnswer()
        #expect(ending6 == .linger)
        progress.linger(at: .seconds(7))
        #expect(progress.deadline?.at == .seconds(9))
    }

    @Test("The answer to the first of two requests does not end the second's body")
    func pipelined() {
        var progress = ConnectionProgress(limits: Self.limits, at: .zero)
        progress.receiveHead()
        progress.receiveEnd(at: .zero)
        progress.receiveHead()
        let ending7 = progress.endAnswer()
        #expect(ending7 == .next)
        #expect(progress.isInBody)
        progress.receiveEnd(at: .zero)
        progress.endsWithAnswer = true
        let ending8 = progress.endAnswer()
        #expect(ending8 == .close)
    }

    @Test("Time counts against a body only while it is waited for")
    func pace() {
        var pace = BodyPace(limits: Self.limits)
        #expect(pace.deadline == nil)
        pace.wait(at: .seconds(0))
        #expect(pace.deadline == .seconds(15))
        pace.receive(1_000, at: .seconds(14))
        #expect(pace.deadline == nil)
        // Nobody wanted anything for an hour.
        pace.wait(at: .seconds(3_614))
        // 20 s of grace and 1 s for 1,000 bytes, of which 14 s are used up.
        #expect(pace.deadline == .seconds(3_614 + 7))
        pace.receive(1, at: .seconds(3_620))
        pace.wait(at: .seconds(3_620))
        #expect(pace.deadline == .seconds(3_621) + .milliseconds(1))
    }

    @Test("What came fast buys no more than the grace and a standstill, however much it is")
    func burst() {
        var pace = BodyPace(limits: Self.limits)
        pace.wait(at: .zero)
        pace.receive(44 << 20, at: .seconds(1))
        // Then a byte every ten seconds.
        var time = Duration.seconds(1)
        pace.wait(at: time)
        while let deadline = pace.deadline, deadline > time + .seconds(10), time < .seconds(3_600) {
            time += .seconds(10)
            pace.receive(1, at: time)
            pace.wait(at: time)
        }
        #expect(time == .seconds(31))
        // 20 s and 15 s, of which 30 s are used up.
        #expect(pace.deadline.map { $0 < .seconds(37) } == true)
    }

    @Test("A body that comes fast enough may take as long as it needs")
    func fastEnough() {
        var pace = BodyPace(limits: Self.limits)
        for second in 0..<10_000 {
            pace.wait(at: .seconds(second))
            #expect(pace.deadline.map { $0 > .seconds(second + 1) } == true)
            pace.receive(1_000, at: .seconds(second + 1))
        }
    }

    @Test("Without a least pace only standing still counts")
    func noRate() {
        var limits = Self.limits
        limits.bodyBytesPerSecond = 0
        var pace = BodyPace(limits: limits)
        for second in 0..<1_000 {
            pace.wait(at: .seconds(second))
            #expect(pace.deadline == .seconds(second + 15))
            pace.receive(1, at: .seconds(second + 1))
        }
    }
}
