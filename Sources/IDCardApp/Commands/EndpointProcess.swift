import ArgumentParser
import IDCardServer
import ServiceLifecycle
import UnixSignals

/// Runs one endpoint until a signal ends it.
struct EndpointProcess {
    let service: any Service
    let listening: ListeningOptions

    /// Serves; an error that keeps it from serving ends the process in words.
    func run() async throws {
        do {
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [.init(service: self.service)],
                    gracefulShutdownSignals: [.sigint, .sigterm],
                    logger: self.listening.logger
                )
            )
            try await group.run()
        } catch {
            let (host, port) = (self.listening.host, self.listening.port)
            let told = ServerError(error, host: host, port: port, key: "--port") ?? error
            throw CommandFailure(told).report().exitCode
        }
    }
}
