import NIOCore
import NIOSSL
import Synchronization

/// The open connections: counts them, closes some to admit new ones, and closes the rest when the shutdown time is over.
final class ConnectionRegister: Sendable {
    enum Acceptance: Sendable {
        /// The connection is within the limits.
        case accepted
        /// The client gets an answer that there are too many connections.
        case refused
        /// Closed without an answer: too many are being refused already, and each holds a descriptor meanwhile.
        case dropped
    }

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Connections without a request with a valid token or signature so far, by address.
        var anonymous = EvictableConnections()
        /// The others, by the subject of their last token or secret.
        var authenticated = EvictableConnections()
        /// Refused connections that get an answer, and evicted ones that are about to close.
        var turnedAway: Set<ObjectIdentifier> = []
        var refused = 0
    }

    private let limits: ConnectionLimits
    private let state = Mutex(State())

    init(limits: ConnectionLimits) { self.limits = limits }

    /// How many connections are open and within the limits, and how many were refused or gave way since the start.
    var counts: (open: Int, refused: Int) {
        self.state.withLock { ($0.channels.count - $0.turnedAway.count, $0.refused) }
    }

    /// Registers a connection until it closes. At the limit, an anonymous one is evicted, else one of the subject with most
    /// connections: the one that has not shown its token for longest. If each subject has only one, the new connection is
    /// refused: it stays open for its answer, and does not count.
    func register(_ channel: any Channel) -> Acceptance {
        let name = ObjectIdentifier(channel)
        let (acceptance, evicted) = self.state.withLock { state -> (Acceptance, (any Channel)?) in
            state.channels[name] = channel
            let isFull = state.channels.count - state.turnedAway.count > self.limits.connections
            let evicted =
                isFull ? state.anonymous.evictOldest() ?? state.authenticated.evictOldest(ofHoldersAbove: 1) : nil
            if isFull { state.refused += 1 }
            if isFull, evicted == nil {
                state.turnedAway.insert(name)
                return (state.turnedAway.count <= self.limits.refusedConnections ? .refused : .dropped, nil)
            }
            if let evicted { state.turnedAway.insert(ObjectIdentifier(evicted)) }
            state.anonymous.add(channel, of: channel.remoteAddress?.network ?? "", size: 1)
            return (.accepted, evicted)
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.channels[name] = nil
                state.anonymous.remove(channel)
                state.authenticated.remove(channel)
                state.turnedAway.remove(name)
            }
        }
        if let evicted { Self.cutOff(evicted) }
        return acceptance
    }

    func recordAuthenticated(_ channel: any Channel, as subject: String) {
        self.state.withLock { state in
            guard !state.turnedAway.contains(ObjectIdentifier(channel)) else { return }
            state.anonymous.remove(channel)
            state.authenticated.remove(channel)
            state.authenticated.add(channel, of: subject, size: 1)
        }
    }

    /// Closes a connection without TLS's close message: a client that does not answer it would keep the descriptor for
    /// seconds.
    private static func cutOff(_ channel: any Channel) {
        channel.eventLoop.execute {
            let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            if let tls { tls.close(promise: nil) } else { channel.close(promise: nil) }
        }
    }

    func closeAll() {
        for channel in self.state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }
}

/// Connections that can be evicted, with a size each, by holder: an address, or the subject of the token or secret.
///
/// The oldest connection of the largest holder is evicted. So a client that only waits keeps no other client out, and clients of
/// other addresses notice nothing. Behind a proxy, where all clients share an address, new ones are still served.
struct EvictableConnections {
    private struct Entry {
        let channel: any Channel
        let holder: String
        var size: Int
    }

    /// The oldest first.
    private var entries: [Entry] = []
    var size: Int { self.entries.reduce(0) { $0 + $1.size } }

    private func index(of channel: any Channel) -> Int? { self.entries.firstIndex { $0.channel === channel } }

    func contains(_ channel: any Channel) -> Bool { self.index(of: channel) != nil }

    mutating func add(_ channel: any Channel, of holder: String, size: Int) {
        self.entries.append(Entry(channel: channel, holder: holder, size: size))
    }

    /// Changes the size of a connection; its age stays.
    mutating func resize(_ channel: any Channel, to size: Int) {
        if let index = self.index(of: channel) { self.entries[index].size = size }
    }

    mutating func remove(_ channel: any Channel) { self.entries.removeAll { $0.channel === channel } }

    /// Removes the connection to evict and returns it; `nil` if no holder's total exceeds `minimum`.
    mutating func evictOldest(ofHoldersAbove minimum: Int = 0) -> (any Channel)? {
        var sizes: [String: Int] = [:]
        for entry in self.entries { sizes[entry.holder, default: 0] += entry.size }
        guard let largest = sizes.values.max(), largest > minimum else { return nil }
        let index = self.entries.firstIndex { $0.size > 0 && sizes[$0.holder] == largest }
        return index.map { self.entries.remove(at: $0).channel }
    }
}
