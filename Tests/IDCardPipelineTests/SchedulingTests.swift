import IDCardCore
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardPipeline

@Suite("How the loops learn of work and of its end", .timeLimit(.minutes(Sanitizer.minutes(1))))
struct SchedulingTests {
    private static let time = PipelineTime.system
    private static let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private struct Broken: Error {}

    @Test("A loop whose work fails stops claiming and throws the first error")
    func failingWork() async throws {
        let claims = Mutex(0)
        let loop = StageLoop<Int>(
            lane: .verify,
            concurrency: 1,
            board: WorkBoard(),
            gate: StageGate(probeInterval: .seconds(1), retry: RetryPolicy()),
            time: Self.time,
            claim: { _ in
                claims.withLock {
                    $0 += 1
                    return [$0]
                }
            },
            nextDue: { nil },
            work: { _ in throw Broken() }
        )
        await #expect(throws: Broken.self) { try await loop.run() }
        #expect(claims.withLock { $0 } == 1)
    }

    @Test("The end of intake and the work it announces are one instant")
    func endOfIntake() async throws {
        let board = WorkBoard()
        await withTaskGroup(of: Void.self) { group in
            for lane in Lane.allCases {
                group.addTask { await board.park(lane, at: board.parking(of: lane), until: nil, time: Self.time) }
            }
            // All parked: quiet but for intake.
            while board.parkedLanes < Lane.allCases.count { await Task.yield() }
            #expect(board.activity == .busy)
            board.swept()
            #expect(board.activity == .busy)
            board.endIntake(announcing: .settle)
            #expect(board.activity == .busy, "the announced work was overlooked")
            group.cancelAll()
        }
    }

    @Test("With everything parked and intake over, the board is quiet until the first due time")
    func quiet() async throws {
        let board = WorkBoard()
        board.endIntake()
        board.swept()
        let due = Timestamp(millisecondsSinceEpoch: Self.time.now().millisecondsSinceEpoch + 3_600_000)
        await withTaskGroup(of: Void.self) { group in
            for lane in Lane.allCases {
                let until = lane == .verify ? due : nil
                group.addTask { await board.park(lane, at: board.parking(of: lane), until: until, time: Self.time) }
            }
            await board.waitUntilQuiet(time: Self.time)
            #expect(board.activity == .quiet(nextDue: due))
            board.announce(.deliver)
            #expect(board.activity == .busy)
            group.cancelAll()
        }
    }

    @Test("The end of a piece wakes the loop that had no place for more, not the one that saw there is none")
    func endOfAPiece() async throws {
        let board = WorkBoard()
        for lane in [Lane.verify, .deliver] { board.began(lane) }
        board.endIntake()
        board.swept()
        await withTaskGroup(of: Void.self) { group in
            for lane in Lane.allCases {
                var parking = board.parking(of: lane)
                if lane != .deliver { parking.ended = nil }
                let noted = parking
                group.addTask { await board.park(lane, at: noted, until: nil, time: Self.time) }
            }
            while board.parkedLanes < Lane.allCases.count { await Task.yield() }
            board.ended(.verify, isNews: false)
            #expect(board.parkedLanes == Lane.allCases.count, "a loop was woken for nothing")
            board.ended(.deliver, isNews: false)
            #expect(board.activity == .busy, "a loop that is about to look was taken for quiet")
            while board.parkedLanes == Lane.allCases.count { await Task.yield() }
            group.cancelAll()
        }
    }

    @Test("What ends with news wakes its loop in any case")
    func news() async throws {
        let board = WorkBoard()
        board.began(.verify)
        var parking = board.parking(of: .verify)
        parking.ended = nil
        let noted = parking
        async let parked: Void = board.park(.verify, at: noted, until: nil, time: Self.time)
        while board.parkedLanes == 0 { await Task.yield() }
        board.ended(.verify, isNews: true)
        await parked
    }

    @Test("A success does not undo what the endpoint asked for after the call began")
    func lateSuccess() throws {
        let gate = StageGate(probeInterval: .seconds(300), retry: RetryPolicy(), pacing: .unpaced(concurrency: 4))
        let later = Self.start.advanced(by: .seconds(1))
        let early = try Self.call(of: gate, at: Self.start)
        let until = gate.throttled(at: later, for: .seconds(5))
        #expect(!gate.succeeded(early))
        #expect(gate.admission(at: later, claimed: 0) == .closed(until: until))
        _ = gate.stop(Self.stop, after: nil, isDoubtful: false, at: later)
        #expect(!gate.succeeded(early))
        #expect(gate.pause?.code == "c")
        gate.abandoned(early)
        #expect(gate.succeeded(try Self.call(of: gate, at: later.advanced(by: .seconds(301)))))
        #expect(gate.pause == nil)
        #expect(gate.admission(at: later, claimed: 0) == .free(4))
    }

    @Test("A throttled probe waits as long as it was asked to")
    func throttledProbe() {
        let gate = StageGate(probeInterval: .seconds(10), retry: RetryPolicy(), pacing: .unpaced(concurrency: 4))
        _ = gate.stop(Self.stop, after: nil, isDoubtful: false, at: Self.start)
        let probeAt = Self.start.advanced(by: .seconds(1))
        #expect(gate.admission(at: Self.start, claimed: 0) == .closed(until: probeAt))
        #expect(gate.admission(at: probeAt, claimed: 0) == .free(1))
        let until = gate.throttled(at: probeAt, for: .seconds(7))
        #expect(gate.admission(at: probeAt.advanced(by: .seconds(1)), claimed: 0) == .closed(until: until))
    }

