package import CardModel
import Foundation
import GRDB
import Synchronization

/// The sandbox: every card, image, delivery and attempt in one SQLite file, personal values sealed. The functions of the engine
/// and of people belong to seven parts, such as ``intake``; they throw `CodedError`.
package final class Sandbox: SandboxNoun {
    /// Which endpoints the cards of a sandbox go to; a sandbox never has cards for both.
    package enum Kind: String, CaseIterable, Sendable, Codable {
        /// The built-in endpoints, for trials.
        case embedded = "embedded"
        /// The endpoints of the configuration.
        case real = "real"
    }

    let database: Database
    let vault: Vault
    let folder: SandboxFolder
    let preparedImages = PreparedImageCache()
    let undoTimes = UndoTimes()
    /// The number of erased cards when the write-ahead log was last emptied; `nil` if it must be emptied in any case.
    let emptiedAt = Mutex<Int?>(nil)
    /// Identifies the sandbox and its backups.
    package let id: String
    package let kind: Kind
    /// The current meanings of the backend's codes, also for stored answers.
    let retcodes: RetcodeTable

    init(
        database: Database,
        vault: Vault,
        folder: SandboxFolder,
        id: String,
        kind: Kind,
        retcodes: RetcodeTable = RetcodeTable()
    ) {
        (self.database, self.vault, self.folder, self.id) = (database, vault, folder, id)
        (self.kind, self.retcodes) = (kind, retcodes)
    }

    /// Names the schema of this build; a sandbox with another schema is refused.
    package static let schema = "\(Schema.version)-\(Schema.digest.prefix(8))"

    // MARK: Nouns

    package var intake: SandboxIntake { SandboxIntake(sandbox: self) }
    package var stages: SandboxStages { SandboxStages(sandbox: self) }
    package var deliveries: SandboxDeliveries { SandboxDeliveries(sandbox: self) }
    package var endpoints: SandboxEndpoints { SandboxEndpoints(sandbox: self) }
    package var decisions: SandboxDecisions { SandboxDecisions(sandbox: self) }
    package var listings: SandboxListings { SandboxListings(sandbox: self) }
    package var upkeep: SandboxUpkeep { SandboxUpkeep(sandbox: self) }
    var sandbox: Sandbox { self }

    // MARK: Opening

    /// Opens a sandbox.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the folder.
    ///   - kind: which endpoints the cards go to; `nil` accepts either, and makes a new sandbox `real`.
    ///   - ring: the keys that may wrap the data keys, the current one first.
    ///   - retcodes: the meanings of the backend's codes.
    ///   - creating: whether a missing sandbox is made.
    ///   - disk: the kind of the folder's file system; looked up if it is `nil`.
    ///   - now: the current time; a new sandbox stores it as `seen_at`.
    /// - Throws: `not_found` if the sandbox is missing and `creating` is false; `wrong_sandbox` if an earlier build or a newer
    ///   version made it, or it is of the other kind; `wrong_key`; `sandbox_damaged`; `sandbox_unavailable`, also for a forbidden
    ///   path.
    package static func open(
        path: String,
        kind: Kind?,
        ring: KeyRing,
        retcodes: RetcodeTable = RetcodeTable(),
        creating: Bool,
        on disk: FileSystemKind? = nil,
        now: Timestamp
    ) async throws -> Sandbox {
        let folder = SandboxFolder(path: path)
        try folder.requirePlace(on: disk)
        if !creating { try Self.requireSandbox(at: path) }
        return try await Self.translating {
            if creating { try folder.create() }
            let lock = try await Self.waitForOpening(folder)
            defer { lock.release() }
            folder.cleanUpRestore()
            let isNew = try Self.isNew(folder, creating: creating)
            if isNew { try Database.withFile(folder.database, Schema.layOut) }
            let reserve = Reserve(path: folder.reserve)
            func open() async throws -> Sandbox {
                let database = try Database(path: folder.database, onFull: { reserve.giveUp() })
                do {
                    if isNew { try await Self.create(database, kind: kind ?? .real, ring: ring, now: now) }
                    return try await Self.unlock(database, in: folder, kind: kind, ring: ring, retcodes: retcodes)
                } catch {
                    try? database.close()
                    throw error
                }
            }
            do {
                return try await open()
            } catch let error as DatabaseError where error.mayMeanNoRoom && reserve.giveUp() {
                // On a completely full disk, even opening fails: the shared memory of the log has no room.
                return try await open()
            }
        }
    }

    /// Checks that there is a sandbox, before keys are asked for.
    ///
    /// - Throws: `not_found`.
    package static func requireSandbox(at path: String) throws(CodedError) {
        guard self.isSandbox(at: path) else { throw Self.missing(path) }
    }

    /// Checks that a path is allowed for a sandbox, and that an existing sandbox is of this build; changes nothing.
    ///
    /// - Throws: `wrong_sandbox`, `sandbox_unavailable`.
    package static func requirePlace(at path: String) throws {
        let folder = SandboxFolder(path: path)
        try folder.requirePlace()
        guard folder.hasDatabase else { return }
        do { _ = try Self.isNew(folder, creating: false) } catch { throw Self.meaning(of: error) }
    }

    package static func isSandbox(at path: String) -> Bool { SandboxFolder(path: path).hasDatabase }

    private static func missing(_ path: String) -> CodedError {
        CodedError(.notFound, .notFound, .sandboxMissing(path))
    }

    /// Closes the sandbox; nothing may use it afterwards.
    package func close() throws { do { try self.database.close() } catch { throw Self.meaning(of: error) } }

    /// Waits up to 5 s for the opening lock. A process holds it for milliseconds while it makes or opens the sandbox, and longer
    /// while it uses the sandbox alone.
    static func waitForOpening(_ folder: SandboxFolder) async throws -> FileLock {
        for _ in 0..<500 {
            if let lock = try FileLock.acquire(path: folder.openingLock, creating: true) { return lock }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Self.busy
    }

    /// Whether the database file is still empty; throws if it is not a sandbox of this build. Called before the file is opened
    /// for writing, which would change even a file that is not ours.
    private static func isNew(_ folder: SandboxFolder, creating: Bool) throws -> Bool {
        let file = try Database.marks(of: folder.database)
        if file.isEmpty {
            guard creating else { throw Self.missing(folder.path) }
            return true
        }
        if file.application != Schema.applicationID { throw CodedError.wrongSandbox(.sandboxForeign(folder.database)) }
        if file.version > Schema.version {
            throw CodedError.wrongSandbox(.sandboxNewer(file.version, known: Schema.version))
        }
        guard file.isKnown else { throw CodedError.wrongSandbox(.sandboxOlder(folder.path)) }
        return false
    }

    private static func create(_ database: Database, kind: Kind, ring: KeyRing, now: Timestamp) async throws {
        let vault = Vault(newUnder: ring)
        let keys = try vault.sealedKeys(under: ring.current)
        try await database.withWriter { connection in
            try connection.inTransaction(.immediate) {
                try Schema.createTables(on: connection)
                try Transaction(connection).run(
                    """
                    INSERT INTO store (number, id, schema, kind, key_id, sealed_keys, next_order, seen_at, log_seal)
                    VALUES (1, \(UUID().uuidString.lowercased()), \(Schema.digest), \(kind), \(ring.current.id), \(keys), 1,
                    \(now), \(AccessLog.seal(of: .none, by: vault)))
                    """
                )
                return .commit
            }
        }
    }

    /// Opens the vault of a sandbox, whose database is open.
    ///
    /// - Parameter kind: which endpoints the cards must go to; `nil` accepts either.
    /// - Throws: `wrong_key`, `sandbox_damaged`; `wrong_sandbox` if the sandbox is of the other kind.
    static func unlock(
        _ database: Database,
        in folder: SandboxFolder,
        kind: Kind?,
        ring: KeyRing,
        retcodes: RetcodeTable = RetcodeTable()
    ) async throws -> Sandbox {
        let store = try await database.read { tx in
            try tx.row("SELECT key_id, sealed_keys, id, kind FROM store") { row in
                Sandbox(
                    database: database,
                    vault: try Vault(ring: ring, keyID: row.next(), sealedKeys: row.next()),
                    folder: folder,
                    id: try row.next(),
                    kind: try row.next(),
                    retcodes: retcodes
                )
            }
        }
        guard let store else { throw CodedError.damaged(.vaultUnopenable("store")) }
        if let kind, kind != store.kind {
            throw CodedError.wrongSandbox(store.kind == .embedded ? .sandboxEmbedded : .sandboxReal)
        }
        return store
    }

    // MARK: Errors

    static let busy = CodedError.busy(.sandboxBusy)

    /// Runs a change or a query, and translates errors of the database into errors for people.
    static func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw Self.meaning(of: error) }
    }

    /// Returns the error for people that an error of the database means; other errors unchanged.
    static func meaning(of error: any Error) -> any Error {
        guard let error = Database.translated(error) as? DatabaseError else { return error }
        switch error.kind {
        case .busy: return Self.busy
        case .full: return CodedError(.diskSpaceLow, .storage, .sandboxFull)
        case .outcomeUnknown: return CodedError.unavailable(.sandboxNotDurable)
        case .damaged: return CodedError.damaged(.sandboxDamaged)
        case .unavailable: return CodedError.unavailable(.sandboxUnavailable(error.text))
        case .replaced: return CodedError.unavailable(.sandboxReplaced)
        case .statement: return CodedError.damaged(.sandboxRule(error.text))
        }
    }
}
