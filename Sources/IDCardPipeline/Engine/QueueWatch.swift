import IDCardCore
import Synchronization

/// Knows, within seconds, whether more cards are under way, or wait for a person, than the sandbox is to hold at a time.
final class QueueWatch: Sendable {
    /// What is counted.
    private enum Count: CaseIterable, Hashable {
        /// Cards that the pipeline still moves.
        case moving
        /// Cards that are held or blocked.
        case waiting

        /// How long an answer holds: the question is asked before every input.
        var validity: Duration {
            switch self {
            case .moving: .milliseconds(500)
            // They come to be slowly, and counting them reads more.
            case .waiting: .seconds(10)
            }
        }
    }

    private struct Answer {
        var isFull: Bool
        var askedAt: Timestamp
    }

    private let store: any CardStore
    private let limits: [Count: Int]
    private let time: PipelineTime
    private let answers = Mutex<[Count: Answer]>([:])

    /// Takes the limits from the settings.
    init(store: any CardStore, settings: EngineSettings, time: PipelineTime) {
        self.store = store
        self.limits = [.moving: settings.maximumQueueDepth, .waiting: settings.maximumWaitingDepth]
        self.time = time
    }

    /// Whether more may come in, as far as the queue goes.
    ///
    /// A store that does not answer holds nothing up: the input itself will meet its error.
    func pressure() async -> IntakePressure {
        if await self.isFull(.moving) {
            return .closed(
                .queueFull,
                message: "\(self.limit(of: .moving)) cards are under way, as many as sandbox.max_queue allows",
                retryAfter: .seconds(2)
            )
        }
        if await self.isFull(.waiting) {
            return .closed(
                .queueFull,
                message: "\(self.limit(of: .waiting)) cards wait for a person, as many as sandbox.max_waiting allows; "
                    + "decide on them (`cards list --state held`), or raise the limit",
                retryAfter: .seconds(60)
            )
        }
        return .open
    }

    private func limit(of count: Count) -> Int { self.limits[count] ?? .max }

    private func isFull(_ count: Count) async -> Bool {
        let now = self.time.now()
        let known = self.answers.withLock { answers in
            answers[count].flatMap { answer in
                let isValid = answer.askedAt <= now && now < answer.askedAt.advanced(by: count.validity)
                return isValid ? answer.isFull : nil
            }
        }
        if let known { return known }
        let limit = self.limit(of: count)
        let depth =
            switch count {
            case .moving: try? await self.store.queueDepth(upTo: limit)
            case .waiting: try? await self.store.waitingDepth(upTo: limit)
            }
        let isFull = (depth ?? 0) >= limit
        self.answers.withLock { $0[count] = Answer(isFull: isFull, askedAt: now) }
        return isFull
    }
}