    @Test("The first failed connection is tried again at once, further ones with backoff, one call at a time")
    func notSent() throws {
        let gate = StageGate(
            probeInterval: .seconds(1),
            retry: RetryPolicy(base: .seconds(1), cap: .seconds(1)),
            pacing: .unpaced(concurrency: 4)
        )
        let random = RandomSource()
        #expect(gate.notSent(at: Self.start, random: random) == Self.start)
        #expect(gate.admission(at: Self.start, claimed: 0) == .free(1))
        let second = gate.notSent(at: Self.start, random: random)
        #expect(second > Self.start && second <= Self.start.advanced(by: .seconds(1)))
        #expect(gate.admission(at: Self.start, claimed: 0) == .closed(until: second))
        let third = try Self.call(of: gate, at: second)
        _ = gate.succeeded(third)
        #expect(gate.admission(at: second, claimed: 0) == .free(4))
    }

    @Test(
        "Probes follow each other twice as late each time, at once at first where a few odd cards could be the cause",
        arguments: [true, false]
    )
    func probes(isDoubtful: Bool) throws {
        let gate = StageGate(probeInterval: .seconds(10), retry: RetryPolicy(), pacing: .unpaced(concurrency: 4))
        let begun = try (0..<2).map { _ in try Self.call(of: gate, at: Self.start) }
        for call in begun {
            _ = gate.stop(Self.stop, after: call, isDoubtful: isDoubtful, at: Self.start)
            gate.abandoned(call)
        }
        var now = Self.start
        for seconds in (isDoubtful ? [0] : []) + [1, 2, 4, 8, 10, 10] {
            let due = now.advanced(by: .seconds(seconds))
            if due > now { #expect(gate.admission(at: now, claimed: 0) == .closed(until: due)) }
            now = due
            #expect(gate.admission(at: now, claimed: 0) == .free(1))
            let probe = try Self.call(of: gate, at: now)
            _ = gate.stop(Self.stop, after: probe, isDoubtful: isDoubtful, at: now)
            gate.abandoned(probe)
        }
        #expect(!gate.wantsAnother(at: now), "by now any card will do")
    }

    @Test("Where no other card is left, only one that has not failed is a probe before the whole interval has passed")
    func noOther() {
        let gate = StageGate(probeInterval: .seconds(10), retry: RetryPolicy(), pacing: .unpaced(concurrency: 4))
        let later = { Self.start.advanced(by: .seconds($0)) }
        _ = gate.stop(Self.stop, after: nil, isDoubtful: false, at: later(0))
        #expect(gate.wantsAnother(at: later(1)) && gate.repeatAt == nil)
        for look in [1.0, 5] {
            gate.foundNoOther(at: later(look))
            #expect(gate.repeatAt == later(11))
            #expect(gate.admission(at: later(look), claimed: 0) == .free(1))
        }
        #expect(gate.wantsAnother(at: later(10.9)) && !gate.wantsAnother(at: later(11)))
        _ = gate.stop(Self.stop, after: nil, isDoubtful: false, at: later(11))
        #expect(gate.wantsAnother(at: later(11)) && gate.repeatAt == later(21))
        #expect(gate.admission(at: later(11), claimed: 0) == .free(1), "for a card that has not failed")
        _ = gate.stop(Self.stop, after: nil, isDoubtful: false, at: later(15))
        #expect(gate.admission(at: later(15), claimed: 0) == .closed(until: later(17)), "another one has failed")
        #expect(gate.wantsAnother(at: later(17)) && gate.repeatAt == nil)
    }

    @Test("A probe waits ten seconds for another card, and begins to count anew when it has found one")
    func looks() {
        let gate = StageGate(probeInterval: .seconds(10), retry: RetryPolicy(), pacing: .unpaced(concurrency: 4))
        let later = { Self.start.advanced(by: .seconds($0)) }
        #expect(gate.waitsForAnother(at: later(0)) && gate.waitsForAnother(at: later(9.9)))
        #expect(!gate.waitsForAnother(at: later(10)))
        gate.foundAnother()
        #expect(gate.waitsForAnother(at: later(20)))
    }

    @Test("Only so many may end by what every card might get, until the endpoint takes a call that began later")
    func endingAlone() throws {
        let gate = StageGate(probeInterval: .seconds(10), retry: RetryPolicy(), pacing: .unpaced(concurrency: 4))
        let early = try Self.call(of: gate, at: Self.start)
        #expect(gate.mayEndAlone("a", atMost: 1) && gate.mayEndAlone("a", atMost: 1))
        #expect(!gate.mayEndAlone("b", atMost: 1))
        #expect(gate.mayEndAlone("b", atMost: 2))
        _ = gate.succeeded(early)
        #expect(!gate.mayEndAlone("c", atMost: 2), "it began before")
        _ = gate.succeeded(try Self.call(of: gate, at: Self.start))
        #expect(gate.mayEndAlone("c", atMost: 1))
    }

    @Test("What a stage remembers of cards does not grow with the cards that it has seen")
    func recentCounts() {
        var counts = RecentCounts(capacity: 10)
        counts["first"] = 3
        for number in 0..<1000 {
            counts["\(number)"] += 1
            #expect(counts["\(number)"] == 1 && counts.count <= 20)
        }
        #expect(counts["first"] == 0)
        counts["999"] = 0
        #expect(counts["999"] == 0)
    }

    private static let stop = RemoteFailure(.stop, code: "c", message: "m")

    /// A call that the gate lets through.
    private static func call(of gate: StageGate, at now: Timestamp) throws -> PacedCall {
        guard case .call(let call) = gate.begin("card", isRetry: false, at: now) else {
            Issue.record("the gate lets no call through")
            throw CancellationError()
        }
        return call
    }
}
