import Glibc

/// An open folder: what is done in it is done there, whatever becomes of its path.
struct FolderDescriptor: ~Copyable {
    /// The descriptor.
    let number: Int32

    /// Opens a folder; the path may be a link, for it is one that the operator gave.
    init(path: String) throws(SystemFailure) {
        self.number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard self.number >= 0 else { throw SystemFailure.current }
    }

    /// Opens the folder that a path names, which is no link.
    init(unlinked path: String) throws(SystemFailure) {
        self.number = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard self.number >= 0 else { throw SystemFailure.current }
    }

    private init(number: Int32) {
        self.number = number
    }

    deinit { close(self.number) }

    /// Opens what lies below, entering no link.
    ///
    /// - Parameter making: whether folders that are missing are made; each is durable when this returns.
    consuming func below(_ names: [String], making: Bool = false) throws(SystemFailure) -> FolderDescriptor {
        var current = self
        for name in names { current = try current.entering(name, making: making) }
        return current
    }

    private borrowing func entering(_ name: String, making: Bool) throws(SystemFailure) -> FolderDescriptor {
        var refusal: SystemFailure?
        if making {
            if mkdirat(self.number, name, 0o777) == 0 {
                try self.sync()
            } else if errno != EEXIST {
                refusal = SystemFailure.current
            }
        }
        let number = openat(self.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else {
            let failure = SystemFailure.current
            // A folder that somebody made meanwhile is as good; without one, what kept it from being made is the reason.
            throw failure.code == ENOENT ? refusal ?? failure : failure
        }
        return FolderDescriptor(number: number)
    }

    /// Opens a folder and makes it, and those above it, where they are missing.
    static func making(_ path: String) throws(SystemFailure) -> FolderDescriptor {
        if let folder = try? FolderDescriptor(path: path) { return folder }
        var missing: [String] = []
        var above = path
        while (try? FileKind.of(above, followingLinks: true)) == nil, above != "/", !above.isEmpty {
            missing.append(PathText.name(of: above))
            above = PathText.folder(of: above)
        }
        return try FolderDescriptor(path: above.isEmpty ? "." : above).below(missing.reversed(), making: true)
    }

    /// Looks a name up, without following a link.
    ///
    /// - Throws: `SystemFailure`, its `isAbsence` true if there is no such name.
    borrowing func status(of name: String) throws(SystemFailure) -> stat {
        var status = stat()
        guard fstatat(self.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw SystemFailure.current }
        return status
    }

    /// Returns the shape of a regular file; `nil` if there is none of this name.
    borrowing func shape(of name: String) throws(SystemFailure) -> FileShape? {
        do {
            let status = try self.status(of: name)
            return FileKind(mode: status.st_mode) == .file ? FileShape(status) : nil
        } catch {
            if error.isAbsence { return nil }
            throw error
        }
    }

    /// Whether a name is taken.
    borrowing func has(_ name: String) throws(SystemFailure) -> Bool {
        do {
            _ = try self.status(of: name)
            return true
        } catch {
            if error.isAbsence { return false }
            throw error
        }
    }

    /// Makes names that were added or taken away durable.
    borrowing func sync() throws(SystemFailure) {
        guard fsync(self.number) != 0 else { return }
        // Some file systems have nothing to write for a folder.
        guard ![EINVAL, ENOTSUP, ENOSYS].contains(errno) else { return }
        throw SystemFailure.current
    }
}
