/// The room in a ledger: files that wait for something that concerns their root alone, such as its manifest, give way to
/// files of other roots.
struct LedgerRoom {
    private let capacity: Int
    private var parked: [Int: Set<PathBytes>] = [:]
    /// The roots with files that found no room.
    private(set) var missed: Set<Int> = []

    /// Takes how many files there may be.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Notes that a file waits.
    mutating func park(_ key: PathBytes, of root: Int) {
        self.parked[root, default: []].insert(key)
    }

    /// Notes that a file waits no more.
    mutating func unpark(_ key: PathBytes, of root: Int) {
        guard self.parked[root]?.remove(key) != nil else { return }
        if self.parked[root]?.isEmpty == true { self.parked[root] = nil }
    }

    /// Whether there is room for one more, besides those that would give way.
    func isFree(_ count: Int) -> Bool {
        count < self.capacity
    }

    /// A file that gives way to one of a root; its own root is looked through again once there is room.
    mutating func givingWay(to root: Int) -> PathBytes? {
        guard let other = self.parked.first(where: { $0.key != root }), let key = other.value.first else { return nil }
        self.missed.insert(other.key)
        return key
    }

    /// Notes that a file of a root found no room.
    mutating func miss(root: Int) {
        self.missed.insert(root)
    }

    /// Takes out the roots with files that found no room for which there is now room for at least half as many as there
    /// may be.
    mutating func rootsWithRoom(count: Int) -> [Int] {
        let waiting = self.parked.values.reduce(0) { $0 + $1.count }
        let roots = self.missed.filter { root in
            let room = self.capacity - count + waiting - (self.parked[root]?.count ?? 0)
            return room * 2 >= self.capacity
        }
        self.missed.subtract(roots)
        return roots.sorted()
    }
}
