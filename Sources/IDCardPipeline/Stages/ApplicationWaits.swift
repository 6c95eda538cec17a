import IDCardCore

/// Until when business numbers wait, earliest first; each has one time at most. Looking and taking cost no more with
/// many than with few.
struct ApplicationWaits: Sendable {
    private struct Entry {
        var due: Timestamp
        var number: BusinessNumber
    }

    private var times: [BusinessNumber: Timestamp] = [:]
    /// A heap; entries that `times` does not confirm are void, and never the first.
    private var entries: [Entry] = []

    /// The earliest time; `nil` if nobody waits.
    var first: Timestamp? { self.entries.first?.due }

    /// Sets until when a business number waits, or that it does not.
    mutating func set(_ number: BusinessNumber, until time: Timestamp?) {
        guard self.times[number] != time else { return }
        self.times[number] = time
        if let time { self.push(Entry(due: time, number: number)) }
        // Void entries may be many if the same numbers wait again and again.
        if self.entries.count > 2 * self.times.count + 64 { self.rebuild() }
        self.dropVoid()
    }

    /// Takes out the first business number whose time has come.
    mutating func next(now: Timestamp) -> BusinessNumber? {
        guard let first = self.entries.first, first.due <= now else { return nil }
        self.times[first.number] = nil
        self.dropVoid()
        return first.number
    }

    private mutating func dropVoid() {
        while let first = self.entries.first, self.times[first.number] != first.due { self.removeFirst() }
    }

    private mutating func rebuild() {
        self.entries = []
        for (number, due) in self.times { self.push(Entry(due: due, number: number)) }
    }

    private mutating func push(_ entry: Entry) {
        self.entries.append(entry)
        var child = self.entries.count - 1
        while child > 0, self.entries[child].due < self.entries[(child - 1) / 2].due {
            self.entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func removeFirst() {
        self.entries.swapAt(0, self.entries.count - 1)
        self.entries.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < self.entries.count {
                if self.entries[child].due < self.entries[least].due { least = child }
            }
            guard least != parent else { return }
            self.entries.swapAt(parent, least)
            parent = least
        }
    }
}
