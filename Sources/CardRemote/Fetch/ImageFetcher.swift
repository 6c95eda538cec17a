package import CardModel
package import Foundation

/// Fetches images by URL, from configured hosts, at checked addresses.
package final class ImageFetcher: Fetcher {
    /// The time limits; tests shorten them.
    struct Times: Sendable {
        var silence = Limits.fetchSilence
        var total = Limits.fetchTime
    }

    let rules: FetchRules
    let resolver: HostResolver
    let clients: FetchClients
    let times: Times
    let maxBytes: Int
    let rangeBytes: Int
    let isImage: @Sendable (Data) -> Bool

    /// Sets up the fetcher; the caller must call ``shutdown()`` before releasing it.
    ///
    /// - Parameters:
    ///   - settings: settings without mistakes.
    ///   - maxBytes: the size of the largest image, in bytes.
    ///   - isImage: whether the leading bytes are those of an image.
    /// - Throws: `tls_file_invalid`, `tls_certificate_expired`.
    package convenience init(
        _ settings: FetchSettings,
        maxBytes: Int,
        isImage: @escaping @Sendable (Data) -> Bool
    ) throws(CodedError) {
        try self.init(settings, maxBytes: maxBytes, resolver: .system(timeout: Limits.resolveTime), isImage: isImage)
    }

    init(
        _ settings: FetchSettings,
        maxBytes: Int,
        resolver: HostResolver,
        times: Times = Times(),
        rangeBytes: Int = Limits.fetchRangeBytes,
        isImage: @escaping @Sendable (Data) -> Bool
    ) throws(CodedError) {
        self.rules = FetchRules(settings)
        (self.resolver, self.times, self.maxBytes, self.rangeBytes) = (resolver, times, maxBytes, rangeBytes)
        self.isImage = isImage
        var tls = EndpointSettings.TLS()
        tls.caFile = settings.caFile
        let current = try CurrentTLS(TLSFiles(section: "fetch", settings: tls))
        self.clients = FetchClients(tls: current, silence: times.silence, maxBytes: maxBytes)
    }

    package func reload() throws(CodedError) { try self.clients.tls.reload() }

    /// Closes all connections; current attempts end as failed.
    package func shutdown() async { await self.clients.shutdown() }

    package func host(of address: Redacted<String>) throws(CodedError) -> String {
        let target = try self.rules.check(address.reveal()).target
        return "\(target.host):\(target.port)"
    }

    package func fetch(_ request: FetchRequest, store: @escaping StorePiece) async throws -> FetchOutcome {
        do {
            let progress = FetchProgress(request)
            try await FetchAttempt(fetcher: self, progress: progress, store: store, deadline: .now + self.times.total)
                .run(request.address.reveal())
            return .fetched
        } catch {
            switch error {
            case .notStored(let cause): throw cause
            case .forbidden(let error): return .forbidden(error)
            case .unusable(let error): return .unusable(error)
            case .failed, .changed:
                try Task.checkCancellation()
                guard case .failed(let failure) = error else { return .failed(FetchFaults.changing) }
                return .failed(failure)
            }
        }
    }
}
