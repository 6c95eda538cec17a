/// The files that are on their way from being noticed to being put away, and what is next.
///
/// It holds at most as many as it is told: what finds no room is found again by the next scan. It does nothing itself;
/// whoever asks it has looked and knows the time.
struct WatchLedger {
    private enum Phase {
        case settling
        case ready
        case underway(newsMeanwhile: Bool)
        case putOff
    }

    private struct Entry {
        var file: WatchedPath
        var phase = Phase.settling
        /// When it is looked at, or its turn comes; `nil` while that is being done.
        var due: Duration?
        var shape: FileShape?
        var since: Duration?
        var tries = 0
    }

    private var room: LedgerRoom
    private var entries: [PathBytes: Entry] = [:]
    private var stability: FileStability
    private var agenda = DueTimes<PathBytes>()
    private var queue: [PathBytes] = []
    private var queueStart = 0
    /// The files that were seen and have not been told of yet.
    private var seen: [WatchedPath] = []
    /// The files that need no look as long as they stay as they are.
    var settled = SettledFiles()
    /// The files that could not be put away, and what was told of each.
    var unplaced = SettledFiles()
    /// The files that stay because they lie too deep for a business number.
    var unassigned = SettledFiles()

    /// Starts empty.
    init(_ settings: WatchSettings) {
        self.room = LedgerRoom(capacity: settings.pendingFiles)
        self.stability = FileStability(
            quietTime: settings.quietTime,
            closeWait: settings.closeWait,
            openWait: settings.openWait
        )
    }

    /// How many files are on their way.
    var count: Int { self.entries.count }
    /// Whether files found no room, and their roots were not taken out since.
    var hasMissedFiles: Bool { !self.room.missed.isEmpty }
    /// When something is due next.
    var nextDue: Duration? { self.agenda.first }

    /// Takes out the roots with files that found no room, as far as there is now enough for them.
    mutating func rootsWithRoom() -> [Int] { self.room.rootsWithRoom(count: self.entries.count) }

    /// Takes out files that were seen since this was last asked, a few at a time.
    mutating func takeSeen(limit: Int) -> [WatchedPath] {
        let taken = self.seen.suffix(limit)
        self.seen.removeLast(taken.count)
        return taken.filter { self.holds($0) }
    }

    /// Whether a file is on its way.
    func holds(_ file: WatchedPath) -> Bool { self.holds(file.key) }

    /// Whether the file of a path is on its way.
    func holds(_ key: PathBytes) -> Bool { self.entries[key] != nil }

    // MARK: News

    /// Notes that a scan met a file; `false` if there was no room for it.
    ///
    /// - Parameter always: whether it needs no room, because others wait for it.
    mutating func found(_ file: WatchedPath, as shape: FileShape, now: Duration, always: Bool = false) -> Bool {
        self.unplaced.keep(file)
        self.unassigned.keep(file)
        // What is on its way is looked at in its own time: this look may be older than what was told of it.
        // Asked first, for that keeps a settled file in mind.
        if self.settled.contains(file, shape: shape) || self.entries[file.key] != nil { return true }
        guard self.insert(file, due: nil, always: always) else { return false }
        self.judge(file.key, as: shape, now: now)
        return true
    }

    /// Notes that something was told of a file.
    ///
    /// - Parameters:
    ///   - isClosed: whether it was closed or moved in; else it was seen being created.
    ///   - always: whether it needs no room, because others wait for it.
    mutating func noticed(_ file: WatchedPath, isClosed: Bool, now: Duration, always: Bool = false) {
        let key = file.key
        guard self.entries[key] != nil || self.insert(file, due: nil, always: always) else { return }
        if isClosed { self.stability.closed(key) } else { self.stability.created(key) }
        self.lookSoon(key, now: now)
    }

