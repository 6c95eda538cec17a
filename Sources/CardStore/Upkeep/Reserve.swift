import Glibc

/// What there is room for on the disk of the sandbox.
package enum DiskRoom: Hashable, Sendable {
    /// Everything goes on.
    case ample
    /// Nothing more is taken in; what is there goes on.
    case noIntake
    /// Nothing is verified either; deliveries end, and cards are erased.
    case finishingOnly

    init(free: Int64, intakeFreeSpace: Int64, hasReserve: Bool) {
        if free < min(Limits.workFreeSpace, intakeFreeSpace) {
            self = .finishingOnly
        } else {
            self = free >= intakeFreeSpace && hasReserve ? .ample : .noIntake
        }
    }
}

/// A file that keeps room for the time when the disk is full: without room SQLite can neither end a card nor erase one.
///
/// A change that finds no room has it given up and is made once more; it is made again when there is room.
struct Reserve: Sendable {
    let path: String

    var isWhole: Bool {
        var status = stat()
        return stat(self.path, &status) == 0 && status.st_size == Limits.reserveSize
    }

    /// Makes it if it is not there and there is room for it and for others beside it.
    ///
    /// - Returns: whether it is there.
    @discardableResult
    func keep(freeBytes: Int64, beside others: Int64 = Limits.reserveSize / 2) -> Bool {
        if self.isWhole { return true }
        guard freeBytes >= Limits.reserveSize + others else { return false }
        let descriptor = open(self.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard posix_fallocate(descriptor, 0, off_t(Limits.reserveSize)) == 0 else {
            unlink(self.path)
            return false
        }
        return true
    }

    /// Gives the room to whoever finds none.
    ///
    /// - Returns: whether there was any.
    func giveUp() -> Bool { unlink(self.path) == 0 }
}

extension CardStore {
    var reserve: Reserve { Reserve(path: self.folder.reserve) }

    /// What there is room for: as the disk fills up, intake stops first, then verification.
    ///
    /// - Parameter intakeFreeSpace: the bytes that must be free for more to be taken in (`sandbox.intake_free_space`).
    package func room(intakeFreeSpace: Int64) -> DiskRoom {
        let free = self.freeBytes
        let hasReserve = self.reserve.keep(freeBytes: free)
        return DiskRoom(free: free, intakeFreeSpace: intakeFreeSpace, hasReserve: hasReserve)
    }
}
