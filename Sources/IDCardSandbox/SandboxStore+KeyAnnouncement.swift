import Foundation
import GRDB
package import IDCardCore
import IDCardPipeline

// A key is announced before it is used: whoever works on the sandbox reads it first, so that nobody is left without it.
extension SandboxStore {
    /// A living process that does not have a key.
    package struct KeylessProcess: Hashable, Sendable {
        /// The command, its process id and its machine.
        package var name: String
        /// When it opened the sandbox.
        package var startedAt: Timestamp
    }

    /// The id of the key that was announced and is not in use yet.
    package func announcedKeyID() async throws -> String? {
        try await self.read { try String.fetchOne($0, sql: "SELECT announced_key_id FROM sandbox") }
    }

    /// Announces the first key of the ring: every process that works on the sandbox tries to read it within seconds.
    ///
    /// - Throws: `StoreError.wrongSandbox` if the sandbox is not encrypted.
    package func announceFirstKey() async throws {
        let id = try self.keyRing.current.id
        try await self.writer.write { db in
            try db.execute(
                sql: "UPDATE sandbox SET announced_key_id = :id WHERE key_id <> :id",
                arguments: ["id": id]
            )
        }
        try await self.noteKeys()
    }

    /// The living processes, but for this one, that do not have the first key of the ring.
    package func processesLackingFirstKey() async throws -> [KeylessProcess] {
        let id = try self.keyRing.current.id
        return try await self.read { try self.processesLacking(id, in: $0) }
    }

    func processesLacking(_ key: String, in db: Database) throws -> [KeylessProcess] {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT id, process, started_at, key_ids FROM owner WHERE id <> ? ORDER BY started_at, id",
            arguments: [try self.owner]
        )
        return rows.filter { row in
            !(row["key_ids"] as String).split(separator: " ").contains(Substring(key))
                && FileLock.probe(self.directory.ownerFile(of: row["id"])) == .held
        }
        .map { row in
            let name: String = row["process"]
            return KeylessProcess(
                name: name.isEmpty ? "a process of an older program" : name,
                startedAt: Timestamp(millisecondsSinceEpoch: row["started_at"])
            )
        }
    }

    /// Reads the keys again where one was announced that this process does not have, and writes down which it has.
    ///
    /// - Parameter announced: the id that was announced, or is in use already.
    func heed(_ announced: String?) async throws {
        guard let keeper = self.vault.keeper else { return }
        if let announced, keeper.ring.key(announced) == nil, keeper.mayRenewUnasked() {
            // Fallback of a source that fails: whoever needs the key is told then.
            _ = try? await keeper.renew()
        }
        try await self.noteKeys()
    }

    /// Reads the keys again, and writes down which there are: for whoever is told that they have changed.
    ///
    /// - Throws: `StoreError.wrongKey` if they cannot be read.
    package func rereadKeys() async throws {
        guard let keeper = self.vault.keeper else { return }
        _ = try await keeper.renew()
        try await self.noteKeys()
    }

    /// Writes down which keys this process has, where that has changed.
    private func noteKeys() async throws {
        guard let keeper = self.vault.keeper, let words = keeper.unnotedKeys() else { return }
        let owner = try self.owner
        try await self.writer.write { db in
            try db.execute(cached: "UPDATE owner SET key_ids = ? WHERE id = ?", arguments: [words, owner])
        }
        keeper.noted(words)
    }

    /// Says which key this process lacks to work on, if it lacks one.
    func keyFailure() async throws -> String? {
        guard let keeper = self.vault.keeper else { return nil }
        let current = try await self.read { try Vault.currentKeyID(in: $0) }
        guard keeper.ring.key(current) == nil else { return nil }
        if keeper.mayRenewUnasked() {
            // Fallback of a source that fails: the key is lacking all the same.
            _ = try? await keeper.renew()
        }
        return keeper.ring.key(current) == nil ? StoreError.lackingKey(current).message : nil
    }

    /// Finds a key that was announced and never put to use.
    static func checkKeys(in db: Database) throws -> [SandboxFinding] {
        guard let key = try String.fetchOne(db, sql: "SELECT announced_key_id FROM sandbox") else { return [] }
        return [
            SandboxFinding(
                .keyAnnounced,
                severity: .notice,
                "the key \(key) was announced and is not in use; to use it run: idcard-pipeline keys rotate --finish"
            )
        ]
    }

    /// Whether this process has the key under which the sandbox works; reads the keys again if it has not.
    ///
    /// - Throws: `StoreError.unavailable` if the sandbox cannot be read.
    package func hasCurrentKey() async throws -> Bool { try await self.keyFailure() == nil }
}
