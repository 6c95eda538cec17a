import CFolders
import CardModel
import Glibc
import SystemPackage

/// An open folder: operations affect this folder even if its path changes.
struct OpenFolder: ~Copyable {
    let descriptor: Int32

    /// Opens a folder by its real path; a link in any part of the path is refused.
    init(_ path: FilePath) throws(Errno) { self.descriptor = try path.openReal(O_RDONLY | O_DIRECTORY) }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(self.descriptor) }

    /// Opens a folder below, without following links.
    ///
    /// - Parameter making: whether to create missing folders.
    consuming func entering(_ names: [String], making: Bool = false) throws(Errno) -> OpenFolder {
        var current = self
        for name in names { current = try current.entering(name, making: making) }
        return current
    }

    private borrowing func entering(_ name: String, making: Bool) throws(Errno) -> OpenFolder {
        let refusal: Errno? = making && mkdirat(self.descriptor, name, 0o777) != 0 ? .last : nil
        let descriptor = openat(self.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = Errno.last
            // If the folder is missing, the failed creation is the reason.
            throw error == .noSuchFileOrDirectory ? refusal ?? error : error
        }
        return OpenFolder(descriptor: descriptor)
    }

    /// Lists the names in the order of their bytes.
    borrowing func names() throws(Errno) -> [FilePath.Component] {
        // A separate descriptor: `closedir` closes it, and reading moves its offset.
        let copy = openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw Errno.last }
        guard let stream = fdopendir(copy) else {
            let error = Errno.last
            close(copy)
            throw error
        }
        defer { closedir(stream) }
        var names: [FilePath.Component] = []
        errno = 0
        while let record = readdir(stream) {
            // A record ends with its name: a copy of the whole `dirent` would read past the end of the block.
            if let name = record.pointer(to: \.d_name) {
                let component = name.withMemoryRebound(to: CChar.self, capacity: 1) {
                    FilePath.Component(platformString: $0)
                }
                if let component, component.kind == .regular { names.append(component) }
            }
            errno = 0
        }
        guard errno == 0 else { throw Errno.last }
        return names.sorted { left, right in
            left.withPlatformString { left in right.withPlatformString { strcmp(left, $0) < 0 } }
        }
    }

    /// Looks a name up, without following a link; `nil` if there is none.
    borrowing func status(of name: String) throws(Errno) -> stat? {
        var status = stat()
        guard fstatat(self.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 else { return status }
        let error = Errno.last
        guard error.isAbsence || error == .fileNameTooLong else { throw error }
        return nil
    }

    /// Whether a name belongs to the observed file, unchanged; the file may have been observed under another name.
    borrowing func holds(_ identity: FileIdentity, as name: String) throws(Errno) -> Bool {
        guard let status = try self.status(of: name), status.kind == .file else { return false }
        return FileIdentity(path: identity.path.reveal(), status).isSame(as: identity)
    }

    /// Deletes a file by its name; a missing file is not an error.
    borrowing func unlink(_ name: String) throws(Errno) {
        guard unlinkat(self.descriptor, name, 0) != 0 else { return }
        let error = Errno.last
        guard error.isAbsence else { throw error }
    }

    /// Whether the two folders are on different mounts, so that no file can be renamed from one into the other.
    ///
    /// The call changes nothing: the kernel checks the mounts before the names, and it never renames ".".
    borrowing func isMountedApart(from other: borrowing OpenFolder) -> Bool {
        renameat(self.descriptor, ".", other.descriptor, ".") != 0 && Errno.last == .improperLink
    }

    /// Whether other machines or programs may change the folder without the knowledge of this kernel.
    var isRemote: Bool { idc_is_remote(self.descriptor) == 1 }

    /// Makes the names in the folder durable.
    borrowing func sync() throws(Errno) {
        guard fsync(self.descriptor) != 0 else { return }
        // Some file systems have nothing to write for a folder.
        guard ![EINVAL, ENOTSUP, ENOSYS].contains(errno) else { return }
        throw Errno.last
    }
}
