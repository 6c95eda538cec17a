import IDCardPipeline
import Synchronization

/// When the write-ahead log is moved into the database, and how long readers are waited for.
///
/// SQLite starts the log anew only at a moment at which nobody reads from it; readers that follow each other without a
/// gap would let it grow for ever. So from a limit on, new writes wait for the readers that are there: new ones find
/// everything in the database and do not stand in the way.
final class WriteAheadLog: Sendable {
    /// What is to be done after a commit.
    enum Duty: Hashable, Sendable {
        case nothing
        /// Move what nobody needs in the log any more.
        case checkpoint
        /// Empty it, and wait so long for readers.
        case emptying(wait: Duration)
    }

    private struct State {
        /// Pages written since everything was last moved; an estimate.
        var pages = 0
        /// The size at which emptying is tried again after it failed.
        var retrySize = 0
        var failures = 0
        var failure: (any Error)?
    }

    /// 16 MiB: what is written many times is moved once.
    private static let mostPages = 2000
    private static let pageSize = 8192
    /// A row stands on a page of its table and on those of some indexes.
    private static let pagesPerRow = 3

    private let limit: Int
    /// Others wait for the turn meanwhile; they must not give up.
    private let longestWait: Duration
    private let state = Mutex(State())

    init(limit: Int, busyTimeout: Duration) {
        self.limit = limit
        self.longestWait = min(busyTimeout / 6, .seconds(5))
    }

    /// Why the last checkpoint failed, if it did.
    var failure: (any Error)? { self.state.withLock { $0.failure } }

    /// Notes how the last checkpoint failed, or with `nil` that it did not.
    func note(_ failure: (any Error)?) {
        self.state.withLock { $0.failure = failure }
    }

    /// Notes a commit.
    func grew(by bytes: Int, rows: Int) {
        self.state.withLock { $0.pages += bytes / Self.pageSize + rows * Self.pagesPerRow }
    }

    /// What is to be done now.
    ///
    /// - Parameter size: the size of the log in bytes.
    func due(size: Int) -> Duty {
        self.state.withLock { state in
            if size >= max(self.limit, state.retrySize) {
                let wait = Duration.milliseconds(100) * (1 << min(state.failures, 10))
                return .emptying(wait: min(wait, self.longestWait))
            }
            return state.pages >= Self.mostPages ? .checkpoint : .nothing
        }
    }

    /// Notes the end of a checkpoint; one that readers stopped half-way is tried again soon.
    func checkpointed(wholly: Bool) {
        self.state.withLock { $0.pages = wholly ? 0 : Self.mostPages * 3 / 4 }
    }

    /// Notes the end of an emptying; one that failed is tried again after the log has grown by a quarter.
    ///
    /// So however long somebody reads, what is waited for them stays small beside what is written.
    func tried(emptied: Bool, size: Int) {
        self.state.withLock { state in
            if emptied {
                (state.pages, state.retrySize, state.failures) = (0, 0, 0)
            } else {
                state.retrySize = size + max(size, self.limit) / 4
                state.failures += 1
            }
        }
    }
}
