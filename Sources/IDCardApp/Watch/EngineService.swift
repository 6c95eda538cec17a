import IDCardPipeline
import ServiceLifecycle

/// Lets an engine work as part of a group of services.
struct EngineService: Service {
    let engine: Engine
    /// What asks the engine for its end; a signal may have done so before the group does.
    let shutdown: Shutdown
    /// Whether the key of the sandbox is here, for a service that waits for it; without this, a missing key ends it.
    var hasKey: (@Sendable () async throws -> Bool)?

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await self.work()
            // The group takes it amiss if a service ends before its turn.
            try await gracefulShutdown()
        } onGracefulShutdown: {
            self.shutdown.request()
        }
    }

    private func work() async throws {
        while true {
            do {
                return try await self.engine.runService(until: self.shutdown)
            } catch let error as StoreError where error.code == .wrongKey {
                guard let hasKey else { throw error }
                Console.standardError("error: \(error.message); nothing is worked on until the key is here")
                do {
                    try await cancelWhenGracefulShutdown {
                        repeat { try await Task.sleep(for: .seconds(5)) } while try await !hasKey()
                    }
                } catch is CancellationError {
                    return
                }
            }
        }
    }
}
