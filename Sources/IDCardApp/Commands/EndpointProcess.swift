import ArgumentParser
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs one endpoint until a signal ends it.
struct EndpointProcess {
    let service: any Service
    let logger: Logger

    /// Serves; an error that keeps it from serving ends the process in words.
    func run() async throws {
        do {
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [.init(service: self.service)],
                    gracefulShutdownSignals: [.sigint, .sigterm],
                    logger: self.logger
                )
            )
            try await group.run()
        } catch {
            throw CommandFailure(error).report().exitCode
        }
    }
}
