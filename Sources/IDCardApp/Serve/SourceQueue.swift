import IDCardCore
import IDCardPipeline
import Synchronization

/// The inputs of a run that are still to be taken in, handed out one by one to many takers; those to be tried again come
/// when they are due.
final class SourceQueue: Sendable {
    /// An input and its place in the list.
    struct Entry: Sendable {
        /// From 1.
        let place: Int
        let item: IntakeItem
        /// How often it was tried.
        var tries = 0
    }

    /// What a taker is to do next.
    enum Turn: Sendable {
        case take(Entry)
        /// Nothing before this time.
        case wait(until: Timestamp)
        /// Nothing any more.
        case rest
    }

    private struct State {
        var fresh: Int
        /// What was put off, by the number of tries: within each the first one is due first.
        var putOff: [Int: ArraySlice<(due: Timestamp, entry: Entry)>] = [:]
    }

    private let items: IntakeList
    private let state: Mutex<State>

    init(_ items: IntakeList) {
        self.items = items
        self.state = Mutex(State(fresh: 0))
    }

    /// Hands out what is due: those put off before those never tried.
    func next(now: Timestamp) -> Turn {
        self.state.withLock { state in
            let first = state.putOff.compactMap { tries, line in line.first.map { (tries: tries, due: $0.due) } }
                .min { $0.due < $1.due }
            if let first, first.due <= now || state.fresh == self.items.count {
                guard first.due <= now else { return .wait(until: first.due) }
                let entry = state.putOff[first.tries]?.popFirst()?.entry
                if state.putOff[first.tries]?.isEmpty ?? true { state.putOff[first.tries] = nil }
                if let entry { return .take(entry) }
            }
            guard state.fresh < self.items.count else { return .rest }
            defer { state.fresh += 1 }
            return .take(Entry(place: state.fresh + 1, item: self.items[state.fresh]))
        }
    }

    /// Puts an input off that is to be tried again.
    func putOff(_ entry: Entry, until due: Timestamp) {
        var entry = entry
        entry.tries += 1
        self.state.withLock { $0.putOff[entry.tries, default: []].append((due, entry)) }
    }
}
