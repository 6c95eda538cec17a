import IDCardCore
import Synchronization

/// Knows, within half a second, whether more cards are under way than the sandbox is to hold at a time.
final class QueueWatch: Sendable {
    private struct State {
        var isFull = false
        var askedAt: Timestamp?
    }

    /// How long an answer holds: the question is asked before every input.
    private static let validity = Duration.milliseconds(500)

    private let store: any CardStore
    private let limit: Int
    private let time: PipelineTime
    private let state = Mutex(State())

    init(store: any CardStore, limit: Int, time: PipelineTime) {
        self.store = store
        self.limit = limit
        self.time = time
    }

    /// Whether more may come in, as far as the queue goes.
    ///
    /// A store that does not answer holds nothing up: the input itself will meet its error.
    func pressure() async -> IntakePressure {
        let now = self.time.now()
        let known = self.state.withLock { state in
            state.askedAt.flatMap { now < $0.advanced(by: Self.validity) ? state.isFull : nil }
        }
        let isFull: Bool
        if let known {
            isFull = known
        } else {
            isFull = ((try? await self.store.queueDepth(upTo: self.limit)) ?? 0) >= self.limit
            self.state.withLock { $0 = State(isFull: isFull, askedAt: now) }
        }
        guard isFull else { return .open }
        return .closed(
            .queueFull,
            message: "\(self.limit) cards are under way, as many as sandbox.max_queue allows",
            retryAfter: .seconds(2)
        )
    }
}
