import CardModel
import Glibc
import Synchronization

/// An exclusive open-file-description lock on a file (fcntl(2), `F_OFD_SETLK`), held until released or until the process ends.
/// Unlike a stored process id, such a lock cannot mean another process by mistake. Unlike a POSIX lock, it also works between two
/// open sandboxes of the same process.
final class FileLock: Sendable {
    /// `F_OFD_GETLK` and `F_OFD_SETLK` of `<linux/fcntl.h>`; Swift does not import them, since Glibc requires `_GNU_SOURCE`.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    private let descriptor: Mutex<Int32?>
    private let path: String

    private init(descriptor: Int32, path: String) {
        self.descriptor = Mutex(descriptor)
        self.path = path
    }

    deinit { self.release() }

    /// Acquires the lock; `nil` if it is held already, or if the file is missing and `creating` is false.
    ///
    /// - Parameter byteCount: how many bytes of the file are locked, from its start; 0 for all.
    static func acquire(path: String, creating: Bool, byteCount: Int = 0) throws -> FileLock? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT : 0)
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT, !creating { return nil }
            throw SandboxFolder.failure(path)
        }
        var region = Self.region(F_WRLCK, byteCount: byteCount)
        guard fcntl(descriptor, Self.setLock, &region) == 0 else {
            let error = errno
            close(descriptor)
            if error == EAGAIN || error == EACCES { return nil }
            throw CodedError.unavailable(.sandboxFile(path, error))
        }
        return FileLock(descriptor: descriptor, path: path)
    }

    /// Whether the lock of a file is held; the check never acquires the lock itself.
    static func isHeld(path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno != ENOENT }
        defer { close(descriptor) }
        var region = Self.region(F_WRLCK)
        return fcntl(descriptor, Self.getLock, &region) != 0 || region.l_type != Int16(F_UNLCK)
    }

    private static func region(_ type: Int32, byteCount: Int = 0) -> flock {
        var region = flock()
        region.l_type = Int16(type)
        region.l_whence = Int16(SEEK_SET)
        region.l_len = off_t(byteCount)
        return region
    }

    /// Whether the path still names the locked file.
    var isInPlace: Bool {
        self.descriptor.withLock { descriptor in
            var locked = stat()
            var named = stat()
            guard let descriptor, fstat(descriptor, &locked) == 0, stat(self.path, &named) == 0 else { return false }
            return locked.st_dev == named.st_dev && locked.st_ino == named.st_ino
        }
    }

    func release() {
        let descriptor = self.descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let descriptor else { return }
        // Closing alone is not enough: a forked child that has not called exec yet would still hold the lock.
        var region = Self.region(F_UNLCK)
        _ = fcntl(descriptor, Self.setLock, &region)
        close(descriptor)
    }
}
