import CardEngine
import CardImaging
import CardModel
import CardRemote
import CardStore
import Foundation
import Logging

/// The pipeline of a process over an open sandbox: its worker, the built-in endpoints where they are asked for, the outside
/// services, and the engine.
struct Pipeline: Sendable {
    let configuration: Configuration
    let store: CardStore
    /// What counts the calls to the outside.
    var counting: @Sendable (EnginePorts) -> EnginePorts = { $0 }

    /// Sets all up, lends the engine, and ends all in order, whatever the body came to.
    ///
    /// - Parameters:
    ///   - command: what the worker is called by.
    ///   - id: the name of the worker, also in the log.
    ///   - events: told what happens; must not wait.
    func with<Value: Sendable>(
        _ command: String,
        id: String,
        events: @escaping @Sendable (PipelineEvent) -> Void,
        _ body: @escaping @Sendable (Engine) async throws -> Value
    ) async throws -> Value {
        let worker = try await self.store.startWorker(id: id, command: command, now: Timestamp(Date()))
        let result: Result<Value, any Error>
        do { result = .success(try await self.withEndpoints(worker, events, body)) } catch { result = .failure(error) }
        do {
            try await self.store.end(worker, onUnknown: self.configuration.engine.onUnknown, now: Timestamp(Date()))
            try await EmbeddedErasure(store: self.store, folder: self.configuration.embeddedDocuments).finish()
        } catch {
            // An error of the work says more than that of its end.
            _ = try result.get()
            throw error
        }
        return try result.get()
    }

    private func withEndpoints<Value: Sendable>(
        _ worker: Worker,
        _ events: @escaping @Sendable (PipelineEvent) -> Void,
        _ body: @escaping @Sendable (Engine) async throws -> Value
    ) async throws -> Value {
        guard self.configuration.isEmbedded else {
            return try await self.withEngine(worker, self.configuration, events, body)
        }
        // What the built-in endpoints have to say is no event of the pipeline.
        var logger = self.configuration.logger(runID: worker.id)
        logger.logLevel = max(logger.logLevel, .notice)
        let endpoints = EmbeddedEndpoints(configuration: self.configuration, logger: logger)
        return try await endpoints.serve { verification, delivery in
            var configuration = self.configuration
            configuration.verification = verification
            configuration.delivery = delivery
            return try await self.withEngine(worker, configuration, events, body)
        }
    }

    private func withEngine<Value: Sendable>(
        _ worker: Worker,
        _ configuration: Configuration,
        _ events: @escaping @Sendable (PipelineEvent) -> Void,
        _ body: @escaping @Sendable (Engine) async throws -> Value
    ) async throws -> Value {
        var settings = configuration.engine
        let cores = ProcessInfo.processInfo.activeProcessorCount
        settings.preparing = configuration.imagingConcurrency > 0 ? configuration.imagingConcurrency : cores
        settings.retention = configuration.retentionTerms
        let outside = try Outside(configuration, threads: settings.preparing)
        let log = EventLog(logger: configuration.logger(runID: worker.id))
        let engine = Engine(
            store: self.store,
            worker: worker,
            ports: self.counting(outside.ports),
            settings: settings,
            events: { event in
                events(event)
                log.observe(event)
            }
        )
        let result: Result<Value, any Error>
        do { result = .success(try await body(engine)) } catch { result = .failure(error) }
        try await outside.close()
        return try result.get()
    }

    /// Begins nothing more, as a signal asks, and says what that leads to.
    func end(_ engine: Engine) {
        let calls = engine.callsUnderWay
        // First, since whoever reads standard error may have stopped reading.
        engine.end()
        let milliseconds = self.configuration.engine.shutdownTimeout.wholeMilliseconds
        let limit = milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
        let requests = calls == 1 ? "1 request" : "\(calls) requests"
        Console.standardError(
            calls == 0
                ? "interrupted: ending; signal again to stop at once"
                : "interrupted: finishing \(requests), up to \(limit); signal again to stop at once"
        )
    }
}
