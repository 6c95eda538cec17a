import Synchronization

/// What a runner asks before it claims work.
protocol StageGate: Sendable {
    /// How many pieces may begin now.
    var places: Int { get }
    /// How long until one may begin, if none may now and time alone helps.
    var wait: Duration? { get }
    /// Whether a batch need not wait for the stage any more.
    var isStoppedForGood: Bool { get }
    /// Takes places.
    func begin(_ count: Int)
}

extension EndpointGate: StageGate {}

/// The gate of a stage that calls no endpoint of its own: so many pieces at a time.
final class LocalGate: StageGate {
    private let cap: Int
    private let underWay = Mutex(0)

    init(cap: Int) { self.cap = cap }

    var places: Int { self.underWay.withLock { max(0, self.cap - $0) } }
    var wait: Duration? { nil }
    var isStoppedForGood: Bool { false }

    func begin(_ count: Int) { self.underWay.withLock { $0 += count } }

    func end() { self.underWay.withLock { $0 -= 1 } }
}
