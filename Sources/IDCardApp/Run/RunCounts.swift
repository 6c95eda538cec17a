/// How many inputs of a run ended how; the keys are part of the JSON contract and never missing.
struct RunCounts: Hashable, Sendable, Encodable {
    /// Counts by key: one per state, `duplicate`, `unchanged`, `ignored`.
    private(set) var byKey: [String: Int]

    /// Starts with every key at zero.
    init() {
        self.byKey = Dictionary(uniqueKeysWithValues: RunInputEnd.allKeys.map { ($0, 0) })
    }

    /// Counts an input.
    mutating func add(_ end: RunInputEnd) {
        self.byKey[end.key, default: 0] += 1
    }

    /// Counts inputs that a run was interrupted before.
    mutating func addNotReached(_ count: Int) {
        self.byKey["unchanged", default: 0] += count
    }

    /// The count of one key.
    subscript(key: String) -> Int { self.byKey[key] ?? 0 }

    /// All inputs.
    var total: Int { self.byKey.values.reduce(0, +) }

    /// For example `24 inputs: 22 delivered, 1 rejected, 1 duplicate`.
    var line: String {
        let parts = RunInputEnd.allKeys.filter { self[$0] > 0 }.map { "\(self[$0]) \($0)" }
        let ends = parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ")
        return "\(self.total) \(self.total == 1 ? "input" : "inputs"): \(ends)"
    }

    func encode(to encoder: any Encoder) throws {
        try self.byKey.encode(to: encoder)
    }
}
