import IDCardCore
import Synchronization

/// Images that are claimed and wait for their hosts, so that none waits for the host of another.
///
/// A host that is full, fails or asks for patience keeps its own images waiting here, leased, for as many as there is
/// room; what does not find room is put off for a while, so that a claim comes to what lies behind it.
final class FetchQueue: Sendable {
    /// What is to be done with claimed images.
    struct Turn: Sendable {
        /// Their hosts have a place, which is taken.
        var begun: [HostedFetch] = []
        /// Nothing can be done for them before a time, and there is no room to wait.
        var putOff: [(job: FetchJob, until: Timestamp)] = []
        /// Their time is up, and their hosts have no place for them now; with the last failure there.
        var expired: [(job: FetchJob, last: RemoteFailure?)] = []
    }

    fileprivate struct Host {
        var pace: HostPace
        /// In the order in which they are fetched.
        var waiting: [FetchJob] = []
    }

    fileprivate struct State {
        var hosts: [String: Host] = [:]
        var waiting = 0
    }

    /// How long what finds no room is put off at least: a backlog is not led past the others all the time.
    static let shortestPutOff = Duration.seconds(60)
    /// So many hosts are remembered whatever they did.
    private static let mostHosts = 1024

    private let state = Mutex(State())
    private let settings: EngineSettings
    private let room: Int

    /// Makes an empty queue.
    ///
    /// - Parameter room: how many images wait here at most.
    init(_ settings: EngineSettings, room: Int) {
        self.settings = settings
        self.room = room
    }

    /// Takes in what was claimed, and says what is to be done now.
    ///
    /// - Parameter limit: how many may begin.
    func turn(_ claimed: [FetchJob], limit: Int, at now: Timestamp) -> Turn {
        self.state.withLock { state in
            for job in claimed { state.add(job, settings: self.settings) }
            var turn = Turn()
            while turn.begun.count < limit, let fetch = state.next(at: now) { turn.begun.append(fetch) }
            turn.expired = state.takeExpired(after: self.settings.fetchMaximumAge, at: now)
            while state.waiting > self.room, let (job, opensAt) = state.takeLast(at: now) {
                let until = now.advanced(by: Self.shortestPutOff)
                turn.putOff.append((job, max(opensAt ?? until, until)))
            }
            if state.hosts.count > Self.mostHosts { state.forgetIdle(at: now) }
            return turn
        }
    }

    /// When one of those that wait can be fetched; `nil` if that takes the end of another.
    func nextDue(at now: Timestamp) -> Timestamp? {
        self.state.withLock { state in
            state.hosts.values.lazy.filter { !$0.waiting.isEmpty }
                .compactMap { host in host.pace.closedUntil(at: now) ?? (host.pace.hasPlace(at: now) ? now : nil) }
                .min()
        }
    }

    /// Notes how a fetch ended (`nil`: the host did what it was asked for); returns until when its host is left alone.
    func ended(_ fetch: HostedFetch, as failure: RemoteFailure?, at now: Timestamp) -> Timestamp? {
        self.state.withLock { state in
            state.hosts[fetch.host]?.pace.ended(fetch.call, as: failure, at: now)
            return state.hosts[fetch.host]?.pace.closedUntil(at: now)
        }
    }

    /// Notes that a fetch was given up, and that nothing is known of its host.
    func abandoned(_ fetch: HostedFetch) {
        self.state.withLock { $0.hosts[fetch.host]?.pace.abandoned() }
    }

    /// Ends the times for which hosts are left alone, by a clock that went back.
    func endWaits(at now: Timestamp) {
        self.state.withLock { state in
            for name in state.hosts.keys { state.hosts[name]?.pace.endWaits(at: now) }
        }
    }

    /// Forgets everything, also what waits.
    func clear() {
        self.state.withLock { $0 = State() }
    }
}

extension FetchQueue.State {
    fileprivate mutating func add(_ job: FetchJob, settings: EngineSettings) {
        let name = job.address.host
        var host = self.hosts.removeValue(forKey: name) ?? FetchQueue.Host(pace: HostPace(settings))
        // They come in this order, but for what has a higher priority.
        var place = host.waiting.count
        while place > 0, job.precedes(host.waiting[place - 1]) { place -= 1 }
        host.waiting.insert(job, at: place)
        self.hosts[name] = host
        self.waiting += 1
    }

    /// Takes out the first of all whose host has a place.
    fileprivate mutating func next(at now: Timestamp) -> HostedFetch? {
        var first: (name: String, job: FetchJob)?
        for (name, host) in self.hosts {
            guard let job = host.waiting.first, first.map({ job.precedes($0.job) }) ?? true,
                host.pace.hasPlace(at: now)
            else { continue }
            first = (name, job)
        }
        guard let (name, job) = first, let call = self.hosts[name]?.pace.begin(at: now) else { return nil }
        self.hosts[name]?.waiting.removeFirst()
        self.waiting -= 1
        return HostedFetch(job: job, host: name, call: call)
    }

    fileprivate mutating func takeExpired(
        after age: Duration,
        at now: Timestamp
    ) -> [(job: FetchJob, last: RemoteFailure?)] {
        var expired: [(job: FetchJob, last: RemoteFailure?)] = []
        for (name, host) in self.hosts where !host.waiting.isEmpty && !host.pace.hasPlace(at: now) {
            let isOver = { (job: FetchJob) in job.card.changedAt.advanced(by: age) <= now }
            guard host.waiting.contains(where: isOver) else { continue }
            for job in host.waiting where isOver(job) { expired.append((job, host.pace.lastFailure)) }
            self.hosts[name]?.waiting.removeAll(where: isOver)
        }
        self.waiting -= expired.count
        return expired
    }

    /// Takes out the last of the host that has the most waiting, with the time until which that host is left alone.
    fileprivate mutating func takeLast(at now: Timestamp) -> (job: FetchJob, opensAt: Timestamp?)? {
        let longest = self.hosts.max { $0.value.waiting.count < $1.value.waiting.count }
        guard let name = longest?.key, let job = self.hosts[name]?.waiting.popLast() else { return nil }
        self.waiting -= 1
        return (job, self.hosts[name]?.pace.closedUntil(at: now))
    }

    /// Forgets hosts that nothing is to be fetched from, and that need not be left alone.
    fileprivate mutating func forgetIdle(at now: Timestamp) {
        self.hosts = self.hosts.filter { _, host in
            host.pace.underWay > 0 || !host.waiting.isEmpty || host.pace.closedUntil(at: now) != nil
        }
    }
}

extension FetchJob {
    /// Whether it is fetched before another one.
    fileprivate func precedes(_ other: FetchJob) -> Bool {
        (other.card.metadata.priority, self.card.intakeOrder) < (self.card.metadata.priority, other.card.intakeOrder)
    }
}
