import Crypto
import Foundation
import GRDB
import IDCardPipeline

// Rotation changes what wraps the keys, never the keys: what is sealed and what is fingerprinted stays as it is.
extension SandboxStore {
    /// The keys of the ring with which the sandbox is open.
    ///
    /// - Throws: `StoreError.wrongSandbox` if the sandbox is not encrypted.
    package var keyRing: KeyRing { get throws { try self.keeper.ring } }

    /// Reads the ring anew from where it came.
    ///
    /// - Throws: `StoreError.wrongKey` if it cannot be read, `StoreError.wrongSandbox` if the sandbox is not encrypted.
    package func reloadKeyRing() async throws {
        _ = try await self.keeper.renew()
    }

    /// Tells which keys the sandbox needs.
    package func keyUse() async throws -> KeyUse {
        _ = try self.keeper
        return try await self.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT key_id, count(*) AS count FROM data_key GROUP BY key_id")
            return KeyUse(
                current: try Vault.currentKeyID(in: db),
                dataKeys: Dictionary(uniqueKeysWithValues: rows.map { ($0["key_id"], $0["count"]) })
            )
        }
    }

    /// Makes the first key of the ring the current one: from the commit on everything new is wrapped under it, whoever
    /// writes, and the keys of the sandbox as a whole are wrapped under it too.
    ///
    /// - Parameter isForced: whether to do so although a living process does not have the key.
    /// - Returns: whether it was another before.
    /// - Throws: `StoreError.wrongKey` if the ring lacks the key that was current, `StoreError.conflict` if a living
    ///   process lacks the new one and it is not forced.
    package func adoptFirstKey(isForced: Bool = false) async throws -> Bool {
        let keeper = try self.keeper
        return try await self.writer.write { db in
            let ring = keeper.ring
            guard try Vault.currentKeyID(in: db) != ring.current.id else { return false }
            // In the transaction: whoever opens the sandbox later is refused without the new key.
            let lacking = try self.processesLacking(ring.current.id, in: db)
            guard isForced || lacking.isEmpty else {
                throw StoreError(
                    .conflict,
                    "the new key \(ring.current.id) is not in use: \(lacking.map(\.name).joined(separator: "; ")) cannot "
                        + "read it"
                )
            }
            for row in try Row.fetchAll(db, sql: "SELECT purpose, key_id, bytes FROM vault_key") {
                let purpose: String = row["purpose"]
                let place = Vault.sandboxKeyPlace
                guard let id = row["key_id"] as String?,
                    let key = try keeper.key(id).unwrap(row["bytes"], owner: purpose, place: place)
                else { throw Self.corrupt("vault_key") }
                try db.execute(
                    sql: "UPDATE vault_key SET key_id = ?, bytes = ? WHERE purpose = ?",
                    arguments: [
                        ring.current.id, try ring.current.wrap(key, owner: purpose, place: place), purpose,
                    ]
                )
            }
            try db.execute(
                sql: "UPDATE sandbox SET key_id = ?, announced_key_id = NULL",
                arguments: [ring.current.id]
            )
            return true
        }
    }

    /// Wraps some of the data keys anew that are not yet under the current key.
    ///
    /// One walk in the order of owners meets them all: what is made behind it is under the current key already.
    ///
    /// - Parameters:
    ///   - owner: the last owner of the batch before; `nil` begins the walk.
    ///   - limit: how many at most; they are one transaction.
    /// - Throws: `StoreError.wrongKey` if the ring lacks a key that is needed.
    package func rewrapDataKeys(after owner: String?, limit: Int) async throws -> KeyRewrap {
        let keeper = try self.keeper
        return try await self.writer.write { db in
            let current = try keeper.key(Vault.currentKeyID(in: db))
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT owner, key_id, bytes FROM data_key WHERE owner > ? AND key_id <> ? ORDER BY owner LIMIT ?
                    """,
                arguments: [owner ?? "", current.id, limit]
            )
            var batch = KeyRewrap(last: nil, rewrapped: 0, damaged: 0)
            for row in rows {
                let owner: String = row["owner"]
                let place = Vault.dataKeyPlace
                batch.last = owner
                guard let key = try keeper.key(row["key_id"]).unwrap(row["bytes"], owner: owner, place: place) else {
                    // What it sealed is lost already; the others must not be kept under the old key for its sake.
                    batch.damaged += 1
                    continue
                }
                try db.execute(
                    sql: "UPDATE data_key SET key_id = ?, bytes = ? WHERE owner = ?",
                    arguments: [current.id, try current.wrap(key, owner: owner, place: place), owner]
                )
                batch.rewrapped += 1
            }
            return batch
        }
    }

    private var keeper: KeyRingKeeper {
        get throws {
            guard let keeper = self.vault.keeper else {
                throw StoreError(.wrongSandbox, "the sandbox is not encrypted (vault.mode: none); it has no keys")
            }
            return keeper
        }
    }
}
