import NIOCore

/// Notices that nothing has happened for too long: a pure clockwork, fed with what is seen and when.
struct IdleClock: Sendable {
    /// What is seen of a request.
    struct Sight: Equatable, Sendable {
        /// Whether the whole request was taken by the socket.
        var requestSent: Bool
        /// The bytes handed to the connection.
        var written: UInt64
        /// Those of them the socket has not taken yet.
        var buffered: Int
        /// The bytes the peer's kernel has acknowledged; 0 if it is not known.
        var acknowledged: UInt64 = 0
        /// The bytes that came.
        var received: UInt64
    }

    /// What has been idle for too long.
    enum Verdict: Error {
        /// The remote takes no bytes of the body.
        case write
        /// The remote does not answer.
        case read
    }

    private let limits: IdleLimits
    private var last: Sight?
    private var since: NIODeadline

    /// Starts the clock.
    init(_ limits: IdleLimits, now: NIODeadline) {
        self.limits = limits
        self.since = now
    }

    /// Takes a look; any progress sets the clock back.
    mutating func look(_ sight: Sight, now: NIODeadline) -> Verdict? {
        // With nothing to be taken, it is our own source that is slow.
        let isOurTurn = !sight.requestSent && sight.buffered == 0
        if sight != self.last || isOurTurn {
            self.last = sight
            self.since = now
            return nil
        }
        guard let limit = sight.requestSent ? self.limits.read : self.limits.write else { return nil }
        guard now - self.since >= limit else { return nil }
        return sight.requestSent ? .read : .write
    }
}
