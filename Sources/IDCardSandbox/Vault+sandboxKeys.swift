import Crypto
import Foundation
import GRDB
import IDCardPipeline

// The keys of the sandbox as a whole, for fingerprints and for the chain of the access log: random, made with the
// sandbox, never changed; only what wraps them changes.
extension Vault {
    static let sandboxKeyPlace = "vault_key.bytes"

    /// Opens the vault of a sandbox.
    ///
    /// - Throws: `StoreError.wrongKey` if the ring does not open it, `StoreError.corrupt` if a key is missing or damaged.
    static func opening(_ access: VaultAccess, in db: Database) throws -> Vault {
        let keeper: KeyRingKeeper? =
            switch access {
            case .unencrypted: nil
            case .encrypted(let ring, let source): KeyRingKeeper(ring, source: source)
            }
        // A ring that lacks it could read now and fail at the first write.
        if let keeper { _ = try keeper.key(self.currentKeyID(in: db)) }
        return Vault(
            keeper: keeper,
            fingerprintKey: try self.sandboxKey(SandboxSchema.fingerprintKeyPurpose, keeper: keeper, in: db),
            chainKey: try self.sandboxKey(SandboxSchema.chainKeyPurpose, keeper: keeper, in: db)
        )
    }

    /// Makes a key of a new sandbox.
    static func makeSandboxKey(_ purpose: String, under wrappingKey: VaultKey?, in db: Database) throws {
        let key = SymmetricKey(size: .bits256)
        try db.execute(
            sql: "INSERT INTO vault_key (purpose, bytes, key_id) VALUES (?, ?, ?)",
            arguments: [
                purpose,
                try wrappingKey?.wrap(key, owner: purpose, place: self.sandboxKeyPlace)
                    ?? key.withUnsafeBytes { Data($0) },
                wrappingKey?.id,
            ]
        )
    }

    private static func sandboxKey(
        _ purpose: String,
        keeper: KeyRingKeeper?,
        in db: Database
    ) throws -> SymmetricKey {
        let row = try Row.fetchOne(
            db,
            sql: "SELECT bytes, key_id FROM vault_key WHERE purpose = ?",
            arguments: [purpose]
        )
        guard let row else { throw SandboxStore.corrupt("vault_key") }
        guard let keeper else { return SymmetricKey(data: row["bytes"] as Data) }
        guard let id = row["key_id"] as String?,
            let key = try keeper.key(id).unwrap(row["bytes"], owner: purpose, place: self.sandboxKeyPlace)
        else { throw SandboxStore.corrupt("vault_key") }
        return key
    }
}
