import Glibc
import NIOCore
import NIOPosix

/// Resolves the names of hosts; tests replace it.
struct HostResolver: Sendable {
    /// Why no address was found for a name.
    enum Failure: Error, Hashable, Sendable {
        case noAddress
        /// The name service failed, or did not answer in time.
        case unavailable
    }

    /// Returns all addresses, the preferred ones first; throws ``Failure``, or `CancellationError`.
    var resolve: @Sendable (_ name: String) async throws -> [IPAddress]
}

extension HostResolver {
    /// Threads for name resolution only, because an unresponsive name service blocks a thread for many seconds.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: Limits.resolverThreads)
        threads.start()
        return threads
    }()

    /// Resolves through the system, as `getaddrinfo` does: `/etc/hosts`, then the name service, sorted by RFC 6724.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for an answer. The system may take longer, and its call cannot be cancelled, so it then
    ///     continues without a reader.
    ///   - lookUp: the blocking call.
    static func system(
        timeout: Duration,
        lookUp: @escaping @Sendable (String) throws -> [IPAddress] = Self.lookUp
    ) -> HostResolver {
        HostResolver { name in
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let promise = loop.makePromise(of: [IPAddress].self)
            let timer = loop.scheduleTask(in: TimeAmount(timeout)) { promise.fail(Failure.unavailable) }
            let deadline = NIODeadline.now() + TimeAmount(timeout)
            let answer = Self.threads.runIfActive(eventLoop: loop) {
                // If all threads were busy until the deadline, no task waits for the answer any longer.
                guard deadline > .now() else { throw Failure.unavailable }
                return try lookUp(name)
            }
            answer.cascade(to: promise)
            defer { timer.cancel() }
            return try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                promise.fail(CancellationError())
            }
        }
    }

    /// `EAI_NODATA` of glibc, a macro that Swift does not import: the name exists, but has no address.
    private static let noData: CInt = -5

    /// Calls `getaddrinfo`, which blocks.
    private static func lookUp(_ name: String) throws(Failure) -> [IPAddress] {
        var hints = addrinfo()
        // Both families, and no mapped addresses, so that each address is checked in its own form.
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, nil, &hints, &list)
        guard status == 0, let list else {
            throw status == EAI_NONAME || status == Self.noData ? .noAddress : .unavailable
        }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list) { $0.pointee.ai_next }.compactMap { IPAddress($0.pointee) }
        guard !addresses.isEmpty else { throw .noAddress }
        return addresses
    }
}
