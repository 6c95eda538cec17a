import CFolders
import Glibc

/// Files that are there after a power cut once a call has returned.
enum DurableFile {
    /// Calls the system on a path; what lies in a sandbox that belongs to another user, root makes as that user.
    static func acting<Value>(on path: String, _ call: () -> Value) -> Value {
        let before = idc_act_for(path)
        defer { idc_act_again(before) }
        return call()
    }

    /// Makes a folder and those above it, for the owner only.
    ///
    /// - Throws: ``EmbeddedError`` `folderUnusable`.
    static func makeFolder(_ path: String) throws(EmbeddedError) {
        var status = stat()
        if self.acting(on: path, { stat(path, &status) }) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw self.failure("is not a folder", number: ENOTDIR) }
            return
        }
        let parent = self.parent(of: path)
        if parent != path { try self.makeFolder(parent) }
        guard self.acting(on: path, { mkdir(path, 0o700) }) == 0 || errno == EEXIST else {
            throw self.failure("cannot be made", number: errno)
        }
        try self.syncFolder(parent)
    }

    /// Writes a file so that it is there whole or not at all: a temporary file, fsync, rename, fsync of the folder.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - path: The file; one that is there already is replaced. Its folder must exist.
    /// - Throws: ``EmbeddedError`` `folderUnusable`.
    static func write(_ bytes: [UInt8], to path: String) throws(EmbeddedError) {
        let temporary = path + ".part"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = self.acting(on: temporary) { open(temporary, flags, 0o600) }
        guard descriptor >= 0 else { throw self.failure("cannot hold a new file", number: errno) }
        do throws(EmbeddedError) {
            defer { close(descriptor) }
            try self.append(bytes, to: descriptor)
            guard fsync(descriptor) == 0 else { throw self.failure("cannot be synced", number: errno) }
            guard self.acting(on: path, { rename(temporary, path) }) == 0 else {
                throw self.failure("cannot rename a file", number: errno)
            }
        } catch {
            _ = self.acting(on: temporary) { unlink(temporary) }
            throw error
        }
        try self.syncFolder(self.parent(of: path))
    }

    /// Writes all bytes at the descriptor's place.
    ///
    /// - Throws: ``EmbeddedError`` `folderUnusable`.
    static func append(_ bytes: [UInt8], to descriptor: CInt) throws(EmbeddedError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count < 0 {
                let number = errno
                if number == EINTR { continue }
                throw self.failure("cannot be written to", number: number)
            }
            written += count
        }
    }

    /// Makes names in a folder durable.
    ///
    /// - Throws: ``EmbeddedError`` `folderUnusable`.
    static func syncFolder(_ path: String) throws(EmbeddedError) {
        let descriptor = self.acting(on: path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw self.failure("cannot be opened", number: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw self.failure("cannot be synced", number: errno) }
    }

    /// An error that names what failed and the system's reason, not the path: it holds a business number.
    static func failure(_ what: String, number: CInt) -> EmbeddedError {
        let reason = String(cString: strerror(number))
        return EmbeddedError(
            code: .folderUnusable,
            message: "The backend's folder \(what): \(reason) (errno \(number)). Check its owner and the free space."
        )
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
