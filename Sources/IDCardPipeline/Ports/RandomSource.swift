import Synchronization

/// A source of random numbers that many tasks share; tests seed one of their own.
package final class RandomSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    /// Wraps a generator; by default the system's.
    package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Mutex(generator)
    }

    /// Calls a function with exclusive use of the generator.
    package func draw<Value: Sendable>(_ function: (inout any RandomNumberGenerator & Sendable) -> Value) -> Value {
        self.generator.withLock { function(&$0) }
    }
}
