package import Foundation
package import IDCardCore
package import IDCardPipeline
import NIOCore
import NIOSSL
import OutboundHTTP

/// Fetches images by URL over HTTP/1.1, resuming what has begun, and connects to nothing that the rules do not allow.
///
/// ```swift
/// let fetcher = try URLImageFetcher(settings: settings, isImage: { ImageFormat.sniff($0) != .unknown }).imageFetcher
/// ```
package struct URLImageFetcher: Sendable {
    let settings: FetchSettings
    let rules: FetchRules
    let addressRules: AddressRules
    let resolver: HostResolver
    let connector: FetchConnector
    let isImage: @Sendable (Data) -> Bool
    let now: @Sendable () -> Timestamp

    /// Checks the settings and reads the trusted certificates.
    ///
    /// - Parameters:
    ///   - settings: what may be fetched.
    ///   - resolver: finds the addresses of names; `nil` asks the system.
    ///   - now: the wall clock, against which a `Retry-After` date is measured.
    ///   - isImage: says of the first 64 bytes, or of all if there are fewer, whether they are an image's.
    /// - Throws: ``FetchError``: `invalid_setting`, `tls_unusable`.
    package init(
        settings: FetchSettings,
        resolver: HostResolver? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        isImage: @escaping @Sendable (Data) -> Bool
    ) throws(FetchError) {
        try settings.check()
        self.settings = settings
        self.rules = FetchRules(
            hosts: settings.hosts,
            ports: settings.ports,
            allowsHTTP: settings.allowsHTTP,
            maximumURLBytes: settings.maximumURLBytes
        )
        self.addressRules = AddressRules(allowed: settings.allowedAddresses)
        self.resolver = resolver ?? .system(timeout: settings.resolveTimeout)
        self.connector = FetchConnector(
            connectTimeout: TimeAmount(settings.connectTimeout),
            stallTimeout: TimeAmount(settings.stallTimeout),
            userAgent: settings.userAgent,
            tls: try Self.context(settings.tls)
        )
        self.now = now
        self.isImage = isImage
    }

    /// The fetcher as the engine takes it.
    package var imageFetcher: ImageFetcher {
        ImageFetcher { address in
            self.refusal(of: address)
        } fetch: { job, keep, read in
            let session = FetchSession(
                fetcher: self,
                sink: PieceSink(keepPiece: keep, isImage: self.isImage),
                read: read,
                end: .now() + TimeAmount(self.settings.timeout)
            )
            return try await session.run(job)
        }
    }

    private static func context(_ tls: TLSSettings) throws(FetchError) -> NIOSSLContext {
        var configuration = tls.forNIOSSL
        // The goodbye of a server is not waited for: what was announced has come, or it has not.
        configuration.shutdownTimeout = .milliseconds(250)
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw FetchError(
                .tlsUnusable,
                "the trusted certificates cannot be read: check the system's, or name others",
                cause: error
            )
        }
    }
}
