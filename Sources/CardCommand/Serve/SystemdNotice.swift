import Foundation
import Glibc
import Synchronization

/// Reports the status of a service to the service manager by datagrams of `sd_notify(3)`; without a manager, does nothing.
///
/// A stopping service is never ready again; before it is ready, it does not report reloading.
final class SystemdNotice: Sendable {
    private enum Phase { case starting, ready, stopping }

    private let address: String?
    /// Whether the manager has a watchdog for this process (`WATCHDOG_USEC`).
    private let isWatched: Bool
    private let phase = Mutex(Phase.starting)

    /// Reads the socket of the manager (`NOTIFY_SOCKET`), and its watchdog, if that is for us (`WATCHDOG_PID`).
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.address = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        self.isWatched = isOurs && environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0 > 0
    }

    var isStopping: Bool { self.phase.withLock { $0 == .stopping } }

    /// Reports that the service stops; from now on only the watchdog is fed.
    func sayStopping() {
        self.phase.withLock { phase in
            phase = .stopping
            self.send("STOPPING=1")
        }
    }

    func sayReady() {
        self.phase.withLock { phase in
            guard phase != .stopping else { return }
            phase = .ready
            self.send("READY=1")
        }
    }

    /// Reads files again and, if the service is ready, reports before and after. `Type=notify-reload` needs the time.
    func reloading(_ read: () -> Void) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let isSaid = self.phase.withLock { phase in
            guard phase == .ready else { return false }
            self.send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
            return true
        }
        read()
        if isSaid { self.sayReady() }
    }

    /// Feeds the watchdog, with each heartbeat of the engine: systemd restarts a service whose writer hangs.
    func giveSignOfLife() { if self.isWatched { self.send("WATCHDOG=1") } }

    /// Sends a state; ignores errors, as a manager that does not receive it is not our error.
    private func send(_ state: String) {
        guard let address = self.address else { return }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        // An abstract socket's name begins with a zero byte, written `@`.
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        let capacity = MemoryLayout.size(ofValue: name.sun_path)
        guard path.count < capacity else { return }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let message = Array(state.utf8)
        _ = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
