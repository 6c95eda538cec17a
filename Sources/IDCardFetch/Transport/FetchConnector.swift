import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import OutboundHTTP

/// Makes requests, each over a connection of its own to an address that was checked.
///
/// Not by way of async-http-client: it connects to names. Its `dnsOverride` maps a name to an address, but by an exact
/// comparison of texts, and a name that misses it is resolved again, unchecked; and it has one entry per name for all
/// connections of a client. Here there is no name to resolve.
struct FetchConnector: Sendable {
    typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, Never>

    /// Says that no connection came about; the error is that of the last address tried.
    struct Unconnected: Error {
        let cause: any Error
    }

    /// How long a connection may take.
    let connectTimeout: TimeAmount
    /// How long the peer may be silent.
    let stallTimeout: TimeAmount
    /// The `User-Agent` header.
    let userAgent: String
    /// Verifies the other side.
    let tls: NIOSSLContext

    /// Makes a request and hands its answer over; the connection is closed afterwards.
    ///
    /// - Parameters:
    ///   - request: what to ask for.
    ///   - end: when the answer must be complete.
    ///   - use: takes the head, and as much of the body as it wants.
    /// - Throws: ``Unconnected``, ``SilenceWatch/Verdict``, ``ResponseBody/Truncated``, errors of the network library,
    ///   and what `use` throws.
    func get<Value>(
        _ request: FetchRequest,
        until end: NIODeadline,
        use: (HTTPResponseHead, inout ResponseBody) async throws -> Value
    ) async throws -> Value {
        let (connection, address) = try await self.connect(for: request, until: end)
        var value: Value?
        do {
            try await connection.executeThenClose { inbound in
                var parts = inbound.makeAsyncIterator()
                guard case .head(let head) = try await parts.next(isolation: #isolation) else {
                    throw ResponseBody.Truncated()
                }
                var body = ResponseBody(parts, from: address)
                value = try await use(head, &body)
            }
        } catch {
            // With a value it is the closing that failed, of which the answer knows nothing.
            guard value != nil else { throw error }
        }
        guard let value else { throw ResponseBody.Truncated() }
        return value
    }

    /// Tries one address after the other.
    private func connect(
        for request: FetchRequest,
        until end: NIODeadline
    ) async throws -> (connection: Connection, address: IPAddress) {
        var cause: any Error = SilenceWatch.Verdict.late
        for address in request.endpoint.addresses {
            try Task.checkCancellation()
            let timeout = min(self.connectTimeout, end - .now())
            guard timeout > .zero else { break }
            do {
                let socket = try SocketAddress(ipAddress: "\(address)", port: request.endpoint.target.port)
                return (try await self.connect(to: socket, for: request, timeout: timeout, until: end), address)
            } catch {
                cause = error
            }
        }
        throw Unconnected(cause: cause)
    }

    private func connect(
        to address: SocketAddress,
        for request: FetchRequest,
        timeout: TimeAmount,
        until end: NIODeadline
    ) async throws -> Connection {
        let head = request.head(userAgent: self.userAgent)
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(timeout)
            .connect(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(SilenceWatch(limit: self.stallTimeout, end: end))
                    if request.endpoint.target.usesTLS {
                        try pipeline.addHandler(self.makeTLSHandler(serverName: request.endpoint.serverName))
                    }
                    try pipeline.addHandler(HTTPRequestEncoder())
                    try pipeline.addHandler(ByteToMessageHandler(Self.makeDecoder()))
                    try pipeline.addHandler(RequestSender(head))
                    return try Connection(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4))
                    )
                }
            }
    }

    /// Makes the handler that verifies the server before a byte of the request goes out: by its address if that is what
    /// the URL names, otherwise by its name alone.
    private func makeTLSHandler(serverName: String?) throws -> NIOSSLClientHandler {
        guard let serverName else { return try NIOSSLClientHandler(context: self.tls, serverHostname: nil) }
        return try NIOSSLClientHandler._makeSSLClientHandler(
            context: self.tls,
            serverHostname: serverName
        ) { certificate, channel in
            CertificateHost.isNamed(certificate, serverName)
                ? channel.eventLoop.makeSucceededVoidFuture()
                : channel.eventLoop.makeFailedFuture(NIOSSLExtraError.failedToValidateHostname)
        }
    }

    private static func makeDecoder() -> HTTPResponseDecoder {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16_384
        limits.maxHeaderListSize = 65_536
        limits.maxHeaderFieldCount = 128
        return HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes,
            informationalResponseStrategy: .drop,
            limitConfiguration: limits
        )
    }
}
