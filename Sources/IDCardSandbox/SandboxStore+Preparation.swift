import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func beginPreparing(_ digest: ContentDigest) async throws -> Preparing {
        let fingerprint = self.vault.fingerprint(digest.bytes, purpose: Vault.Purpose.source)
        let crashes = self.crashWatch.mayKnowCrashes ? try await self.crashes(of: fingerprint) : nil
        let slot = try self.registeredOwner.breadcrumbs.add(fingerprint)
        return Preparing(digest: digest, slot: slot, crashes: crashes ?? 0)
    }

    private func crashes(of fingerprint: Data) async throws -> Int? {
        try await self.read { db in
            try Int.fetchOne(
                db,
                cached: "SELECT count FROM decoder_crash WHERE content_fingerprint = ?",
                arguments: [fingerprint]
            )
        }
    }

    package func endPreparing(_ preparing: Preparing, survived: Bool) async throws {
        try self.registeredOwner.breadcrumbs.remove(preparing.slot)
        guard survived, preparing.crashes > 0 else { return }
        let fingerprint = self.vault.fingerprint(preparing.digest.bytes, purpose: Vault.Purpose.source)
        try await self.writer.write { db in
            try db.execute(
                cached: "DELETE FROM decoder_crash WHERE content_fingerprint = ?",
                arguments: [fingerprint]
            )
        }
    }

    /// Counts what a dead owner had under preparation.
    static func countCrashes(of owner: DeadOwner, in db: Database) throws {
        for fingerprint in owner.breadcrumbs {
            try db.execute(
                cached: """
                    INSERT INTO decoder_crash (content_fingerprint, count) VALUES (?, 1)
                    ON CONFLICT (content_fingerprint) DO UPDATE SET count = count + 1
                    """,
                arguments: [fingerprint]
            )
        }
    }
}
