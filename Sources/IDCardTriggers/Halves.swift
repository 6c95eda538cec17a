import Dispatch
import Synchronization

/// Two halves of a work, beside each other.
enum Halves {
    /// Does both halves and returns what each made; blocks until the longer one is done.
    ///
    /// - Parameter work: takes 0 for the first half, 1 for the second.
    static func both<Part: Sendable>(_ work: @Sendable (Int) -> Part) -> (Part, Part) {
        let parts = Mutex<[Part?]>([nil, nil])
        DispatchQueue.concurrentPerform(iterations: 2) { half in
            let part = work(half)
            parts.withLock { $0[half] = part }
        }
        let made = parts.withLock { $0.compactMap(\.self) }
        return (made[0], made[1])
    }

    /// Maps elements in their order, two halves of many beside each other.
    ///
    /// - Parameters:
    ///   - elements: what is mapped.
    ///   - least: from how many elements on they are halved; fewer are not worth another thread.
    ///   - transform: maps the elements of one half, so that it may keep something for the next one.
    static func map<Element: Sendable, Part: Sendable>(
        _ elements: [Element],
        least: Int,
        _ transform: @Sendable (ArraySlice<Element>) -> [Part]
    ) -> [Part] {
        guard elements.count >= least else { return transform(elements[...]) }
        let middle = elements.count / 2
        let (first, second) = Self.both { transform($0 == 0 ? elements[..<middle] : elements[middle...]) }
        return first + second
    }
}
