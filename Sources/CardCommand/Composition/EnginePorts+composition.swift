import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import NIOPosix

/// The outside of one process: the endpoints' clients, and the threads that decode.
struct Outside: Sendable {
    let ports: EnginePorts
    private let verification: VerificationService
    private let backend: BusinessBackend
    private let fetcher: ImageFetcher
    private let threads: NIOThreadPool

    /// Makes the clients and starts the threads.
    ///
    /// - Throws: `CodedError` of kind `configuration`.
    init(_ configuration: Configuration, threads count: Int) throws {
        guard let verifier = configuration.verification, let delivery = configuration.delivery else {
            throw ConfigurationError([])
        }
        let maxSourceBytes = configuration.imaging.maxSourceBytes
        let decoder = PhotoDecoder(
            ImageRecompressor(settings: configuration.imaging),
            isolation: configuration.isolation,
            sandbox: configuration.sandboxPath
        )
        let fetcher = try ImageFetcher(configuration.fetch, maxBytes: maxSourceBytes) { start in
            ImageFormat.sniff(start) != .unknown
        }
        let verification = try VerificationService(verifier)
        let backend = try BusinessBackend(delivery)
        let threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        self.verification = verification
        self.backend = backend
        self.fetcher = fetcher
        self.threads = threads
        self.ports = EnginePorts(
            read: { file in
                try await threads.runIfActive { try SourceFile.read(file, limit: maxSourceBytes) }
            },
            prepare: { source in try await threads.runIfActive { try decoder.prepare(source) } },
            shrink: { image in try await threads.runIfActive { try decoder.shrink(image) } },
            fetcher: EnginePorts.Fetcher(
                host: { try fetcher.host(of: $0) },
                fetch: { try await fetcher.fetch($0, keep: $1) }
            ),
            verifier: EnginePorts.Verifier(
                provider: verification.provider,
                parameters: verification.parameters,
                endpoint: verification.endpoint,
                verify: { try await verification.verify($0) }
            ),
            backend: EnginePorts.Backend(
                endpoint: backend.endpoint,
                parts: { members throws(RemoteFailure) in try await backend.parts(for: members) },
                boundary: { key, parts, images throws(RemoteFailure) in
                    try backend.boundary(for: key, parts: parts, images: images)
                },
                send: { try await backend.send($0, progress: $1) },
                refreshToken: { await backend.refreshToken(staleIn: $0) }
            )
        )
    }

    /// Closes connections and ends the threads.
    func close() async throws {
        await self.verification.shutdown()
        await self.backend.shutdown()
        await self.fetcher.shutdown()
        try await self.threads.shutdownGracefully()
    }
}
