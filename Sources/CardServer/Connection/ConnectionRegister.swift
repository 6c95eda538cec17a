import NIOCore
import Synchronization

/// The connections that are open: counts them, and ends those that are left when the time to end has run out.
final class ConnectionRegister: Sendable {
    /// What becomes of a connection.
    enum Admission: Sendable {
        /// It is within the limits.
        case taken
        /// It is told that there are too many.
        case refused
        /// It ends without a word: too many are being told already, and each holds a descriptor meanwhile.
        case dropped
    }

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Those that are being told that there are too many.
        var turnedAway: Set<ObjectIdentifier> = []
        var refused = 0
    }

    private let limits: ConnectionLimits
    private let state = Mutex(State())

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    /// How many connections are open and within the limits, and how many were refused since the start.
    var counts: (open: Int, refused: Int) {
        self.state.withLock { ($0.channels.count - $0.turnedAway.count, $0.refused) }
    }

    /// Takes a connection in until it closes. One that is refused lives on for the moment that its refusal takes, and
    /// takes nobody's room.
    func register(_ channel: any Channel) -> Admission {
        let name = ObjectIdentifier(channel)
        let admission = self.state.withLock { state -> Admission in
            state.channels[name] = channel
            guard state.channels.count - state.turnedAway.count > self.limits.connections else { return .taken }
            state.refused += 1
            state.turnedAway.insert(name)
            return state.turnedAway.count <= self.limits.refusedConnections ? .refused : .dropped
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.channels[name] = nil
                state.turnedAway.remove(name)
            }
        }
        return admission
    }

    /// Ends all connections at once.
    func closeAll() {
        for channel in self.state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }
}
