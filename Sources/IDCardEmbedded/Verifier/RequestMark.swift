import FoundationEssentials

/// What names a request in its reply: an id, and how long it took.
struct RequestMark: Sendable {
    /// `<seconds since 1970>,<uuid>`.
    let id: String
    private let start: ContinuousClock.Instant

    init(now: Date) {
        self.id = "\(Int(now.timeIntervalSince1970)),\(UUID().uuidString.lowercased())"
        self.start = ContinuousClock.now
    }

    /// Milliseconds since the request came.
    var milliseconds: Int {
        let passed = self.start.duration(to: .now)
        return Int(passed / .milliseconds(1))
    }
}