    /// Notes that a name appeared, of a file that is being created or of one that was there before.
    mutating func appeared(_ file: WatchedPath, now: Duration, always: Bool = false) {
        let key = file.key
        guard self.entries[key] != nil || self.insert(file, due: nil, always: always) else { return }
        self.stability.appeared(key)
        self.lookSoon(key, now: now)
    }

    /// Notes that somebody wrote to a file; returns whether that was news.
    mutating func modified(_ file: WatchedPath, now: Duration) -> Bool {
        guard self.stability.hasJustAppeared(file.key) else { return false }
        self.noticed(file, isClosed: false, now: now)
        return true
    }

    /// Notes that a file is to be judged anew, since what belongs to it has changed.
    mutating func reconsider(_ file: WatchedPath, now: Duration) {
        let key = file.key
        self.settled.forget(file)
        switch self.entries[key]?.phase {
        case nil:
            // It was complete before; whether it still is shows in its shape.
            if self.insert(file, due: now) { self.stability.closed(key) }
        case .putOff: self.schedule(key, due: now)
        case .underway: self.entries[key]?.phase = .underway(newsMeanwhile: true)
        case .settling, .ready: break
        }
    }

    /// Notes that a file is wanted that is there, wherever it stands: it needs no room, since others wait for it.
    mutating func expect(_ file: WatchedPath, now: Duration) {
        if self.entries[file.key] == nil { _ = self.insert(file, due: now, always: true) }
    }

    /// Lets the turn of all files of a root that were put off come now, because of another file, which is left out.
    mutating func reconsider(root: Int, because cause: WatchedPath? = nil, now: Duration) {
        self.settled.forget(root: root)
        for (key, entry) in self.entries where entry.file.root == root && entry.file != cause {
            switch entry.phase {
            case .putOff: self.schedule(key, due: now)
            case .underway: self.entries[key]?.phase = .underway(newsMeanwhile: true)
            case .settling, .ready: break
            }
        }
    }

    /// Has the files of a root told of once more, since more is known of them.
    mutating func seeAgain(root: Int) {
        self.seen += self.entries.values.lazy.map(\.file).filter { $0.root == root }
    }

    /// Forgets all files of a root that are not under way.
    mutating func forget(root: Int) {
        for (key, entry) in self.entries where entry.file.root == root {
            if case .underway = entry.phase { continue }
            self.remove(key)
        }
    }

    /// Notes that news were lost.
    mutating func newsWereLost() {
        self.stability.forgetOpenings()
        for (key, entry) in self.entries {
            // The end of a file that was being written may be among them.
            if case .settling = entry.phase, entry.due != nil { self.schedule(key, due: .zero) }
        }
    }

    // MARK: Looks

    /// Takes out what is to be looked at now, and lets the turn of files come that were put off.
    mutating func dueLooks(now: Duration, limit: Int) -> [WatchedPath] {
        var files: [WatchedPath] = []
        while files.count < limit, let next = self.agenda.next(now: now) {
            // Another time was set since.
            guard let entry = self.entries[next.key], entry.due == next.due else { continue }
            self.entries[next.key]?.due = nil
            switch entry.phase {
            case .settling: files.append(entry.file)
            case .putOff: self.enqueue(next.key)
            case .ready, .underway: break
            }
        }
        return files
    }

    /// Notes how a file looks; `nil` if it is not there, or no regular file.
    mutating func looked(at file: WatchedPath, as shape: FileShape?, now: Duration) {
        let key = file.key
        // With news since, the look is too old, and another one is due.
        guard let entry = self.entries[key], case .settling = entry.phase, entry.due == nil else { return }
        guard let shape, !self.settled.contains(file, shape: shape) else { return self.remove(key) }
        self.judge(key, as: shape, now: now)
    }

    private mutating func judge(_ key: PathBytes, as shape: FileShape, now: Duration) {
        guard let entry = self.entries[key] else { return }
        if entry.shape != shape {
            self.entries[key]?.since = nil
            self.entries[key]?.tries = 0
        }
        self.entries[key]?.shape = shape
        switch self.stability.seen(key, as: shape, now: now) {
        case .complete:
            self.entries[key]?.since = entry.shape == shape ? entry.since ?? now : now
            self.enqueue(key)
        case .lookAgain(let due): self.schedule(key, due: due)
        }
    }

