import CoreMetrics
import Synchronization

/// One metric under one combination of labels.
final class MetricSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    /// Upper bounds of the buckets of times, in seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    struct State {
        var value = 0.0
        var count = 0
        var buckets: [Int]
    }

    private let state: Mutex<State>
    private let isTime: Bool
    private let isDistribution: Bool

    init(kind: MetricKind) {
        self.isTime = kind == .time
        self.isDistribution = kind.isDistribution
        self.state = Mutex(State(buckets: Array(repeating: 0, count: kind.isDistribution ? Self.bounds.count : 0)))
    }

    /// What it has come to.
    var snapshot: State { self.state.withLock { $0 } }

    func increment(by amount: Int64) { self.state.withLock { $0.value += Double(amount) } }
    func increment(by amount: Double) { self.state.withLock { $0.value += amount } }
    func decrement(by amount: Double) { self.state.withLock { $0.value -= amount } }
    func set(_ value: Int64) { self.state.withLock { $0.value = Double(value) } }
    func set(_ value: Double) { self.state.withLock { $0.value = value } }
    func record(_ value: Int64) { self.record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { self.record(Double(duration) / 1e9) }
    func reset() {
        self.state.withLock { $0 = State(buckets: Array(repeating: 0, count: $0.buckets.count)) }
    }

    /// A gauge takes the last value, a distribution all of them.
    func record(_ value: Double) {
        guard self.isDistribution else { return self.set(value) }
        self.state.withLock { state in
            state.value += value
            state.count += 1
            for (index, bound) in Self.bounds.enumerated() where value <= bound { state.buckets[index] += 1 }
        }
    }
}
