import NIOCore
import Synchronization

/// What is known of one connection of the pool.
final class ConnectionFacts: Sendable {
    /// The counts; bytes as plain text, also under TLS.
    struct Counts: Sendable {
        /// How many requests were begun.
        var requests = 0
        /// How many are under way. Two, for a moment, where the pool gives the connection to the next request before the
        /// last one has told its owner that it is over.
        var underWay = 0
        /// The bytes handed to the connection.
        var written: UInt64 = 0
        /// The bytes of the last write.
        var lastWrite = 0
        /// The bytes that came.
        var received: UInt64 = 0
    }

    /// The connection.
    let channel: any Channel
    /// Its peer; a channel that has closed no longer knows.
    let address: SocketAddress?
    private let state = Mutex(Counts())

    /// Describes a fresh connection.
    init(channel: any Channel) {
        self.channel = channel
        self.address = channel.remoteAddress
    }

    /// Whether a request is under way.
    var isBusy: Bool { self.counts.underWay > 0 }

    /// The counts so far.
    var counts: Counts { self.state.withLock { $0 } }

    /// The bytes handed to the connection that the socket has not taken yet; to be asked on the event loop.
    var buffered: Int {
        // Without an answer everything counts as taken: no timeout is better than a wrong one.
        (try? self.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Counts bytes handed to the connection.
    func write(_ count: Int) {
        self.state.withLock { state in
            state.written += UInt64(count)
            state.lastWrite = count
        }
    }

    /// Counts bytes that came.
    func receive(_ count: Int) {
        self.state.withLock { $0.received += UInt64(count) }
    }

    /// Begins a request whose head was the last write, and returns the counts from before.
    func begin() -> Counts {
        self.state.withLock { state in
            let before = state
            state.requests += 1
            state.underWay += 1
            return before
        }
    }

    /// Ends a request.
    func end() {
        self.state.withLock { $0.underWay -= 1 }
    }
}
