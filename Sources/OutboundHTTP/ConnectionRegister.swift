import NIOCore
import NIOHTTP1
import Synchronization

/// The open connections of a client.
final class ConnectionRegister: Sendable {
    private struct State {
        var open: [ObjectIdentifier: ConnectionFacts] = [:]
        var latest: ConnectionFacts?
    }

    private let state = Mutex(State())

    /// The connection that was written to last. As all connections of a client share one event loop, it is the one of
    /// a head whose sending is just being reported.
    var latest: ConnectionFacts? { self.state.withLock { $0.latest } }

    /// Begins to watch a connection that has just been opened, TLS included.
    func watch(_ channel: any Channel) -> EventLoopFuture<Void> {
        let facts = ConnectionFacts(channel: channel)
        do {
            let pipeline = channel.pipeline.syncOperations
            // Between TLS and HTTP: plain text, but all of it.
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(ConnectionWatch(facts, register: self), position: .before(encoder))
            self.state.withLock { $0.open[ObjectIdentifier(facts)] = facts }
        } catch {
            // It closed meanwhile; whoever uses it will meet that.
        }
        return channel.eventLoop.makeSucceededVoidFuture()
    }

    /// Notes that a connection is being written to.
    func use(_ facts: ConnectionFacts) {
        self.state.withLock { $0.latest = facts }
    }

    /// Forgets a connection that is closed.
    func forget(_ facts: ConnectionFacts) {
        self.state.withLock { state in
            state.open[ObjectIdentifier(facts)] = nil
            if state.latest === facts { state.latest = nil }
        }
    }

    /// The most time the closing of a connection is waited for: over TLS the peer has a word in it, and may be dead.
    private static let closingTime: TimeAmount = .milliseconds(250)

    /// Closes the unused connections to the address of a connection, and waits for it: where one was found dead the
    /// others may be too, and the next request shall meet none of them.
    func closeUnused(like stale: ConnectionFacts) async {
        let loop = stale.channel.eventLoop
        let done = loop.makePromise(of: Void.self)
        let timer = loop.scheduleTask(in: Self.closingTime) { done.succeed() }
        // On the loop, where requests begin: looked at from elsewhere, a connection that is unused now may have a
        // request by the time it is closed, which would then end as one the remote broke.
        loop.execute {
            let others = self.unused(like: stale)
            for other in others { other.channel.close(promise: nil) }
            // The pool was told first: it has asked for this future when the connection was made.
            EventLoopFuture.andAllComplete((others + [stale]).map(\.channel.closeFuture), on: loop)
                .whenComplete { _ in done.succeed() }
        }
        try? await done.futureResult.get()
        timer.cancel()
    }

    /// The other connections to the same address that have served and do not serve now; one that has not is fresh, and
    /// on its way to the request it was opened for.
    private func unused(like stale: ConnectionFacts) -> [ConnectionFacts] {
        self.state.withLock { Array($0.open.values) }.filter { other in
            other !== stale && other.address == stale.address && other.counts.requests > 0 && !other.isBusy
        }
    }
}
