import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardStore
import Foundation
import Logging
import NIOPosix

/// The pipeline of a process over an open sandbox: its worker, the built-in endpoints where they are asked for, the outside
/// services, and the engine.
struct Pipeline: Sendable {
    let configuration: Configuration
    let store: CardStore

    /// Sets all up, lends the engine, and ends all in order, whatever the body came to.
    ///
    /// - Parameter events: told what happens; must not wait.
    func with<Value: Sendable>(
        _ command: String,
        id: String,
        events: @escaping @Sendable (PipelineEvent) -> Void,
        _ body: @escaping @Sendable (Engine) async throws -> Value
    ) async throws -> Value {
        let worker = try await self.store.startWorker(id: id, command: command, now: .now)
        let log = EventLog(
            logger: self.configuration.logger(runID: id),
            outcomes: command == "run" ? .debug : .info
        )
        let events: @Sendable (PipelineEvent) -> Void = { event in
            events(event)
            log.observe(event)
        }
        return try await ending {
            guard self.configuration.isEmbedded else {
                guard let verification = self.configuration.verification, let delivery = self.configuration.delivery
                else { throw ConfigurationError(mistakes: []) }
                return try await self.withEngine(worker, verification, delivery, events, body)
            }
            // What the built-in endpoints have to say is no event of the pipeline.
            var logger = self.configuration.logger(runID: id)
            logger.logLevel = max(logger.logLevel, .notice)
            return try await EmbeddedEndpoints(configuration: self.configuration, logger: logger).serve {
                try await self.withEngine(worker, $0, $1, events, body)
            }
        } by: {
            try await self.store.end(worker, onUnknown: self.configuration.engine.onUnknown, now: .now)
                .forEach { events(.changed($0)) }
            try await self.store.eraseEmbeddedDocuments(in: self.configuration.embeddedDocuments)
        }
    }

    private func withEngine<Value: Sendable>(
        _ worker: Worker,
        _ verification: VerificationSettings,
        _ delivery: DeliverySettings,
        _ events: @escaping @Sendable (PipelineEvent) -> Void,
        _ body: @escaping @Sendable (Engine) async throws -> Value
    ) async throws -> Value {
        var settings = self.configuration.engine
        if settings.preparing == 0 { settings.preparing = ProcessInfo.processInfo.activeProcessorCount }
        let outside = try Outside(self.configuration, verification, delivery, threads: settings.preparing)
        let engine = Engine(
            store: self.store,
            worker: worker,
            ports: outside.ports,
            settings: settings,
            events: events
        )
        return try await ending({ try await body(engine) }, by: outside.close)
    }

    /// Begins nothing more, as a signal asks, and says what that leads to.
    func end(_ engine: Engine) {
        let calls = engine.callsUnderWay
        // First, since whoever reads standard error may have stopped reading.
        engine.end()
        let limit = self.configuration.engine.shutdownTimeout
        Console.say(calls == 0 ? .runEnding : .runFinishing(calls, upTo: limit))
    }
}

/// The outside of one process: the endpoints' clients, and the threads that decode.
struct Outside: Sendable {
    let ports: EnginePorts
    /// Closes connections and ends the threads.
    let close: @Sendable () async throws -> Void

    /// Makes the clients and starts the threads.
    ///
    /// - Throws: `CodedError` of kind `configuration`.
    init(
        _ configuration: Configuration,
        _ verification: VerificationSettings,
        _ delivery: DeliverySettings,
        threads count: Int
    ) throws(CodedError) {
        let maxSourceBytes = configuration.imaging.maxSourceBytes
        let decoder = PhotoDecoder(
            ImageRecompressor(settings: configuration.imaging),
            isolation: configuration.isolation,
            sandbox: configuration.sandboxPath
        )
        let fetcher = try ImageFetcher(configuration.fetch, maxBytes: maxSourceBytes) {
            ImageFormat.sniff($0) != .unknown
        }
        let verification = try VerificationService(verification)
        let backend = try BusinessBackend(delivery)
        let threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        self.close = {
            await verification.shutdown()
            await backend.shutdown()
            await fetcher.shutdown()
            try await threads.shutdownGracefully()
        }
        self.ports = EnginePorts(
            read: { file in
                try await threads.runIfActive { try SourceFile.read(file, limit: maxSourceBytes) }
            },
            prepare: { source in try await threads.runIfActive { try decoder.prepare(source) } },
            shrink: { image in try await threads.runIfActive { try decoder.shrink(image) } },
            fetcher: fetcher,
            verifier: verification,
            backend: backend
        )
    }
}
