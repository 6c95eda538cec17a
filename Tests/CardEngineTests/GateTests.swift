import CardEngine
import CardModel
import Testing

@Suite struct GateTests {
    private static let probes = Duration.seconds(300)

    private static func gate(cap: Int = 32, rate: Double? = nil) -> Gate {
        Gate(cap: cap, rate: rate, probeInterval: Self.probes)
    }

    /// Fills the gate and has every call end alike; returns how many there were.
    private static func round(_ gate: inout Gate, _ result: Gate.Result, at now: Duration) -> Int {
        let slots = gate.freeSlots(at: now)
        gate.begin(slots, at: now)
        for _ in 0..<slots { gate.finish(result, at: now) }
        return slots
    }

    /// One call begins, and ends so.
    private static func call(_ gate: inout Gate, _ result: Gate.Result, at now: Duration = .zero) {
        gate.begin(1, at: now)
        gate.finish(result, at: now)
    }

    @Test func `the level doubles until the cap`() {
        var gate = Self.gate()
        #expect((0..<6).map { _ in Self.round(&gate, .answered, at: .zero) } == [4, 8, 16, 32, 32, 32])
    }

    @Test func `a throttle returns to the last level that held, and later tries go above it`() {
        var gate = Self.gate()
        for _ in 0..<3 { _ = Self.round(&gate, .answered, at: .zero) }
        #expect(gate.freeSlots(at: .zero) == 32)
        Self.call(&gate, .throttled(retryAfter: nil))
        #expect(gate.freeSlots(at: .zero) == 16)
        _ = Self.round(&gate, .answered, at: .seconds(29))
        #expect(gate.freeSlots(at: .seconds(29)) == 16)
        _ = Self.round(&gate, .answered, at: .seconds(30))
        #expect(gate.freeSlots(at: .seconds(30)) == 20)
    }

    @Test func `nothing is sent before Retry-After is over, and then one call probes`() {
        var gate = Self.gate()
        Self.call(&gate, .throttled(retryAfter: .seconds(7)))
        #expect(gate.freeSlots(at: .seconds(6.9)) == 0)
        #expect(gate.opens(after: .seconds(1)) == .seconds(7))
        #expect(gate.freeSlots(at: .seconds(7)) == 1)
        gate.begin(1, at: .seconds(7))
        #expect(gate.freeSlots(at: .seconds(7)) == 0)
        gate.finish(.answered, at: .seconds(7))
        #expect(gate.freeSlots(at: .seconds(7)) > 1)
    }

    @Test func `a stop rests for 1, 2, 4 … seconds up to the probe interval, with one probe after each`() {
        var gate = Self.gate()
        var now = Duration.zero
        var rests: [Duration] = []
        for _ in 0..<11 {
            #expect(gate.freeSlots(at: now) >= 1)
            Self.call(&gate, .stopped, at: now)
            #expect(gate.freeSlots(at: now) == 0)
            let opens = gate.opens(after: now) ?? now
            rests.append(opens - now)
            now = opens
        }
        #expect(rests == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { Duration.seconds($0) })
        #expect(gate.stopsInRow == 11)
        #expect(gate.freeSlots(at: now) == 1)
        Self.call(&gate, .answered, at: now)
        #expect(gate.stopsInRow == 0)
    }

    @Test func `ten failures in a row make a rest, nine do not`() {
        var gate = Self.gate()
        for count in 1...10 {
            Self.call(&gate, .failed)
            #expect((gate.freeSlots(at: .zero) == 0) == (count == 10))
            #expect(gate.isFailing)
        }
    }

    @Test func `what was under way before a rest began neither ends it nor adds to it`() {
        var gate = Self.gate()
        gate.begin(4, at: .zero)
        gate.finish(.throttled(retryAfter: .seconds(60)), at: .zero)
        gate.finish(.answered, at: .zero)
        #expect(gate.opens(after: .zero) == .seconds(60))
        gate.finish(.stopped, at: .zero)
        gate.finish(.stopped, at: .zero)
        #expect(gate.stopsInRow == 0)
        #expect(gate.freeSlots(at: .seconds(59)) == 0)
    }

    @Test func `calls that end together for one reason make one rest`() {
        var gate = Self.gate()
        gate.begin(4, at: .zero)
        for _ in 0..<4 { gate.finish(.stopped, at: .zero) }
        #expect(gate.opens(after: .zero) == .seconds(1))
    }

    @Test func `a throttle at one call at a time rests`() {
        var gate = Self.gate(cap: 1)
        Self.call(&gate, .throttled(retryAfter: nil))
        #expect(gate.freeSlots(at: .zero) == 0)
        #expect(gate.opens(after: .zero) == .seconds(1))
    }

    @Test func `a rate allows so many calls a second`() {
        var gate = Self.gate(rate: 2)
        #expect(gate.freeSlots(at: .zero) == 2)
        gate.begin(2, at: .zero)
        gate.finish(.answered, at: .zero)
        gate.finish(.answered, at: .zero)
        #expect(gate.freeSlots(at: .zero) == 0)
        #expect(gate.opens(after: .zero) == .seconds(0.5))
        #expect(gate.freeSlots(at: .seconds(0.5)) == 1)
        #expect(gate.freeSlots(at: .seconds(10)) == 2)
    }

    @Test func `a pause that another process wrote down makes one of its own longer, never shorter`() {
        var gate = Self.gate()
        Self.call(&gate, .throttled(retryAfter: .seconds(10)))
        gate.pause(for: .seconds(5), at: .zero)
        #expect(gate.opens(after: .zero) == .seconds(10))
        gate.pause(for: .seconds(600), at: .seconds(1))
        #expect(gate.opens(after: .seconds(1)) == .seconds(601))
    }

    @Test func `a pause of another process is obeyed`() {
        var gate = Self.gate()
        gate.pause(for: .seconds(5), at: .zero)
        #expect(gate.freeSlots(at: .seconds(4)) == 0)
        #expect(gate.freeSlots(at: .seconds(5)) == 1)
    }
}
