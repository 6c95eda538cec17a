import IDCardPipeline
import ServiceLifecycle

/// Lets an engine work as part of a group of services.
struct EngineService: Service {
    let engine: Engine
    /// What asks the engine for its end; a signal may have done so before the group does.
    let shutdown: Shutdown

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await self.engine.runService(until: self.shutdown)
            // The group takes it amiss if a service ends before its turn.
            try await gracefulShutdown()
        } onGracefulShutdown: {
            self.shutdown.request()
        }
    }
}
