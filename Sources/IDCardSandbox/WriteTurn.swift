import Glibc
import IDCardPipeline
import Synchronization

/// Whose turn it is to write, among all processes of a sandbox.
///
/// SQLite's own waiting is a lottery: who waits looks every 100 ms, and a busy process is never seen idle. Here who
/// waits first goes next: a turn is the second byte of a file, a place in the queue the first, both locked as open file
/// descriptions (fcntl(2), `F_OFD_SETLK`). Who has had its turn needs a place before the next one, and cannot overtake.
final class WriteTurn: Sendable {
    /// Where a lock of the file begins; each is one byte long.
    private enum Place: off_t {
        case next, current
    }

    private let path: String
    private let timeout: Duration
    private let descriptor: Int32

    /// Opens the file, and makes it if it is not there.
    init(path: String, timeout: Duration) throws {
        self.path = path
        self.timeout = timeout
        self.descriptor = FileCall.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard self.descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw StoreError(.unavailable, "the lock file \(path) cannot be opened: \(reason)")
        }
        _ = fchmod(self.descriptor, 0o600)
    }

    deinit {
        if self.descriptor >= 0 { Glibc.close(self.descriptor) }
    }

    /// Waits for the turn, does something, and lets the next one in; blocks the thread.
    ///
    /// - Throws: `StoreError.unavailable` if another process has the turn for longer than the timeout.
    func hold<Value>(_ body: () throws -> Value) throws -> Value {
        let deadline = ContinuousClock.now + self.timeout
        try self.lock(.next, until: deadline)
        do {
            defer { self.unlock(.next) }
            try self.lock(.current, until: deadline)
        }
        defer { self.unlock(.current) }
        return try body()
    }

    /// Asks again and again: a lock that is waited for in the kernel knows no timeout, and another process may stand still.
    private func lock(_ place: Place, until deadline: ContinuousClock.Instant) throws {
        var attempts = 0
        while try !self.set(F_WRLCK, at: place) {
            guard ContinuousClock.now < deadline else {
                throw StoreError(
                    .unavailable,
                    "another process kept the sandbox locked for \(self.timeout); end it or wait, then try again"
                )
            }
            attempts += 1
            usleep(attempts < 40 ? 250 : 2000)
        }
    }

    private func unlock(_ place: Place) {
        // Fallback of an unlock that fails: the lock goes with the descriptor.
        _ = try? self.set(F_UNLCK, at: place)
    }

    /// Sets or clears a lock; returns `false` if another has it.
    private func set(_ type: Int32, at place: Place) throws -> Bool {
        var region = flock()
        region.l_type = Int16(type)
        region.l_whence = Int16(SEEK_SET)
        region.l_start = place.rawValue
        region.l_len = 1
        while fcntl(self.descriptor, FileLock.setLock, &region) != 0 {
            let error = errno
            if error == EINTR { continue }
            if error == EAGAIN || error == EACCES { return false }
            let reason = String(cString: strerror(error))
            throw StoreError(.unavailable, "the file \(self.path) cannot be locked: \(reason)")
        }
        return true
    }
}
