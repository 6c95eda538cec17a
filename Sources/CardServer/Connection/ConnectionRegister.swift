import NIOCore
import NIOSSL
import Synchronization

/// The connections that are open: counts them, makes room for newcomers, and ends those that are left when the time to
/// end has run out.
final class ConnectionRegister: Sendable {
    enum NewCard: Sendable {
        /// It is within the limits.
        case taken
        /// It is told that there are too many.
        case refused
        /// It ends without a word: too many are being told already, and each holds a descriptor meanwhile.
        case dropped
    }

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Those that no request with a valid token or signature came by yet, by address.
        var anonymous = EvictableConnections()
        /// The others, by whose token or secret they showed last.
        var known = EvictableConnections()
        /// Those that are being told that there are too many, and those that gave way and are about to end.
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

    /// Takes a connection in until it closes; if all places are taken, a stranger gives way to it, else a connection of the
    /// subject that has most: the one that has shown its token least lately. If each subject has one, the newcomer is
    /// refused: it lives on for the moment that its refusal takes, and takes no place.
    func register(_ channel: any Channel) -> NewCard {
        let name = ObjectIdentifier(channel)
        let (admission, leaving) = self.state.withLock { state -> (NewCard, (any Channel)?) in
            state.channels[name] = channel
            let isFull = state.channels.count - state.turnedAway.count > self.limits.connections
            let leaving = isFull ? state.anonymous.giveWay() ?? state.known.giveWay(ifMoreThan: 1) : nil
            if isFull { state.refused += 1 }
            if isFull, leaving == nil {
                state.turnedAway.insert(name)
                return (state.turnedAway.count <= self.limits.refusedConnections ? .refused : .dropped, nil)
            }
            if let leaving { state.turnedAway.insert(ObjectIdentifier(leaving)) }
            state.anonymous.add(channel, of: channel.remoteAddress.map(ServerContext.network(of:)) ?? "", size: 1)
            return (.taken, leaving)
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.channels[name] = nil
                state.anonymous.remove(channel)
                state.known.remove(channel)
                state.turnedAway.remove(name)
            }
        }
        if let leaving { Self.cutOff(leaving) }
        return admission
    }

    /// A request with a valid token or signature came by a connection.
    func recordAuthenticated(_ channel: any Channel, as subject: String) {
        self.state.withLock { state in
            guard !state.turnedAway.contains(ObjectIdentifier(channel)) else { return }
            state.anonymous.remove(channel)
            state.known.remove(channel)
            state.known.add(channel, of: subject, size: 1)
        }
    }

    /// Ends a connection without a goodbye: within TLS, a client that does not answer it would keep the descriptor for
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

/// Connections that take up room and give way, by holder: an address, or the subject whose token or secret they showed.
///
/// Where there is no room, the oldest of the holder that takes up most gives way: a client that only waits keeps no other
/// out, clients of another address notice nothing, and behind a proxy, where all have one address, newcomers are served.
struct EvictableConnections {
    private struct Entry {
        let channel: any Channel
        let holder: String
        var size: Int
    }

    /// The oldest first.
    private var entries: [Entry] = []
    /// What all of them take up.
    var size: Int { self.entries.reduce(0) { $0 + $1.size } }

    private func place(of channel: any Channel) -> Int? { self.entries.firstIndex { $0.channel === channel } }

    func contains(_ channel: any Channel) -> Bool { self.place(of: channel) != nil }

    mutating func add(_ channel: any Channel, of holder: String, size: Int) {
        self.entries.append(Entry(channel: channel, holder: holder, size: size))
    }

    /// One takes up more, or less; it keeps its place.
    mutating func resize(_ channel: any Channel, to size: Int) {
        if let place = self.place(of: channel) { self.entries[place].size = size }
    }

    mutating func remove(_ channel: any Channel) {
        if let place = self.place(of: channel) { self.entries.remove(at: place) }
    }

    /// Removes the one that gives way and returns it; `nil` if no holder takes up more room than so much.
    mutating func giveWay(ifMoreThan least: Int = 0) -> (any Channel)? {
        var sizes: [String: Int] = [:]
        for entry in self.entries { sizes[entry.holder, default: 0] += entry.size }
        guard let most = sizes.values.max(), most > least else { return nil }
        let place = self.entries.firstIndex { $0.size > 0 && sizes[$0.holder] == most }
        return place.map { self.entries.remove(at: $0).channel }
    }
}
