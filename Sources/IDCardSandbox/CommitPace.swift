/// Whether the next commit waits a little so that more changes come into it (PostgreSQL's `commit_delay` with
/// `commit_siblings`).
///
/// Every commit writes whole pages and waits for the disk, however little changed. A change that comes alone goes at once;
/// only when changes follow each other closely are they gathered.
struct CommitPace {
    /// So many changes within `busyTime` make a writer busy: then the next ones will not be long in coming.
    static let siblings = 8
    static let busyTime = Duration.milliseconds(20)

    /// How long a busy writer gathers; zero if it never does.
    let delay: Duration
    /// When the last changes came, as many as `siblings`, in a ring.
    private var arrivals: [ContinuousClock.Instant] = []
    private var next = 0

    init(delay: Duration) {
        self.delay = delay
    }

    /// Takes note of a change, and returns how long the commit that takes it in is to wait.
    mutating func arrived(at now: ContinuousClock.Instant) -> Duration {
        guard self.delay > .zero else { return .zero }
        guard self.arrivals.count == Self.siblings else {
            self.arrivals.append(now)
            return .zero
        }
        let oldest = self.arrivals[self.next]
        self.arrivals[self.next] = now
        self.next = (self.next + 1) % Self.siblings
        return oldest.duration(to: now) <= Self.busyTime ? self.delay : .zero
    }

    /// How long a commit is to wait for which changes are there already.
    func delay(at now: ContinuousClock.Instant) -> Duration {
        guard self.arrivals.count == Self.siblings, self.delay > .zero else { return .zero }
        return self.arrivals[self.next].duration(to: now) <= Self.busyTime ? self.delay : .zero
    }
}
