import Logging
import ServiceLifecycle
import UnixSignals

/// Reads anew at SIGHUP what may be replaced while a service works.
struct ReloadService: Service {
    let logger: Logger
    let notice: SystemdNotice
    /// What is read anew; what cannot be read stays as it was.
    let reload: @Sendable () async throws -> Void

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            self.notice.say("RELOADING=1")
            do {
                try await self.reload()
                self.logger.notice("certificate, tokens, webhook secrets and keys of the sandbox read again")
            } catch {
                self.logger.error(
                    "certificate, tokens, webhook secrets or keys of the sandbox cannot be read, the old ones stay",
                    metadata: ["code": "\(CommandFailure.code(of: error))"]
                )
                for line in CommandFailure(error).lines { Console.standardError(line) }
            }
            self.notice.say("READY=1")
        }
    }
}
