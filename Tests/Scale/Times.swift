import Foundation

/// How long each step took, by its name.
final class Times {
    private(set) var names: [String] = []
    private var milliseconds: [String: [Double]] = [:]

    func measure<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        let start = ContinuousClock.now
        let value = try await body()
        let time = (ContinuousClock.now - start) / .milliseconds(1)
        if self.milliseconds[name] == nil { self.names.append(name) }
        self.milliseconds[name, default: []].append(time)
        return value
    }

    /// Whether a step was measured for long enough: one that takes seconds is measured three times.
    func isDone(_ name: String) -> Bool {
        let times = self.milliseconds[name] ?? []
        return times.count >= 3 && times.reduce(0, +) > 10_000
    }

    func median(_ name: String) -> Double? { self.milliseconds[name].map { $0.sorted()[$0.count / 2] } }
}
