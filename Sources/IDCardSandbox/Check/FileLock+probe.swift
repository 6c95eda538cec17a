import Glibc

extension FileLock {
    /// What a look at the lock of a file tells.
    enum Probe: Hashable {
        /// There is no such file, or it cannot be looked at.
        case missing
        /// Nobody holds the lock.
        case free
        /// A living process holds it.
        case held
    }

    /// `F_OFD_GETLK` of `<linux/fcntl.h>`; not imported because Glibc hides it behind `_GNU_SOURCE`.
    private static let getLock: Int32 = 36

    /// Looks whether somebody holds the lock of a file without taking it, so that nobody is kept from it.
    static func probe(_ path: String) -> Probe {
        let descriptor = FileCall.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return .missing }
        // Closing another description does not give up a lock of this kind.
        defer { Glibc.close(descriptor) }
        var region = flock()
        region.l_type = Int16(F_WRLCK)
        region.l_whence = Int16(SEEK_SET)
        guard fcntl(descriptor, Self.getLock, &region) == 0 else { return .missing }
        return region.l_type == Int16(F_UNLCK) ? .free : .held
    }
}
