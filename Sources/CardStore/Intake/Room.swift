package import CardModel
import Glibc

/// The work for which there is space on the disk of the sandbox.
package enum DiskSpace: Comparable, Sendable {
    /// Everything continues.
    case ample
    /// No photo is admitted; admitted cards continue.
    case noIntake
    /// Cards are not verified either; deliveries finish, and cards are erased.
    case finishingOnly

    init(free: Int64, intakeFreeSpace: Int64, hasReserve: Bool) {
        if free < min(Limits.workFreeSpace, intakeFreeSpace) {
            self = .finishingOnly
        } else {
            self = free >= intakeFreeSpace && hasReserve ? .ample : .noIntake
        }
    }
}

/// A file that reserves space for a full disk: without space SQLite can neither finish a card nor erase one.
///
/// A change that finds no space deletes the file and is tried once more; the file is made again when there is space.
struct Reserve: Sendable {
    let path: String

    var isWhole: Bool {
        var status = stat()
        return stat(self.path, &status) == 0 && status.st_size == Limits.reserveSize
    }

    /// Makes the file if it is missing and there is space for it and for `others` bytes beside it.
    ///
    /// - Returns: whether the file is there.
    @discardableResult
    func ensure(freeBytes: Int64, beside others: Int64 = Limits.reserveSize / 2) -> Bool {
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

    /// Deletes the file to free its space, and returns whether there was one.
    func giveUp() -> Bool { unlink(self.path) == 0 }
}

extension SandboxIntake {
    var reserve: Reserve { Reserve(path: self.sandbox.folder.reserve) }

    /// Returns the work for which there is space: as the disk fills up, intake stops first, then verification.
    ///
    /// - Parameter intakeFreeSpace: the bytes that must be free for photos to be admitted (`sandbox.intake_free_space`).
    package func room(intakeFreeSpace: Int64) -> DiskSpace {
        let free = self.freeBytes
        let hasReserve = self.reserve.ensure(freeBytes: free)
        return DiskSpace(free: free, intakeFreeSpace: intakeFreeSpace, hasReserve: hasReserve)
    }

    /// Whether as many cards are in progress as may be at a time.
    package func isFull(depth: Int = Limits.queueDepth) async throws -> Bool {
        try await self.read { tx in
            try self.mayHold(depth, in: tx)
                && tx.exists(
                    "SELECT 1 FROM card WHERE state IN \(literals: .received, .prepared) LIMIT 1 OFFSET \(depth - 1)"
                )
        }
    }

    /// Whether a submitter has reached its limit of images that await fetching.
    ///
    /// These images do not count in the share of the queue: a host that does not answer must not use up room of the queue.
    package func hasReachedFetchingLimit(for sender: Caller, share: Int = Limits.fetchingShare) async throws -> Bool {
        let cards: SQL = "SELECT 1 FROM card WHERE state = \(literal: .fetching) AND \(Self.sent(by: sender))"
        return try await self.read { tx in try tx.exists("\(cards) LIMIT 1 OFFSET \(share - 1)") }
    }

    /// Whether a submitter has as many photos in the queue, or held under numbers of others, as it may: all submitters share the
    /// queue.
    package func hasReachedQueueShare(by sender: Caller, share: Int = Limits.queueShare) async throws -> Bool {
        try await self.read { tx in
            try tx.exists(
                """
                SELECT 1 FROM card WHERE \(Self.sent(by: sender)) AND state IN \(literals: .received, .prepared) UNION ALL
                SELECT 1 FROM card WHERE \(Self.sent(by: sender)) AND state = \(literal: .held) AND reason = 'submitter_conflict'
                LIMIT 1 OFFSET \(share - 1)
                """
            )
        }
    }

    /// Selects the cards that a caller sent, among those of its submitter.
    private static func sent(by sender: Caller) -> SQL {
        "submitter = \(sender.submitter) AND \(SQL.unindexed("sent_by = \(sender.subject)"))"
    }

    /// Refuses one more photo of a business number that has more in progress than a case can have: the name of a folder may be
    /// taken as the number of all its photos.
    ///
    /// - Throws: `too_many_photos`.
    func requireFewOpen(of number: BusinessNumber, from submitter: String, in tx: Transaction) throws {
        let most = Limits.openPhotosPerNumber
        let isFull = try tx.exists(
            """
            SELECT 1 FROM card WHERE number = \(number) AND \(SQL.unindexed("submitter = \(submitter)"))
            AND state IN \(literals: .fetching, .received, .prepared, .verified, .delivering, .held) LIMIT 1 OFFSET \(most - 1)
            """
        )
        guard isFull else { return }
        throw CodedError(.tooManyPhotos, .input, .cardTooManyPhotos(most))
    }

    /// Whether it is possible that `depth` cards are in progress. This compares an upper bound, the number of cards admitted since
    /// the oldest one in progress, because that needs no counting.
    func mayHold(_ depth: Int, in tx: Transaction) throws -> Bool {
        let oldest = try [CardState.received, .prepared].compactMap { state in
            try tx.value("SELECT min(intake_order) FROM card WHERE state = \(literal: state)", as: Int64.self)
        }
        guard let first = oldest.min(), let next: Int64 = try tx.value("SELECT next_order FROM store") else {
            return false
        }
        return next - first >= Int64(depth)
    }

    /// The free bytes on the disk of the sandbox; unlimited if the system does not say.
    package var freeBytes: Int64 {
        var status = statvfs()
        guard statvfs(self.sandbox.folder.path, &status) == 0 else { return .max }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
