import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// Which sandbox opens with which key.
struct VaultOpeningTests {
    @Test(
        "a sandbox opens in the mode in which it was made, and says what to do in the other",
        arguments: [true, false]
    )
    func modes(isEncrypted: Bool) async throws {
        let made: VaultAccess = isEncrypted ? .sample : .unencrypted
        let other: VaultAccess = isEncrypted ? .unencrypted : .sample
        let folder = SandboxFolder(vault: made)
        try await folder.open().close()
        for readOnly in [false, true] {
            let error = #expect(throws: StoreError.self) { try folder.open(readOnly: readOnly, vault: other) }
            #expect(error?.code == .wrongSandbox)
            #expect(error?.message.contains("vault.mode: none") == true)
        }
        #expect(throws: StoreError.self) { try SandboxStore.isThere(folder.path, keptAs: other.mode) }
        #expect(try SandboxStore.isThere(folder.path, keptAs: made.mode))
        #expect(try folder.open().vault.mode == made.mode)
    }

    @Test("where there is no sandbox, that is told without making one")
    func missing() throws {
        let folder = SandboxFolder()
        #expect(try !SandboxStore.isThere(folder.path, keptAs: .encrypted))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("another key does not open a sandbox, and the error names the key that does", arguments: [true, false])
    func wrongKey(readOnly: Bool) async throws {
        let folder = SandboxFolder()
        try await folder.open().close()
        let stranger = VaultAccess.encrypted(KeyRing(.sample(2)))
        let error = #expect(throws: StoreError.self) { try folder.open(readOnly: readOnly, vault: stranger) }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains(VaultKey.sample(1).id) == true)
        let both = try #require(KeyRing([.sample(2), .sample(1)]))
        #expect(try folder.open(readOnly: readOnly, vault: .encrypted(both)).keyRing == both)
    }

    @Test("a damaged key of the sandbox is told as damage, not as a wrong key")
    func damagedKey() async throws {
        let folder = SandboxFolder()
        try await folder.open().close()
        try folder.raw { try $0.execute(sql: "UPDATE vault_key SET bytes = x'01' WHERE purpose = 'fingerprint'") }
        let error = #expect(throws: StoreError.self) { try folder.open() }
        #expect(error?.code == .corrupt)
    }

    @Test("the keys of two sandboxes under one key do not fit each other")
    func swappedSandboxKeys() async throws {
        let folder = SandboxFolder()
        try await folder.open().close()
        try folder.raw { db in
            try db.execute(
                sql: """
                    UPDATE vault_key SET bytes = (SELECT bytes FROM vault_key WHERE purpose = 'chain')
                    WHERE purpose = 'fingerprint'
                    """
            )
        }
        let error = #expect(throws: StoreError.self) { try folder.open() }
        #expect(error?.code == .corrupt)
    }

    /// Makes a sandbox as version 1 of the program did, with one card in it.
    private func makeVersion1(in folder: SandboxFolder) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: folder.database)
        try queue.write { db in
            try SandboxSchema.makeVersion1(endpoints: .embedded, mode: .none, now: .second(0), in: db)
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('1');
                    INSERT INTO vault_key (purpose, bytes) VALUES ('fingerprint', x'\(String(repeating: "07", count: 32))');
                    INSERT INTO card (
                        id, state, business_no, content_fingerprint, intake_order, priority, user_number, created_at,
                        changed_at
                    ) VALUES ('card-1', 'prepared', 'CASE-1', x'00', 1, 0, CAST('user-1' AS BLOB), 1, 1);
                    INSERT INTO source_file VALUES (x'01', 'CASE-1', 1, 2, 3, 4, 'card-1');
                    """
            )
        }
        try queue.close()
    }

    @Test("a sandbox of version 1, which was never encrypted, opens with vault.mode: none and keeps its key")
    func version1() async throws {
        let folder = SandboxFolder(vault: .unencrypted)
        try self.makeVersion1(in: folder)
        let store = try folder.open()
        let card = try await store.card(CardID(rawValue: "card-1"))
        #expect(card?.metadata.userNumber?.reveal() == "user-1")
        #expect(try folder.raw { try Int.fetchOne($0, sql: "PRAGMA user_version") } == SandboxSchema.version)
        let keys = try folder.raw { db in
            try Data.fetchAll(db, sql: "SELECT bytes FROM vault_key WHERE key_id IS NULL ORDER BY purpose")
        }
        #expect(keys.count == 2)
        #expect(keys.last == Data(repeating: 7, count: 32))
        _ = try await store.admit(.sample(2), now: .second(1))
        #expect(try await store.stateCounts() == [.prepared: 2])
    }

    @Test("a sandbox of version 1 opened with a key is refused and stays as it is")
    func version1WithKey() throws {
        let folder = SandboxFolder()
        try self.makeVersion1(in: folder)
        let error = #expect(throws: StoreError.self) { try folder.open() }
        #expect(error?.code == .wrongSandbox)
        #expect(try folder.raw { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 1)
    }
}
