import IDCardCore

/// The pace of one host that images come from: so many calls at a time, one alone as long as it is in trouble, and none
/// while it is left alone. No clock and no lock: events in, decisions out.
///
/// It is left alone after failures in a row (``CircuitBreaker``), and after every answer that asks for patience: as long
/// as that asks for, but at least 1 s the first time in a row and twice as long each further time, up to a cap.
struct HostPace: Sendable {
    /// How long it is left alone at least after the first answer that asks for patience.
    private static let firstWait = Duration.seconds(1)

    private let limit: Int
    private let longestWait: Duration
    private var breaker: CircuitBreaker
    private var nextNumber: UInt64 = 0
    private(set) var underWay = 0
    private var throttledInARow = 0
    /// Calls numbered below began before the last answer that asked for patience: they are of the same wave.
    private var throttledAt: UInt64 = 0
    private var notBefore: Timestamp?
    /// Why the last call failed; `nil` if it did not, or if there was none.
    private(set) var lastFailure: RemoteFailure?

    /// Takes the figures that hold for every host.
    init(_ settings: EngineSettings) {
        self.limit = settings.fetchHostConcurrency
        self.longestWait = settings.breakerOpenCap
        self.breaker = CircuitBreaker(
            failures: settings.breakerFailures,
            openFor: settings.breakerOpenFor,
            cap: settings.breakerOpenCap
        )
    }

    /// Until when it is left alone; `nil` if it is not.
    func closedUntil(at now: Timestamp) -> Timestamp? {
        let wait = self.notBefore.flatMap { now < $0 ? $0 : nil }
        guard case .none(let until) = self.breaker.admission(at: now) else { return wait }
        return max(wait ?? until, until)
    }

    /// Whether a call may begin.
    func hasPlace(at now: Timestamp) -> Bool {
        guard self.closedUntil(at: now) == nil else { return false }
        let isInTrouble = self.throttledInARow > 0 || self.breaker.admission(at: now) == .one
        return self.underWay < (isInTrouble ? 1 : self.limit)
    }

    /// Takes note that a call begins.
    mutating func begin(at now: Timestamp) -> PacedCall {
        self.underWay += 1
        defer { self.nextNumber += 1 }
        return PacedCall(number: self.nextNumber, position: self.underWay, startedAt: now)
    }

    /// Takes note that a call was given up; nothing is known of the host.
    mutating func abandoned() {
        self.underWay -= 1
    }

    /// Takes note of how a call ended; `nil` if the host did what it was asked for.
    mutating func ended(_ call: PacedCall, as failure: RemoteFailure?, at now: Timestamp) {
        self.underWay -= 1
        switch failure?.failureClass ?? .accepted {
        case .accepted, .rejected, .shrink:
            self.lastFailure = nil
            if call.number >= self.throttledAt { self.throttledInARow = 0 }
            _ = self.breaker.answered(call, at: now)
        case .throttled:
            self.lastFailure = failure
            self.wait(after: call, for: failure?.retryAfter ?? .zero, at: now)
            _ = self.breaker.answered(call, at: now)
        case .notSent, .transient, .unknown, .stop:
            self.lastFailure = failure
            _ = self.breaker.failed(call, next: self.nextNumber, at: now)
        }
    }

    /// Ends the time for which it is left alone, by a clock that went back.
    mutating func endWaits(at now: Timestamp) {
        self.notBefore = self.notBefore.map { min($0, now) }
        self.breaker.endWaits(at: now)
    }

    private mutating func wait(after call: PacedCall, for asked: Duration, at now: Timestamp) {
        if call.number >= self.throttledAt {
            self.throttledInARow += 1
            self.throttledAt = self.nextNumber
        }
        let grown = Self.firstWait * (1 << min(self.throttledInARow - 1, 30))
        let until = now.advanced(by: max(asked, min(grown, self.longestWait)))
        self.notBefore = max(self.notBefore ?? until, until)
    }
}
