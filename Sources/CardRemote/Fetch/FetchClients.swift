import AsyncHTTPClient
import CardModel
import NIOCore
import NIOHTTPCompression
import NIOSSL
import Synchronization

/// A host with one of its checked addresses, to which connections are made even if the name resolves differently later.
struct CheckedHost: Hashable, Sendable {
    var host: FetchTarget.Host
    var address: IPAddress
}

/// The clients of image hosts. There is a client for each host and address, so that no client connects to an unchecked address.
/// If there are many clients, idle ones are closed.
final class FetchClients: Sendable {
    private struct Entry {
        var client: HTTPClient
        var users = 0
        var usedAt = 0
    }

    private struct State {
        var entries: [CheckedHost: Entry] = [:]
        var uses = 0
        var isShutDown = false
    }

    let tls: CurrentTLS
    private let silence: Duration
    private let maxBytes: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - tls: the trusted authorities.
    ///   - silence: how long a host may send nothing.
    ///   - maxBytes: the largest image in bytes, after decompression.
    init(tls: CurrentTLS, silence: Duration, maxBytes: Int) {
        self.tls = tls
        self.silence = silence
        self.maxBytes = maxBytes
    }

    /// Lends the client of a host; the caller must give it back. `nil` after the shutdown.
    func borrow(_ host: CheckedHost) -> HTTPClient? {
        self.state.withLock { state in
            guard !state.isShutDown else { return nil }
            var entry = state.entries[host] ?? Entry(client: self.client(of: host))
            state.uses += 1
            (entry.users, entry.usedAt) = (entry.users + 1, state.uses)
            state.entries[host] = entry
            return entry.client
        }
    }

    /// Takes a client back; if there are too many, closes the one that was idle longest.
    func returnClient(_ host: CheckedHost) {
        let idle = self.state.withLock { state -> HTTPClient? in
            state.entries[host]?.users -= 1
            guard state.entries.count > Limits.fetchClients else { return nil }
            let oldest = state.entries.filter { $0.value.users == 0 }.min { $0.value.usedAt < $1.value.usedAt }
            return oldest.flatMap { state.entries.removeValue(forKey: $0.key)?.client }
        }
        // The client has no users, so there is nothing to wait for; an error has no remedy.
        idle?.shutdown { _ in }
    }

    func shutdown() async {
        let clients = self.state.withLock { state in
            state.isShutDown = true
            defer { state.entries = [:] }
            return state.entries.values.map(\.client)
        }
        // The only error is "already shut down", which is the wanted state.
        for client in clients { try? await client.shutdown() }
    }

    /// Makes a client that connects only to the host's checked address.
    private func client(of host: CheckedHost) -> HTTPClient {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.idleTimeout = TimeAmount(Limits.poolIdleTime)
        pool.retryConnectionEstablishment = false
        // No limit in practice, since the engine bounds the number of fetches: a range that waited here for a connection would
        // fail after the time limit for opening one.
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(Limits.connectTimeout), read: TimeAmount(self.silence)),
            connectionPool: pool,
            decompression: .enabled(limit: .size(self.maxBytes))
        )
        configuration.httpVersion = .http1Only
        let address = "\(host.address)"
        if case .name(let name) = host.host { configuration.dnsOverride = [name: address] }
        configuration.http1_1ConnectionDebugInitializer = { channel in Self.check(channel, host) }
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// Adds a ``HeadFilter`` to a new connection; closes it if it leads to another address, or its certificate names another host.
    private static func check(_ channel: any Channel, _ host: CheckedHost) -> EventLoopFuture<Void> {
        let certificate = (try? channel.pipeline.syncOperations.nioSSL_peerCertificate()) ?? nil
        let isRightHost: Bool =
            if case .name(let name) = host.host, let certificate {
                CertificateHost.isNamed(certificate, name)
            } else {
                true
            }
        let isRightAddress = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) } == host.address
        guard isRightHost, isRightAddress else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(NIOSSLExtraError.failedToValidateHostname)
        }
        return channel.eventLoop.makeCompletedFuture { try HeadFilter.add(to: channel, for: .images) }
    }
}
