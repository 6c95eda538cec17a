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

    fileprivate struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Those of the channels that are no clients of ours any more.
        var turnedAway: Set<ObjectIdentifier> = []
        var addresses: [String: Int] = [:]
        var refused = 0
    }

    private let limits: ConnectionLimits
    private let state = Mutex(State())

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    /// How many connections are open and within the limits.
    var count: Int { self.state.withLock { $0.channels.count - $0.turnedAway.count } }
    /// How many were refused since the start.
    var refusedCount: Int { self.state.withLock { $0.refused } }

    /// Takes a connection in until it closes.
    ///
    /// One that is refused is kept here as well, as it lives on for the moment that its refusal takes; it takes nobody's
    /// room.
    func register(_ channel: any Channel) -> Admission {
        let name = ObjectIdentifier(channel)
        let address = channel.remoteAddress?.ipAddress ?? ""
        let admission = self.state.withLock { $0.admit(channel, named: name, of: address, within: self.limits) }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.forget(name, of: address) }
        }
        return admission
    }

    /// Ends all connections at once.
    func closeAll() {
        for channel in self.state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }
}

extension ConnectionRegister.State {
    fileprivate mutating func admit(
        _ channel: any Channel,
        named name: ObjectIdentifier,
        of address: String,
        within limits: ConnectionLimits
    ) -> ConnectionRegister.Admission {
        self.channels[name] = channel
        let ofAddress = self.addresses[address, default: 0]
        let hasRoom = self.channels.count - self.turnedAway.count <= limits.connections
        guard hasRoom, limits.connectionsPerAddress == 0 || ofAddress < limits.connectionsPerAddress else {
            self.refused += 1
            self.turnedAway.insert(name)
            return self.turnedAway.count <= limits.refusalsUnderWay ? .refused : .dropped
        }
        self.addresses[address] = ofAddress + 1
        return .taken
    }

    fileprivate mutating func forget(_ name: ObjectIdentifier, of address: String) {
        self.channels[name] = nil
        guard self.turnedAway.remove(name) == nil else { return }
        let left = self.addresses[address, default: 1] - 1
        self.addresses[address] = left > 0 ? left : nil
    }
}
