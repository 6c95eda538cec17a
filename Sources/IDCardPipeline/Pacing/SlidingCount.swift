import IDCardCore

/// How many things happened within the last so many seconds, exactly.
///
/// Holds one entry for each millisecond in which something happened, so its size is bounded by the window.
struct SlidingCount: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var time: Timestamp
        var count: Int
    }

    let window: Duration
    private var entries: [Entry] = []
    private var first = 0
    /// How many lie within the window, as of the last call.
    private(set) var count = 0

    init(window: Duration) {
        self.window = window
    }

    /// Counts something.
    mutating func add(at now: Timestamp) {
        self.expire(at: now)
        // A clock that was set back must not put the entries out of order.
        let time = max(now, self.entries.last?.time ?? now)
        if let last = self.entries.indices.last, last >= self.first, self.entries[last].time == time {
            self.entries[last].count += 1
        } else {
            self.entries.append(Entry(time: time, count: 1))
        }
        self.count += 1
    }

    /// Takes back something that was counted at a time, unless it is forgotten already.
    mutating func remove(at time: Timestamp) {
        let candidates = self.entries[self.first...]
        guard let index = candidates.firstIndex(where: { $0.time >= time && $0.count > 0 }) else { return }
        self.entries[index].count -= 1
        self.count -= 1
    }

    /// Forgets what lies before the window.
    mutating func expire(at now: Timestamp) {
        while self.first < self.entries.count, self.entries[self.first].time.advanced(by: self.window) <= now {
            self.count -= self.entries[self.first].count
            self.first += 1
        }
        guard self.first > 64, self.first * 2 > self.entries.count else { return }
        self.entries.removeFirst(self.first)
        self.first = 0
    }

    /// Forgets everything.
    mutating func clear() {
        (self.entries, self.first, self.count) = ([], 0, 0)
    }

    /// When the count will be at most `limit` if nothing is added; `now` if it is.
    func time(whenAtMost limit: Int, at now: Timestamp) -> Timestamp {
        var rest = self.count
        var time = now
        for entry in self.entries[self.first...] where rest > limit {
            rest -= entry.count
            time = entry.time.advanced(by: self.window)
        }
        return max(time, now)
    }
}
