/// Small counts by subject, of those that were counted last: what a stage remembers of cards must not grow with the cards
/// that it has ever seen.
struct RecentCounts: Hashable, Sendable {
    private let capacity: Int
    private var young: [String: Int] = [:]
    private var old: [String: Int] = [:]

    /// Makes counts that are all 0.
    ///
    /// - Parameter capacity: how many subjects are remembered at least; it is never more than twice as many.
    init(capacity: Int = 5000) {
        self.capacity = capacity
    }

    /// How many subjects have a count.
    var count: Int { self.young.count + self.old.count }

    /// The count of a subject; 0 for one that is forgotten, too.
    subscript(subject: String) -> Int {
        get { self.young[subject] ?? self.old[subject] ?? 0 }
        set {
            self.old[subject] = nil
            self.young[subject] = newValue == 0 ? nil : newValue
            guard self.young.count >= self.capacity else { return }
            (self.old, self.young) = (self.young, [:])
        }
    }
}
