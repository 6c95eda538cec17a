import CardModel
import Glibc

// Whether more may be taken in.
extension CardStore {
    /// Whether as many cards are under way as the sandbox is to hold at a time.
    package func isFull() async throws -> Bool { try await self.isFull(depth: Limits.queueDepth) }

    func isFull(depth: Int) async throws -> Bool {
        try await Self.translating {
            try await self.database.read { tx in
                try self.mayHold(depth, in: tx)
                    && tx.exists(
                        """
                        SELECT 1 FROM card WHERE state IN ('fetching', 'received', 'prepared') LIMIT 1 OFFSET \(depth - 1)
                        """
                    )
            }
        }
    }

    /// Whether so many cards may be under way: no more than were taken in since the oldest of them, which takes no counting.
    func mayHold(_ depth: Int, in tx: Transaction) throws -> Bool {
        let oldest = try [CardState.fetching, .received, .prepared].compactMap { state in
            try tx.value("SELECT min(intake_order) FROM card WHERE state = \(state)", as: Int64?.self) ?? nil
        }
        guard let first = oldest.min(), let next: Int64 = try tx.value("SELECT next_order FROM store") else {
            return false
        }
        return next - first >= Int64(depth)
    }

    /// The bytes that are free on the disk of the sandbox; a disk that does not say counts as endless.
    package var freeBytes: Int64 {
        var status = statvfs()
        guard statvfs(self.path, &status) == 0 else { return .max }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
