import ServiceLifecycle

/// Gives the service manager its signs of life.
struct WatchdogService: Service {
    let notice: SystemdNotice

    func run() async throws {
        guard let interval = self.notice.watchdogInterval else { return }
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                self.notice.say("WATCHDOG=1")
                try await Task.sleep(for: interval)
            }
        }
    }
}
