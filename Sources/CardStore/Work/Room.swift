import CardModel
import Glibc

// Whether more may be taken in.
extension CardStore {
    /// Whether as many cards are under way as the sandbox is to hold at a time.
    package func isFull() async throws -> Bool {
        try await Self.translating {
            try await self.database.read { tx in
                try tx.exists(
                    "SELECT 1 FROM card WHERE state IN ('received', 'prepared') LIMIT 1 OFFSET \(Limits.queueDepth)"
                )
            }
        }
    }

    /// The bytes that are free on the disk of the sandbox; a disk that does not say counts as endless.
    package var freeBytes: Int64 {
        var status = statvfs()
        guard statvfs(self.path, &status) == 0 else { return .max }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
