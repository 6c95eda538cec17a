import Glibc
import IDCardPipeline

/// What tells one state of a file from another without reading it; the name is not part of it.
struct FileShape: Hashable {
    /// The device number.
    var device: UInt64
    /// The inode number.
    var inode: UInt64
    /// The size in bytes.
    var size: Int64
    /// The modification time in nanoseconds since the epoch.
    var modified: Int64
    /// How many names the file has.
    var names: UInt64

    static func == (left: FileShape, right: FileShape) -> Bool {
        left.device == right.device && left.inode == right.inode && left.size == right.size
            && left.modified == right.modified
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(self.device)
        hasher.combine(self.inode)
        hasher.combine(self.size)
        hasher.combine(self.modified)
    }
}

extension FileShape {
    /// Reads the result of `stat`.
    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: FileIdentity.nanoseconds(status.st_mtim),
            names: UInt64(status.st_nlink)
        )
    }

    /// Looks a path up, without following a link; `nil` if it names no regular file.
    static func of(path: String) throws(SystemFailure) -> FileShape? {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemFailure.current }
        return FileKind(mode: status.st_mode) == .file ? FileShape(status) : nil
    }

    /// The file of this shape at a path, as the pipeline tells it.
    func identity(at path: String) -> FileIdentity {
        FileIdentity(
            path: path,
            device: self.device,
            inode: self.inode,
            size: self.size,
            modifiedNanoseconds: self.modified
        )
    }
}
