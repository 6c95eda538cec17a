import IDCardCore

@testable import IDCardPipeline

/// A stage's gate before an endpoint that allows so many calls at a time, event by event on a clock of its own.
struct PacingSimulation {
    /// How long the endpoint works on one call, in milliseconds.
    enum Service: Sendable, CustomStringConvertible {
        case constant(Int64)
        case uniform(ClosedRange<Int64>)
        /// Most are quick and one in ten takes ten times as long.
        case longTail(Int64)

        var description: String {
            switch self {
            case .constant(let time): "\(time) ms"
            case .uniform(let range): "\(range.lowerBound)…\(range.upperBound) ms"
            case .longTail(let time): "\(time) ms, tail \(time * 10) ms"
            }
        }

        func draw(_ random: inout SplitMix64) -> Int64 {
            switch self {
            case .constant(let time): time
            case .uniform(let range): Int64.random(in: range, using: &random)
            case .longTail(let time): Int.random(in: 0..<10, using: &random) == 0 ? time * 10 : time
            }
        }
    }

    struct Result {
        var calls = 0
        var throttled = 0
        var completed = 0
        var mostCallsOfOneCard = 0
        var elapsed = Duration.zero
        /// What one call after the other would have taken.
        var serial = Duration.zero

        var throttledShare: Double { Double(self.throttled) / Double(self.calls) }
        /// How fast, in units of a strictly serial client.
        var speed: Double { self.serial.inSeconds / self.elapsed.inSeconds }
    }

    private struct Call {
        var card: Int
        var call: PacedCall
        var endsAt: Timestamp
        var isRefused: Bool
    }

    var allowed: Int
    var concurrency: Int
    var cards: Int
    var service: Service
    /// How long the endpoint takes to refuse a call.
    var refusal = Duration.milliseconds(20)

    private static let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    func run(seed: UInt64) -> Result {
        var random = SplitMix64(seed: seed)
        let gate = StageGate(
            probeInterval: .seconds(300),
            retry: RetryPolicy(),
            pacing: StagePacing(concurrency: self.concurrency)
        )
        var result = Result()
        var now = Self.start
        var due = (0..<self.cards).map { (card: $0, at: Self.start) }
        var underWay: [Call] = []
        var callsOfCard = [Int](repeating: 0, count: self.cards)
        while result.completed < self.cards {
            var wake: Timestamp?
            claiming: while true {
                switch gate.admission(at: now, claimed: underWay.count) {
                case .full: break claiming
                case .closed(let until):
                    wake = until
                    break claiming
                case .free(let places):
                    let ready = due.indices.filter { due[$0].at <= now }.prefix(places)
                    if ready.count < places { gate.ranDry() }
                    for index in ready.reversed() {
                        let card = due.remove(at: index).card
                        switch gate.begin("\(card)", isRetry: false, at: now) {
                        case .putOff(let until): due.append((card, max(until, now.advanced(by: .milliseconds(1)))))
                        case .call(let call):
                            result.calls += 1
                            callsOfCard[card] += 1
                            let isRefused = underWay.count { !$0.isRefused } >= self.allowed
                            let time = isRefused ? self.refusal : .milliseconds(self.service.draw(&random))
                            if !isRefused { result.serial += time }
                            underWay.append(
                                Call(card: card, call: call, endsAt: now.advanced(by: time), isRefused: isRefused)
                            )
                        }
                    }
                    if ready.isEmpty { break claiming }
                }
            }
            let next = underWay.map(\.endsAt).min() ?? wake ?? due.map(\.at).min() ?? now
            now = max(now, wake.map { min($0, next) } ?? next)
            for ended in underWay where ended.endsAt <= now {
                if ended.isRefused {
                    result.throttled += 1
                    let failure = RemoteFailure(.throttled, code: "CONCURRENCY_LIMIT_EXCEEDED", message: "m")
                    _ = gate.ended(ended.call, as: failure, at: now)
                    due.append((ended.card, gate.throttled(at: now, for: nil)))
                } else {
                    result.completed += 1
                    _ = gate.ended(ended.call, as: nil, at: now)
                    _ = gate.succeeded(ended.call)
                }
            }
            underWay.removeAll { $0.endsAt <= now }
        }
        result.elapsed = now.duration(since: Self.start)
        result.mostCallsOfOneCard = callsOfCard.max() ?? 0
        return result
    }
}

/// A small generator that gives the same numbers for the same seed (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators").
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
