package import Glibc

/// What tells a file apart without reading it: path, device, inode, size, modification and change time. The path does not
/// print.
package struct FileIdentity: Hashable, Sendable, Codable {
    /// The absolute path.
    package var path: Redacted<String>
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// The modification time in nanoseconds since the epoch.
    package var modifiedNanoseconds: Int64
    /// The time of the last change, of its bytes or of its name, in nanoseconds since the epoch.
    package var changedNanoseconds: Int64

    package init(path: String, _ status: stat) {
        self.path = Redacted(path)
        self.device = UInt64(status.st_dev)
        self.inode = UInt64(status.st_ino)
        self.size = Int64(status.st_size)
        // Whoever may write a file may give it any time: beyond the years that fit (1677 to 2262) it wraps around.
        self.modifiedNanoseconds = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        self.changedNanoseconds = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }

    /// Whether a file is this one as far as a move shows: renaming changes the change time.
    package func isSame(as other: FileIdentity) -> Bool {
        var other = other
        other.changedNanoseconds = self.changedNanoseconds
        return self == other
    }
}
