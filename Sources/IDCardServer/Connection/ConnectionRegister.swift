import NIOCore
import Synchronization

/// The connections that are open: counts them, and ends those that are left when the time to end has run out.
final class ConnectionRegister: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var addresses: [String: Int] = [:]
        var refused = 0
    }

    private let limits: ConnectionLimits
    private let state = Mutex(State())

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    /// How many connections are open.
    var count: Int { self.state.withLock { $0.channels.count } }
    /// How many were refused since the start.
    var refusedCount: Int { self.state.withLock { $0.refused } }

    /// Takes a connection in until it closes; returns whether it is within the limits.
    ///
    /// One that is not is kept here as well, as it lives on for the moment that its refusal takes.
    func register(_ channel: any Channel) -> Bool {
        let name = ObjectIdentifier(channel)
        let address = channel.remoteAddress?.ipAddress ?? ""
        let isWithin = self.state.withLock { state in
            let ofAddress = state.addresses[address, default: 0]
            let hasRoom = state.channels.count < self.limits.connections
            let addressHasRoom =
                self.limits.connectionsPerAddress == 0 || ofAddress < self.limits.connectionsPerAddress
            state.channels[name] = channel
            state.addresses[address] = ofAddress + 1
            if !hasRoom || !addressHasRoom { state.refused += 1 }
            return hasRoom && addressHasRoom
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.channels[name] = nil
                let left = state.addresses[address, default: 1] - 1
                state.addresses[address] = left > 0 ? left : nil
            }
        }
        return isWithin
    }

    /// Ends all connections at once.
    func closeAll() {
        for channel in self.state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }
}
