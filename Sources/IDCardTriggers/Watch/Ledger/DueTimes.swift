/// What is to be done when, earliest first; an entry is never taken out before its time, only overtaken by a later one
/// that the owner knows of.
struct DueTimes<Key: Hashable> {
    private struct Item {
        var due: Duration
        var order: UInt64
        var key: Key
    }

    private var items: [Item] = []
    private var lastOrder: UInt64 = 0

    /// When the first entry is due.
    var first: Duration? { self.items.first?.due }

    /// How many entries there are.
    var count: Int { self.items.count }

    /// Adds an entry; of those due at the same time the first added comes first.
    mutating func add(_ key: Key, due: Duration) {
        self.lastOrder += 1
        self.items.append(Item(due: due, order: self.lastOrder, key: key))
        var child = self.items.count - 1
        while child > 0, self.precedes(child, (child - 1) / 2) {
            self.items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes out the first entry, if it is due.
    mutating func next(now: Duration) -> (key: Key, due: Duration)? {
        guard let first = self.items.first, first.due <= now else { return nil }
        self.items.swapAt(0, self.items.count - 1)
        self.items.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < self.items.count {
                if self.precedes(child, least) { least = child }
            }
            guard least != parent else { break }
            self.items.swapAt(parent, least)
            parent = least
        }
        return (first.key, first.due)
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (self.items[left], self.items[right])
        return (left.due, left.order) < (right.due, right.order)
    }
}
