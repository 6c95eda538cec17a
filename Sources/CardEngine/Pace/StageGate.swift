import CardModel

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
    private let line: WaitingLine<Int, Void>

    init(cap: Int) {
        self.line = WaitingLine(cap) { free, _ in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    var places: Int { self.line.read { max(0, $0) } }
    var wait: Duration? { nil }
    var isStoppedForGood: Bool { false }

    func begin(_ count: Int) { self.line.leave { $0 -= count } }

    /// Takes one place once it is free; `false` if none was until a sleep ended.
    func begin(until sleep: @escaping @Sendable () async -> Void) async -> Bool {
        await self.line.enter((), until: sleep)
    }

    func end() { self.line.leave { $0 += 1 } }
}
