/// Whether the next commit waits a little so that more changes come into it (PostgreSQL's `commit_delay` with
/// `commit_siblings`).
///
/// Every commit writes whole pages and waits for the disk, however little changed. A change that comes alone goes at once;
/// only when changes follow each other closely are they gathered, for as long as a few more take to come.
struct CommitPace {
    /// So many changes within `busyTime` make a writer busy: then the next ones will not be long in coming.
    static let siblings = 16
    static let busyTime = Duration.milliseconds(200)
    /// How many more a commit waits for.
    static let company = 4

    /// How long a busy writer gathers at most; zero if it never does.
    let longest: Duration
    /// When the last changes came, as many as `siblings`, in a ring.
    private var arrivals: [ContinuousClock.Instant] = []
    private var next = 0

    init(longest: Duration) {
        self.longest = longest
    }

    /// Takes note of a change, and returns how long the commit that takes it in is to wait.
    mutating func arrived(at now: ContinuousClock.Instant) -> Duration {
        guard self.longest > .zero else { return .zero }
        guard self.arrivals.count == Self.siblings else {
            self.arrivals.append(now)
            return .zero
        }
        let delay = self.delay(at: now, waiting: 0)
        self.arrivals[self.next] = now
        self.next = (self.next + 1) % Self.siblings
        return delay
    }

    /// How long a commit is to wait for which so many changes are there already.
    func delay(at now: ContinuousClock.Instant, waiting: Int) -> Duration {
        guard waiting < Self.company, self.arrivals.count == Self.siblings, self.longest > .zero else { return .zero }
        let time = self.arrivals[self.next].duration(to: now)
        guard time <= Self.busyTime else { return .zero }
        return min(self.longest, time * (Self.company - waiting) / Self.siblings)
    }
}
