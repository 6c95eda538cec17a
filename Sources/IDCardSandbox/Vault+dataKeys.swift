import Crypto
import Foundation
import GRDB
import IDCardPipeline

// The keys of single cards and deliveries: rows of `data_key`, made when the first value of their owner is sealed.
extension Vault {
    static let dataKeyPlace = "data_key.bytes"

    func seal(_ plaintext: Data, owner: String, column: String, in db: Database) throws -> Data {
        guard let keeper = self.keeper else { return plaintext }
        let key =
            try self.dataKey(of: owner, keeper: keeper, in: db) ?? self.makeDataKey(for: owner, keeper: keeper, in: db)
        return try SealedValue.seal(plaintext, using: key, owner: owner, column: column)
    }

    func open(_ sealed: Data, owner: String, column: String, in db: Database) throws -> Data {
        guard let keeper = self.keeper else { return sealed }
        guard let key = try self.dataKey(of: owner, keeper: keeper, in: db),
            let plaintext = SealedValue.open(sealed, using: key, owner: owner, column: column)
        else { throw Self.unopenable(column) }
        return plaintext
    }

    private func dataKey(of owner: String, keeper: KeyRingKeeper, in db: Database) throws -> SymmetricKey? {
        let statement = try db.cachedStatement(sql: "SELECT key_id, bytes FROM data_key WHERE owner = ?")
        guard let row = try Row.fetchOne(statement, arguments: [owner]) else { return nil }
        let wrappingKey = try keeper.key(row[0])
        guard let key = wrappingKey.unwrap(row[1], owner: owner, place: Self.dataKeyPlace) else {
            throw Self.unopenable(Self.dataKeyPlace)
        }
        return key
    }

    /// The key that wraps it is the one that the sandbox names in this very transaction: none other is ever used for what
    /// is new, however many processes work on the sandbox while the key is rotated.
    private func makeDataKey(for owner: String, keeper: KeyRingKeeper, in db: Database) throws -> SymmetricKey {
        let wrappingKey = try keeper.key(Self.currentKeyID(in: db))
        let key = SymmetricKey(size: .bits256)
        try db.execute(
            cached: "INSERT INTO data_key (owner, key_id, bytes) VALUES (?, ?, ?)",
            arguments: [
                owner, wrappingKey.id, try wrappingKey.wrap(key, owner: owner, place: Self.dataKeyPlace),
            ]
        )
        return key
    }

    /// The name of the key under which the sandbox wraps what is new.
    static func currentKeyID(in db: Database) throws -> String {
        let statement = try db.cachedStatement(sql: "SELECT key_id FROM sandbox")
        guard let id = try String.fetchOne(statement) else { throw SandboxStore.corrupt("sandbox.key_id") }
        return id
    }

    private static func unopenable(_ column: String) -> StoreError {
        StoreError(
            .corrupt,
            "a value in \(column) does not open: its key was destroyed, or its bytes were changed; restore a backup"
        )
    }
}
