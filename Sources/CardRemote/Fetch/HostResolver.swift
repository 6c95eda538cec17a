import Glibc
import NIOCore
import NIOPosix

struct HostResolver: Sendable {
    /// Why a name gave no address.
    enum Failure: Error, Hashable, Sendable {
        case noAddress
        /// The name service failed, or did not answer in time.
        case unavailable
    }

    /// Returns all addresses, the preferred ones first; throws ``Failure``, or `CancellationError`.
    var resolve: @Sendable (_ name: String) async throws -> [IPAddress]
}

extension HostResolver {
    /// Threads for name resolution only: an unresponsive name service blocks each for many seconds.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: Limits.resolverThreads)
        threads.start()
        return threads
    }()

    /// Resolves through the system, as `getaddrinfo` does: `/etc/hosts`, then the name service, sorted by RFC 6724.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for an answer; the system's own limit may be longer, and a running call can only be
    ///     abandoned, not cancelled.
    ///   - ask: the blocking call.
    static func system(
        timeout: Duration,
        asking ask: @escaping @Sendable (String) throws -> [IPAddress] = Self.ask
    ) -> HostResolver {
        HostResolver { name in
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let promise = loop.makePromise(of: [IPAddress].self)
            let timer = loop.scheduleTask(in: TimeAmount(timeout)) { promise.fail(Failure.unavailable) }
            let deadline = NIODeadline.now() + TimeAmount(timeout)
            let asking = Self.threads.runIfActive(eventLoop: loop) {
                // No task waits for the answer.
                guard deadline > .now() else { throw Failure.unavailable }
                return try ask(name)
            }
            asking.cascade(to: promise)
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
    private static func ask(_ name: String) throws(Failure) -> [IPAddress] {
        var hints = addrinfo()
        // Addresses of both families and no mapped ones, so that every answer is checked.
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
