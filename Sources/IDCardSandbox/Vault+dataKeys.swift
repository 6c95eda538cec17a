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
            try self.dataKey(OwnerKey(of: owner), keeper: keeper, in: db)
            ?? self.makeDataKey(for: owner, keeper: keeper, in: db)
        return try SealedValue.seal(plaintext, using: key, owner: owner, column: column)
    }

    func open(_ sealed: Data, owner: String, column: String, in db: Database) throws -> Data {
        var key = OwnerKey(of: owner)
        return try self.open(sealed, with: &key, column: column, in: db)
    }

    /// Opens one of several values of an owner.
    func open(_ sealed: Data, with ownerKey: inout OwnerKey, column: String, in db: Database) throws -> Data {
        guard let keeper = self.keeper else { return sealed }
        if ownerKey.key == nil { ownerKey.key = try self.dataKey(ownerKey, keeper: keeper, in: db) }
        guard let key = ownerKey.key,
            let plaintext = SealedValue.open(sealed, using: key, owner: ownerKey.owner, column: column)
        else { throw Self.unopenable(column) }
        return plaintext
    }

    /// The data key of one card or delivery: fetched and unwrapped with the first of its values that is opened.
    struct OwnerKey {
        let owner: String
        /// What `data_key` holds of it, if that was read along with the owner's row.
        private let row: (wrappingKey: String, bytes: Data)?
        fileprivate var key: SymmetricKey?

        init(of owner: String, row: (wrappingKey: String, bytes: Data)? = nil) {
            self.owner = owner
            self.row = row
        }

        fileprivate func fetch(in db: Database) throws -> (wrappingKey: String, bytes: Data)? {
            if let row = self.row { return row }
            let statement = try db.cachedStatement(sql: "SELECT key_id, bytes FROM data_key WHERE owner = ?")
            return try Row.fetchOne(statement, arguments: [self.owner]).map { ($0[0], $0[1]) }
        }
    }

    private func dataKey(_ ownerKey: OwnerKey, keeper: KeyRingKeeper, in db: Database) throws -> SymmetricKey? {
        guard let row = try ownerKey.fetch(in: db) else { return nil }
        let wrappingKey = try keeper.key(row.wrappingKey)
        guard let key = wrappingKey.unwrap(row.bytes, owner: ownerKey.owner, place: Self.dataKeyPlace) else {
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
