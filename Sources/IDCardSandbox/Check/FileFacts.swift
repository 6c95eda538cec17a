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
    /// Whom it belongs to.
    let user: uid_t
    /// The group it belongs to.
    let group: gid_t

    private let device: dev_t
    private let inode: ino_t

    /// Looks at a file; `nil` if there is none.
    init?(_ path: String) {
        var status = stat()
        guard FileCall.lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Looks at an open file; `nil` if it is none.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        self.isDirectory = status.st_mode & S_IFMT == S_IFDIR
        self.isRegular = status.st_mode & S_IFMT == S_IFREG
        self.mode = status.st_mode & 0o777
        self.size = status.st_size
        self.user = status.st_uid
        self.group = status.st_gid
        self.device = status.st_dev
        self.inode = status.st_ino
    }

    /// Whether both are one file, under whatever names.
    func isSameFile(as other: FileFacts) -> Bool { self.device == other.device && self.inode == other.inode }

    /// Whether others than the owner may do anything with it.
    var isOpenToOthers: Bool { self.mode & 0o077 != 0 }
}
