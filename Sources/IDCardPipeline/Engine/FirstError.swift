import Synchronization

/// Keeps the first error of several tasks for the one that watches over them.
final class FirstError: Sendable {
    private let stored = Mutex<(any Error)?>(nil)

    /// Keeps an error, if it is the first.
    func record(_ error: any Error) {
        self.stored.withLock { $0 = $0 ?? error }
    }

    /// Throws the error that was kept, if any.
    func check() throws {
        if let error = self.stored.withLock({ $0 }) { throw error }
    }
}
