import GRDB
import Glibc
import IDCardPipeline
import Synchronization

/// The disk under a sandbox: how much room there is, and the ballast that is given up when there is none.
///
/// On a full disk SQLite can neither change a state nor delete a row: the ballast is what makes finishing and erasing
/// possible then. It is made again as soon as there is room.
final class SandboxDisk: Sendable {
    private let directory: SandboxDirectory
    /// The figures of the configuration.
    let storage: SandboxStorage
    /// Whether files may be made here.
    private let isReadOnly: Bool
    private let lastFree = Mutex<(at: ContinuousClock.Instant, bytes: Int)?>(nil)

    init(_ directory: SandboxDirectory, storage: SandboxStorage, isReadOnly: Bool) {
        self.directory = directory
        self.storage = storage
        self.isReadOnly = isReadOnly
    }

    // MARK: Sizes

    /// The size of the write-ahead log in bytes.
    var logSize: Int { Self.size(of: self.directory.log) }

    /// The size of the database file in bytes.
    var databaseSize: Int { Self.size(of: self.directory.database) }

    /// The bytes that the sandbox may still write, as the file system says (statvfs(3)); not asked more often than every
    /// 200 ms.
    var free: Int {
        let now = ContinuousClock.now
        if let last = self.lastFree.withLock({ $0 }), now - last.at < .milliseconds(200) { return last.bytes }
        let bytes = self.measureFree()
        self.lastFree.withLock { $0 = (now, bytes) }
        return bytes
    }

    private func measureFree() -> Int {
        var status = statvfs()
        // A file system that does not tell sets no limit: writing fails, or it does not.
        guard FileCall.statvfs(self.directory.path, &status) == 0 else { return .max }
        let (bytes, overflows) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflows ? .max : bytes
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return FileCall.stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    // MARK: Ballast

    /// Whether there is a reserve for finishing work; one that was given up is made again if there is room.
    func hasReserve() -> Bool {
        if self.storage.ballast == 0 || self.hasBallast { return true }
        guard !self.isReadOnly, self.measureFree() >= self.storage.ballast + self.storage.workFreeSpace else {
            return false
        }
        return self.makeBallast(self.storage.ballast)
    }

    /// Makes the ballast if it is wanted and there is room for it, and removes one that is not wanted.
    func keepBallast() {
        if self.storage.ballast == 0 {
            FileCall.unlink(self.directory.ballast)
        } else {
            _ = self.hasReserve()
        }
    }

    /// Keeps what is left of a ballast that was given up, up to its size: else whatever else fills the disk would leave
    /// nothing for the next command, an erasure maybe.
    func keepRestOfBallast() {
        guard !self.isReadOnly, self.storage.ballast > 0, Self.size(of: self.directory.ballast) == 0 else { return }
        let rest = min(self.storage.ballast, self.measureFree() - Self.leastBallast)
        guard rest >= min(Self.leastBallast, self.storage.ballast) else { return }
        _ = self.makeBallast(rest)
    }

    /// Less than this is of no use to SQLite: a few pages in the log, and its index.
    private static let leastBallast = 256 << 10

    /// Removes the ballast; returns `false` if there is none.
    func giveUpBallast() -> Bool {
        self.lastFree.withLock { $0 = nil }
        return FileCall.unlink(self.directory.ballast) == 0
    }

    private var hasBallast: Bool {
        var status = stat()
        guard FileCall.stat(self.directory.ballast, &status) == 0 else { return false }
        return Int(status.st_size) == self.storage.ballast
    }

    private func makeBallast(_ size: Int) -> Bool {
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = FileCall.open(self.directory.ballast, flags, 0o600)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0, posix_fallocate(descriptor, 0, off_t(size)) == 0 else {
            FileCall.unlink(self.directory.ballast)
            return false
        }
        return true
    }

    // MARK: Errors

    /// Whether an error means that there is no room left.
    ///
    /// SQLite says `SQLITE_FULL` for a full disk only where it writes a page: a quota (EDQUOT), or the shared memory file
    /// of the log, ends as an I/O error. Whether there is room is then asked by writing.
    func isExhaustion(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return (error as? StoreError)?.code == .diskFull }
        if error.resultCode == .SQLITE_FULL { return true }
        let isUnclear = [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP].contains(
            error.extendedResultCode
        )
        return isUnclear && !self.hasRoom()
    }

    /// `O_TMPFILE` of `<fcntl.h>`, a file without a name; not imported because Glibc hides it behind `_GNU_SOURCE`.
    private static let temporaryFile: Int32 = 0o20_000_000 | O_DIRECTORY

    private func hasRoom() -> Bool {
        let descriptor = FileCall.open(self.directory.path, Self.temporaryFile | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno != ENOSPC && errno != EDQUOT }
        defer { Glibc.close(descriptor) }
        let bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, bytes.count) }
        return count == bytes.count || (count < 0 && errno != ENOSPC && errno != EDQUOT)
    }
}
