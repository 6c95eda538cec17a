import CardEmbedded
import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardStore
import Foundation
import Logging
import NIOPosix

/// The pipeline of a process over an open sandbox: its worker, the built-in endpoints if they are asked for, the remote
/// services, and the engine.
struct Pipeline: Sendable {
    let configuration: Configuration
    let store: Sandbox

    /// Starts everything, calls `body` with the engine, and stops everything in order, also after an error.
    ///
    /// - Parameter events: gets the events; must not wait.
    func with<Value: Sendable>(
        _ command: String,
        id: String,
        events: @escaping @Sendable (PipelineEvent) -> Void,
        _ body: @escaping @Sendable (Engine) async throws -> Value
    ) async throws -> Value {
        let worker = try await self.store.upkeep.startWorker(id: id, command: command, now: .now)
        let log = EventLog(logger: self.configuration.logger(runID: id), outcomes: command == "run" ? .debug : .info)
        let events: @Sendable (PipelineEvent) -> Void = { event in
            events(event)
            log.observe(event)
        }
        return try await ending {
            try await self.withEndpoints(id) { verification, delivery in
                var settings = self.configuration.engine
                if settings.preparing == 0 { settings.preparing = ProcessInfo.processInfo.activeProcessorCount }
                let decoder = try PhotoDecoder(self.configuration, requiring: command == "serve")
                let dependencies = try self.dependencies(verification, delivery, decoder, threads: settings.preparing)
                let engine = Engine(
                    store: self.store,
                    worker: worker,
                    ports: dependencies.ofEngine,
                    settings: settings,
                    events: events
                )
                return try await ending({ try await body(engine) }, by: dependencies.close)
            }
        } by: {
            try await self.store.upkeep.stop(worker, onUnknown: self.configuration.engine.onUnknown, now: .now)
                .forEach { events(.changed($0)) }
            try await self.store.eraseEmbeddedDocuments(in: self.configuration.embeddedDocuments)
        }
    }

    /// Calls `body` with the settings of the configured endpoints, or of the built-in ones, which are served meanwhile.
    private func withEndpoints<Value: Sendable>(
        _ id: String,
        _ body: @escaping @Sendable (VerificationSettings, DeliverySettings) async throws -> Value
    ) async throws -> Value {
        guard self.configuration.isEmbedded else {
            guard let verification = self.configuration.verification, let delivery = self.configuration.delivery
            else { throw ConfigurationError(mistakes: []) }
            return try await body(verification, delivery)
        }
        // The log is for events of the pipeline: the built-in endpoints add only notices and errors.
        var logger = self.configuration.logger(runID: id)
        logger.logLevel = max(logger.logLevel, .notice)
        do {
            return try await EmbeddedEndpoints(configuration: self.configuration, logger: logger).serve(body)
        } catch let error as EmbeddedError {
            let others = try await self.store.upkeep.workers().filter { $0.id != id }
            guard error.code == .folderInUse, let other = others.first else { throw CodedError(error) }
            throw CodedError(.embeddedUnavailable, .configuration, .embeddedOccupied(by: other))
        }
    }

    /// Stops the engine after a signal, and reports the calls that are under way.
    func stop(_ engine: Engine) {
        let calls = engine.callsUnderWay
        // Before the message, since the reader of standard error may have stopped reading.
        engine.stop()
        let limit = self.configuration.engine.shutdownTimeout
        Console.say(calls == 0 ? .runEnding : .runFinishing(calls, upTo: limit))
    }

    /// Makes the clients of the endpoints, and starts the decoding threads.
    ///
    /// - Returns: the dependencies of the engine, and a function that closes the connections and stops the threads.
    /// - Throws: `CodedError` of kind `configuration`.
    private func dependencies(
        _ verification: VerificationSettings,
        _ delivery: DeliverySettings,
        _ decoder: PhotoDecoder,
        threads count: Int
    ) throws(CodedError) -> (ofEngine: EnginePorts, close: @Sendable () async throws -> Void) {
        let maxSourceBytes = self.configuration.imaging.maxSourceBytes
        let fetcher = try ImageFetcher(self.configuration.fetch, maxBytes: maxSourceBytes) {
            ImageFormat.sniff($0) != .unknown
        }
        let verification = try VerificationService(verification)
        let backend = try BusinessBackend(delivery)
        let threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        let dependencies = EnginePorts(
            read: { file in try await SourceFile.readApart(file, limit: maxSourceBytes) },
            prepare: { source, isForeign in
                try await threads.runIfActive { try decoder.prepare(source, isForeign: isForeign) }
            },
            shrink: { image in try await threads.runIfActive { try decoder.shrink(image) } },
            fetcher: fetcher,
            verifier: verification,
            backend: backend
        )
        let close: @Sendable () async throws -> Void = {
            await verification.shutdown()
            await backend.shutdown()
            await fetcher.shutdown()
            try await threads.shutdownGracefully()
        }
        return (dependencies, close)
    }
}
