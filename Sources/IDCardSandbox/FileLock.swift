import Glibc
import IDCardPipeline
import Synchronization

/// An exclusive open-file-description lock on a file (fcntl(2), `F_OFD_SETLK`), held until released or until the
/// process ends.
///
/// Unlike a process id it cannot be mistaken for another process's, and unlike a POSIX lock it also holds between two
/// stores of one process.
final class FileLock: Sendable {
    /// `F_OFD_SETLK` of `<linux/fcntl.h>`; not imported because Glibc hides it behind `_GNU_SOURCE`.
    static let setLock: Int32 = 37

    private let descriptor: Mutex<Int32?>

    private init(descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        self.release()
    }

    /// Takes the lock, or returns `nil` if another holds it.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - creating: whether it is made if it is not there.
    ///   - byteCount: how many bytes from its beginning are locked; 0 for all, also those that it does not have yet.
    /// - Throws: `StoreError.notFound` if there is no such file and none is to be created, `StoreError.unavailable` if
    ///   it cannot be opened.
    static func take(path: String, creating: Bool, byteCount: Int = 0) throws -> FileLock? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT : 0)
        let descriptor = FileCall.open(path, flags, 0o600)
        guard descriptor >= 0 else {
            let error = errno
            throw error == ENOENT
                ? StoreError(.notFound, "there is no file at \(path)")
                : StoreError(
                    .unavailable,
                    "the lock file \(path) cannot be opened: \(String(cString: strerror(error)))"
                )
        }
        if creating { _ = fchmod(descriptor, 0o600) }
        var region = flock()
        region.l_type = Int16(F_WRLCK)
        region.l_whence = Int16(SEEK_SET)
        region.l_len = off_t(byteCount)
        guard fcntl(descriptor, Self.setLock, &region) == 0 else {
            let error = errno
            Glibc.close(descriptor)
            if error == EAGAIN || error == EACCES { return nil }
            throw StoreError(.unavailable, "the file \(path) cannot be locked: \(String(cString: strerror(error)))")
        }
        return FileLock(descriptor: descriptor)
    }

    /// Whether the file that is locked is still the one of a name.
    func isStill(at path: String) -> Bool {
        self.descriptor.withLock { descriptor in
            guard let descriptor, let locked = FileFacts(descriptor), let named = FileFacts(path) else { return false }
            return locked.isSameFile(as: named)
        }
    }

    /// Returns what stands in the file, at most `limit` bytes of it.
    ///
    /// - Throws: `StoreError.unavailable` if it cannot be read.
    func contents(limit: Int) throws -> [UInt8] {
        try self.descriptor.withLock { descriptor in
            guard let descriptor else { return [] }
            var bytes = [UInt8](repeating: 0, count: limit)
            let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, limit, 0) }
            guard count >= 0 else { throw Self.failure("a lock file cannot be read") }
            return Array(bytes.prefix(count))
        }
    }

    /// Writes into the file, without making that durable; a released lock writes nothing.
    ///
    /// - Throws: `StoreError.diskFull` or `StoreError.unavailable` if that is not possible.
    func write(_ bytes: [UInt8], at offset: Int) throws {
        try self.descriptor.withLock { descriptor in
            guard let descriptor else { return }
            let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, bytes.count, off_t(offset)) }
            guard count == bytes.count else { throw Self.failure("a lock file cannot be written") }
        }
    }

    private static func failure(_ what: String) -> StoreError {
        let error = errno
        let isFull = error == ENOSPC || error == EDQUOT
        return StoreError(isFull ? .diskFull : .unavailable, "\(what): \(String(cString: strerror(error)))")
    }

    /// Gives the lock back.
    func release() {
        let descriptor = self.descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let descriptor else { return }
        // Closing alone would leave it to a child that was forked and has not replaced its program yet.
        var region = flock()
        region.l_type = Int16(F_UNLCK)
        region.l_whence = Int16(SEEK_SET)
        _ = fcntl(descriptor, Self.setLock, &region)
        Glibc.close(descriptor)
    }
}
