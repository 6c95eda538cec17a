import Synchronization

/// A word from one task to another that something is done.
final class Flag: Sendable {
    private let value = Atomic(false)

    /// Whether it was raised.
    var isRaised: Bool { self.value.load(ordering: .acquiring) }

    func raise() {
        self.value.store(true, ordering: .releasing)
    }
}
