import Glibc

/// What the system says of a file, links not followed.
struct FileFacts {
    /// Whether it is a folder.
    let isDirectory: Bool
    /// Whether it is a file with bytes of its own.
    let isRegular: Bool
    /// Its permission bits.
    let mode: mode_t
    /// Its size in bytes.
    let size: Int

    /// Looks at a file; `nil` if there is none.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.isDirectory = status.st_mode & S_IFMT == S_IFDIR
        self.isRegular = status.st_mode & S_IFMT == S_IFREG
        self.mode = status.st_mode & 0o777
        self.size = status.st_size
    }

    /// Whether others than the owner may do anything with it.
    var isOpenToOthers: Bool { self.mode & 0o077 != 0 }
}
