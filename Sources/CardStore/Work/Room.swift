import CardModel
import Glibc

/// What there is room for on the disk of the sandbox.
package enum DiskSpace: Hashable, Sendable {
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

    /// Gives the room to whoever finds none, and returns whether there was any.
    func giveUp() -> Bool { unlink(self.path) == 0 }
}

extension CardStore {
    var reserve: Reserve { Reserve(path: self.folder.reserve) }

    /// What there is room for: as the disk fills up, intake stops first, then verification.
    ///
    /// - Parameter intakeFreeSpace: the bytes that must be free for more to be taken in (`sandbox.intake_free_space`).
    package func room(intakeFreeSpace: Int64) -> DiskSpace {
        let free = self.freeBytes
        let hasReserve = self.reserve.keep(freeBytes: free)
        return DiskSpace(free: free, intakeFreeSpace: intakeFreeSpace, hasReserve: hasReserve)
    }

    /// Whether as many cards are under way as the sandbox is to hold at a time.
    package func isFull(depth: Int = Limits.queueDepth) async throws -> Bool {
        try await self.read { tx in
            try self.mayHold(depth, in: tx)
                && tx.exists("SELECT 1 FROM card WHERE state IN ('received', 'prepared') LIMIT 1 OFFSET \(depth - 1)")
        }
    }

    /// Whether as many images of a submitter are to be fetched as may be at a time. They are counted apart: hosts that do not
    /// answer keep nobody else's cards out.
    package func isFetchingFull(for submitter: String, share: Int = Limits.fetchingShare) async throws -> Bool {
        let cards: SQL = "SELECT 1 FROM card WHERE state = 'fetching' AND submitter = \(submitter)"
        return try await self.read { tx in try tx.exists("\(cards) LIMIT 1 OFFSET \(share - 1)") }
    }

    /// Whether a submitter has as many photos in the queue, or held under others' numbers, as one may: the queue is there for
    /// all.
    package func isQueueShareTaken(by submitter: String, share: Int = Limits.queueShare) async throws -> Bool {
        try await self.read { tx in
            try tx.exists(
                """
                SELECT 1 FROM card WHERE submitter = \(submitter) AND state IN ('received', 'prepared') UNION ALL
                SELECT 1 FROM card WHERE submitter = \(submitter) AND state = 'held' AND reason = 'submitter_conflict'
                LIMIT 1 OFFSET \(share - 1)
                """
            )
        }
    }

    /// Refuses one more photo of a business number that has as many in progress as one case cannot have: a folder may lend its
    /// name to all photos in it.
    ///
    /// - Throws: `too_many_photos`.
    func requireFewOpen(of number: BusinessNumber, from submitter: String, in tx: Transaction) throws {
        let most = Limits.openPhotosPerNumber
        let isFull = try tx.exists(
            """
            SELECT 1 FROM card WHERE number = \(number) AND submitter || '' = \(submitter)
            AND state IN ('fetching', 'received', 'prepared', 'verified', 'delivering', 'held') LIMIT 1 OFFSET \(most - 1)
            """
        )
        guard isFull else { return }
        throw CodedError(.tooManyPhotos, .input, .cardTooManyPhotos(most))
    }

    /// Whether so many cards may be under way: no more than were taken in since the oldest of them, which takes no counting.
    func mayHold(_ depth: Int, in tx: Transaction) throws -> Bool {
        let oldest = try [CardState.received, .prepared].compactMap { state in
            try tx.value("SELECT min(intake_order) FROM card WHERE state = \(literal: state)", as: Int64.self)
        }
        guard let first = oldest.min(), let next: Int64 = try tx.value("SELECT next_order FROM store") else {
            return false
        }
        return next - first >= Int64(depth)
    }

    /// The bytes that are free on the disk of the sandbox; a disk that does not say counts as endless.
    package var freeBytes: Int64 {
        var status = statvfs()
        guard statvfs(self.folder.path, &status) == 0 else { return .max }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
