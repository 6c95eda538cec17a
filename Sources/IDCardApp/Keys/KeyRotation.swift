import IDCardPipeline
import IDCardSandbox
import SystemPackage

/// Replaces the key of a sandbox (`keys rotate`), resumable at every point.
///
/// 1. The key file gets a new key before the old one. Whoever reads it can open everything from then on.
/// 2. The sandbox names the new key as its current one, in one transaction with the keys of the sandbox as a whole.
///    What is new is wrapped under it at once, by other processes too: they meet its name and read the file again.
/// 3. The data keys are wrapped under it, in batches.
/// 4. The old key moves out of the key file.
///
/// Wherever a process dies, the file and the sandbox say how far it came.
struct KeyRotation {
    /// Data keys of one transaction: a few milliseconds in which others wait.
    static let batchSize = 500

    let configuration: AppConfiguration
    /// Told after every batch: how many data keys are done, of how many.
    let progress: (_ done: Int, _ total: Int) -> Void

    init(configuration: AppConfiguration, progress: @escaping (_ done: Int, _ total: Int) -> Void) {
        self.configuration = configuration
        self.progress = progress
    }

    /// Finishes the rotation that was begun, or begins one and finishes it.
    ///
    /// - Throws: ``ConfigurationError`` if there is no other key to change to, or the key file cannot be changed;
    ///   `StoreError` as the sandbox does.
    func run() async throws -> KeyRotationReport {
        let file = self.configuration.vaultKeys?.keyFile
        // One that is not there is spoken of below.
        let lock = try file.flatMap { $0.exists ? try $0.locked() : nil }
        defer { try? lock?.close() }  // Nothing was written through it.
        if lock != nil { try file?.withoutLeftovers() }
        let store = try await SandboxOpening(configuration: self.configuration).open(endpoints: nil)
        let result: Result<KeyRotationReport, any Error>
        do {
            result = .success(try await self.rotate(store, file: file))
        } catch {
            result = .failure(error)
        }
        try await store.close()
        return try result.get()
    }

    private func rotate(_ store: SandboxStore, file: KeyFile?) async throws -> KeyRotationReport {
        let isNew = try await self.prepareKey(store, file: file)
        _ = try await store.adoptFirstKey()
        let ring = try store.keyRing
        var report = KeyRotationReport(keyID: ring.current.id, isNew: isNew)
        try await self.rewrap(store, into: &report)
        guard let file else {
            report.remark =
                ring.keys.count > 1 && report.damaged == 0
                ? "take the old key out of where the keys come from; keep it as long as backups from before" : nil
            return report
        }
        // None is left if none was damaged; but nothing here is worth a key that is still needed.
        if try await store.keyUse().remaining == 0 { report.retired = try self.retire(ring, file: file) }
        return report
    }

    /// Sees to it that the first key of the ring is the one to change to.
    ///
    /// - Returns: whether it was made here.
    private func prepareKey(_ store: SandboxStore, file: KeyFile?) async throws -> Bool {
        let use = try await store.keyUse()
        // What the rotation of another sandbox with this key file has retired is still needed here.
        let ids = [use.current] + use.dataKeys.keys
        if let ring = try? store.keyRing, ids.contains(where: { ring.key($0) == nil }) {
            try await store.reloadKeyRing()
        }
        let ring = try store.keyRing
        let isUnfinished = use.current != ring.current.id || use.remaining > 0 || ring.keys.count > 1
        guard !isUnfinished else { return false }
        guard let file, let both = KeyRing([.random()] + ring.keys) else { throw ConfigurationError([Self.noNewKey]) }
        do throws(ConfigurationError.Problem) {
            try file.replace(with: both)
        } catch {
            throw ConfigurationError([error])
        }
        try await store.reloadKeyRing()
        return true
    }

    private func rewrap(_ store: SandboxStore, into report: inout KeyRotationReport) async throws {
        report.total = try await store.keyUse().total
        var last: String?
        while true {
            let batch = try await store.rewrapDataKeys(after: last, limit: Self.batchSize)
            guard let owner = batch.last else { break }
            last = owner
            report.rewrapped += batch.rewrapped
            report.damaged += batch.damaged
            self.progress(report.rewrapped, report.total)
        }
        report.total = try await store.keyUse().total
    }

    /// Moves the keys that nothing in the sandbox needs any more into files of their own, and then out of the key file.
    private func retire(_ ring: KeyRing, file: KeyFile) throws -> [String] {
        do throws(ConfigurationError.Problem) {
            // The ring may hold keys that were retired before.
            let old = try file.read().keys.filter { $0 != ring.current }
            guard !old.isEmpty else { return [] }
            for key in old { try file.retired(key).keep(key) }
            try file.replace(with: KeyRing(ring.current))
            return old.map { file.retired($0).path }
        } catch {
            throw ConfigurationError([error])
        }
    }

    private static let noNewKey = ConfigurationError.Problem(
        .missing,
        key: "vault.key",
        "there is no key to change to: let vault.key or vault.key_command give a new key before the one that holds now "
            + "(openssl rand -base64 32), then run this again"
    )
}

extension KeyFile {
    /// - Throws: ``ConfigurationError`` with the code `secretUnwritable` if one cannot be removed.
    fileprivate func withoutLeftovers() throws(ConfigurationError) {
        do throws(ConfigurationError.Problem) {
            try self.removeLeftovers()
        } catch {
            throw ConfigurationError([error])
        }
    }

    /// - Throws: ``ConfigurationError`` with the code `secretUnwritable` if another process changes the file.
    fileprivate func locked() throws(ConfigurationError) -> FileDescriptor {
        do throws(ConfigurationError.Problem) {
            return try self.lock()
        } catch {
            throw ConfigurationError([error])
        }
    }
}
