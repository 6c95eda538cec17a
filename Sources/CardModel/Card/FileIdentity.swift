package import Glibc

/// Identifies a file without reading it: path, device, inode, size, modification and change time. The path does not
/// print.
package struct FileIdentity: Hashable, Sendable {
    /// The absolute path.
    package var path: Redacted<String>
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// The modification time in nanoseconds since the epoch; the nearest that fits (years 1677 to 2262).
    package var modifiedNanoseconds: Int64
    /// The time of the last change of bytes, name or rights (`ctime`), in nanoseconds since the epoch.
    package var changedNanoseconds: Int64

    package init(path: String, _ status: stat) {
        self.path = Redacted(path)
        self.device = UInt64(status.st_dev)
        self.inode = UInt64(status.st_ino)
        self.size = Int64(status.st_size)
        self.modifiedNanoseconds = Self.nanoseconds(status.st_mtim)
        self.changedNanoseconds = Self.nanoseconds(status.st_ctim)
    }

    /// Returns nanoseconds, clamped to the range of `Int64`: a file can have any time.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, isTooFar) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isPastEnd) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        return isTooFar || isPastEnd ? (time.tv_sec < 0 ? .min : .max) : sum
    }

    /// Whether `other` may be the same file after a move: ignores the change time, which a rename changes.
    package func isSame(as other: FileIdentity) -> Bool {
        var other = other
        other.changedNanoseconds = self.changedNanoseconds
        return self == other
    }
}
