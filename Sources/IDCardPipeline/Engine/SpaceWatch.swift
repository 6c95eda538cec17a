import Synchronization

/// Asks the store how much room there is, and tells the observer when that changes.
final class SpaceWatch: Sendable {
    private struct State {
        var last = StoreSpace.ample
        /// Whether a change failed for want of room, whatever the store says beforehand; until one succeeds.
        var isFull = false
    }

    private let store: any CardStore
    private let monitor: PipelineMonitor
    private let state = Mutex(State())

    init(store: any CardStore, monitor: PipelineMonitor) {
        self.store = store
        self.monitor = monitor
    }

    /// How much room the store says there is.
    func look() async -> StoreSpace {
        let space = await self.store.space()
        let isNews = self.state.withLock { state in
            if space == .ample, state.isFull { return false }
            defer { state.last = space }
            return !space.isAsScarce(as: state.last)
        }
        if isNews { self.monitor.report(.spaceChanged(space)) }
        return space
    }

    /// Notes that a change failed for want of room.
    func failed(_ message: String) {
        let isNews = self.state.withLock { state in
            state.isFull = true
            guard state.last == .ample else { return false }
            state.last = .low(message: message)
            return true
        }
        if isNews { self.monitor.report(.spaceChanged(.low(message: message))) }
    }

    /// Notes that a change that needs room succeeded.
    func succeeded() {
        self.state.withLock { $0.isFull = false }
    }
}

extension StoreSpace {
    /// Whether the same work may go on; the figures in the message may differ.
    fileprivate func isAsScarce(as other: StoreSpace) -> Bool {
        self.allowsIntake == other.allowsIntake && self.allowsVerification == other.allowsVerification
    }
}
