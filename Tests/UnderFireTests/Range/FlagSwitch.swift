import Synchronization

/// Something that is turned on once, from any thread.
final class FlagSwitch: Sendable {
    private let state = Mutex(false)

    /// Whether it is on.
    var isOn: Bool { self.state.withLock { $0 } }

    /// Turns it on.
    func turnOn() {
        self.state.withLock { $0 = true }
    }
}
