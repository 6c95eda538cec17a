package import Glibc

extension FileIdentity {
    /// Reads the result of `stat`.
    package init(path: String, _ status: stat) {
        self.init(
            path: path,
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modifiedNanoseconds: Self.nanoseconds(status.st_mtim)
        )
    }

    /// A time in nanoseconds since the epoch; beyond the years that fit (1677 to 2262) it wraps around, since whoever may
    /// write a file may give it any time.
    package static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