    // MARK: Turns

    /// Takes out the file whose turn it is.
    mutating func nextReady() -> Ready? {
        while self.queueStart < self.queue.count {
            let key = self.queue[self.queueStart]
            self.queueStart += 1
            if self.queueStart > 1024, self.queueStart * 2 > self.queue.count {
                self.queue.removeFirst(self.queueStart)
                self.queueStart = 0
            }
            guard let entry = self.entries[key], case .ready = entry.phase, let shape = entry.shape else { continue }
            self.entries[key]?.phase = .underway(newsMeanwhile: false)
            return Ready(file: entry.file, shape: shape, since: entry.since ?? .zero, tries: entry.tries)
        }
        return nil
    }

    /// Whether it is any file's turn.
    var hasReady: Bool {
        self.queue[self.queueStart...].contains { key in
            if case .ready = self.entries[key]?.phase { true } else { false }
        }
    }

    /// Gives a file its turn back that was taken out in vain.
    mutating func giveBack(_ ready: Ready) {
        self.enqueue(ready.file.key)
    }

    /// Whether a file is being judged or taken in just now.
    func isUnderway(_ file: WatchedPath) -> Bool {
        if case .underway = self.entries[file.key]?.phase { true } else { false }
    }

    /// Notes what became of a file.
    mutating func ended(_ file: WatchedPath, _ end: End, now: Duration) {
        let key = file.key
        guard let entry = self.entries[key], case .underway(let newsMeanwhile) = entry.phase else { return }
        switch end {
        case .gone, .untilNextScan: break
        case .settled(let shape): self.settled.insert(file, shape: shape)
        case .changed:
            self.entries[key]?.phase = .settling
            return self.schedule(key, due: now)
        case .putOff(let due, let counts), .parked(let due, let counts):
            if case .parked = end { self.room.park(key, of: file.root) }
            self.entries[key]?.phase = .putOff
            self.entries[key]?.tries += counts ? 1 : 0
            return self.schedule(key, due: newsMeanwhile ? now : due)
        }
        guard newsMeanwhile else { return self.remove(key) }
        self.settled.forget(file)
        self.entries[key]?.phase = .settling
        self.entries[key]?.shape = nil
        self.schedule(key, due: now)
    }

    // MARK: Entries

    private mutating func insert(_ file: WatchedPath, due: Duration?, always: Bool = false) -> Bool {
        if !always, !self.room.isFree(self.entries.count) {
            guard let other = self.room.givingWay(to: file.root) else {
                self.room.miss(root: file.root)
                return false
            }
            self.remove(other)
        }
        self.entries[file.key] = Entry(file: file)
        self.seen.append(file)
        if let due { self.schedule(file.key, due: due) }
        return true
    }

    private mutating func remove(_ key: PathBytes) {
        self.unpark(key)
        self.entries[key] = nil
        self.stability.forget(key)
    }

    private mutating func lookSoon(_ key: PathBytes, now: Duration) {
        if case .underway = self.entries[key]?.phase {
            self.entries[key]?.phase = .underway(newsMeanwhile: true)
            return
        }
        self.unpark(key)
        self.entries[key]?.phase = .settling
        self.schedule(key, due: now)
    }

    private mutating func unpark(_ key: PathBytes) {
        if let root = self.entries[key]?.file.root { self.room.unpark(key, of: root) }
    }

    private mutating func schedule(_ key: PathBytes, due: Duration) {
        self.entries[key]?.due = due
        self.agenda.add(key, due: due)
    }

    private mutating func enqueue(_ key: PathBytes) {
        self.unpark(key)
        self.entries[key]?.phase = .ready
        self.entries[key]?.due = nil
        self.queue.append(key)
    }
}
