import IDCardCore
import Synchronization

/// Passes events to the observer and remembers when a card last moved.
final class PipelineMonitor: Sendable {
    private let lastChange: Mutex<Timestamp>
    private let time: PipelineTime
    private let observer: @Sendable (PipelineEvent) -> Void

    init(time: PipelineTime, observer: @escaping @Sendable (PipelineEvent) -> Void) {
        self.time = time
        self.observer = observer
        self.lastChange = Mutex(time.now())
    }

    /// When a card last moved, or an input was dealt with.
    var lastChangeAt: Timestamp { self.lastChange.withLock { $0 } }

    /// Counts the patience from now, by a clock that went back.
    func restartPatience(at now: Timestamp) {
        self.lastChange.withLock { $0 = min($0, now) }
    }

    /// Reports a card that moved.
    ///
    /// - Parameter isProgress: whether that brings it nearer to its end; forming a delivery and taking it apart again does not.
    func changed(_ card: Card, isProgress: Bool = true) {
        if isProgress { self.touch() }
        self.observer(.cardChanged(card))
    }

    /// Reports anything else.
    func report(_ event: PipelineEvent) {
        if case .input = event { self.touch() }
        self.observer(event)
    }

    private func touch() {
        let now = self.time.now()
        self.lastChange.withLock { $0 = max($0, now) }
    }
}
