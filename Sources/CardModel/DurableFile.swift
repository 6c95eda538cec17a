package import Glibc

/// Writes files durably and replaces them atomically: written beside the old file, flushed, renamed, and the folder
/// flushed. Failures throw `file_not_written` of kind `storage`.
package enum DurableFile {
    /// Replaces or creates a file atomically.
    ///
    /// - Parameters:
    ///   - path: the file; the new bytes are first written to a file beside it, which ends in `.part`.
    ///   - bytes: the content.
    ///   - mode: its mode, whatever the umask.
    package static func replace(_ path: String, with bytes: [UInt8], mode: mode_t = 0o600) throws(CodedError) {
        let part = path + ".part"
        unlink(part)
        try self.create(part, with: bytes, mode: mode)
        guard rename(part, path) == 0 else {
            let failure = self.failure(path)
            unlink(part)
            throw failure
        }
        try self.synchroniseFolder(self.folder(of: path))
    }

    /// Creates a new file and flushes its bytes; the name becomes durable by `synchroniseFolder`. A process that is killed
    /// may leave an incomplete file; an error leaves none.
    package static func create(_ path: String, with bytes: [UInt8], mode: mode_t = 0o600) throws(CodedError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw self.failure(path) }
        var isDone = false
        defer {
            close(descriptor)
            if !isDone { unlink(path) }
        }
        guard fchmod(descriptor, mode) == 0 else { throw self.failure(path) }
        guard self.write(bytes, to: descriptor), fsync(descriptor) == 0 else { throw self.failure(path) }
        isDone = true
    }

    /// Makes new names in a folder durable.
    package static func synchroniseFolder(_ path: String) throws(CodedError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw self.failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw self.failure(path) }
    }

    /// Creates a folder and its parents, durably; an existing folder is unchanged.
    package static func makeFolders(_ path: String, mode: mode_t) throws(CodedError) {
        var isMade = mkdir(path, mode) == 0
        if !isMade, errno == ENOENT, self.folder(of: path) != path {
            try self.makeFolders(self.folder(of: path), mode: mode)
            isMade = mkdir(path, mode) == 0
        }
        if !isMade, errno == EEXIST { return }
        // The umask removed bits of the mode.
        guard isMade, chmod(path, mode) == 0 else { throw self.failure(path) }
        try self.synchroniseFolder(self.folder(of: path))
    }

    /// Locks a folder; waits until no other process holds its lock.
    ///
    /// - Returns: the descriptor that holds the lock until it is closed.
    package static func lock(_ folder: String) throws(CodedError) -> Int32 {
        // Locks the folder, not a file: the files in it are replaced, and a lock stays with the old one.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            let failure = self.failure(folder)
            if descriptor >= 0 { close(descriptor) }
            throw failure
        }
        return descriptor
    }

    /// Returns the path with links resolved if it exists, else the nearest folder above it that does.
    package static func nearestExisting(_ path: String) -> String {
        if let real = SecretRights.realPath(path) { return real }
        let folder = self.folder(of: path)
        return folder == path ? path : self.nearestExisting(folder)
    }

    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Writes all bytes; `false` with `errno` if that is not possible.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + offset, bytes.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    private static func failure(_ path: String) -> CodedError {
        let error = errno
        let message = error == EEXIST ? Message.fileExists(path) : .fileNotWritten(path, error)
        return CodedError(ReasonCode(rawValue: "file_not_written"), .storage, message)
    }
}
