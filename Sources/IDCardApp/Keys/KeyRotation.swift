import IDCardPipeline
import IDCardSandbox
import SystemPackage

/// Replaces the key of a sandbox in two steps (`keys rotate`, `keys rotate --finish`), resumable at every point.
///
/// 1. The key file gets a new key before the old one, and the sandbox announces its id. Every process that works on the
///    sandbox reads the file again within seconds, and writes down that it has the key.
/// 2. Once every living process has it, the sandbox names the new key as its current one, in one transaction with the
///    keys of the sandbox as a whole. The data keys are wrapped under it, in batches. The old key moves out of the file.
///
/// Wherever a process dies, the file and the sandbox say how far it came.
struct KeyRotation {
    /// Which step is taken.
    enum Step: Hashable {
        /// Adds and announces the new key.
        case announce
        /// Starts using it; `isForced` whether a living process may be left without it.
        case finish(isForced: Bool)
    }

    /// Data keys of one transaction: a few milliseconds in which others wait.
    static let batchSize = 500
    /// How long living processes are given to read a key that was just announced: they look every few seconds.
    static let patience = Duration.seconds(15)

    let configuration: AppConfiguration
    let step: Step
    /// Told after every batch: how many data keys are done, of how many.
    let progress: (_ done: Int, _ total: Int) -> Void

    init(configuration: AppConfiguration, step: Step, progress: @escaping (_ done: Int, _ total: Int) -> Void) {
        self.configuration = configuration
        self.step = step
        self.progress = progress
    }

    /// Takes the step, or what is left of it.
    ///
    /// - Throws: ``ConfigurationError`` if there is no key to change to, or the key file cannot be changed;
    ///   ``KeylessProcesses`` if a living process does not have the new key; `StoreError` as the sandbox does.
    func run() async throws -> KeyRotationReport {
        let file = self.configuration.vaultKeys?.keyFile
        // One that is not there is spoken of below.
        let lock = try file.flatMap { $0.exists ? try $0.locked() : nil }
        defer { try? lock?.close() }  // Nothing was written through it.
        if lock != nil { try file?.withoutLeftovers() }
        let store = try await SandboxOpening(configuration: self.configuration).open(endpoints: nil)
        let result: Result<KeyRotationReport, any Error>
        do {
            switch self.step {
            case .announce: result = .success(try await self.announce(store, file: file))
            case .finish(let isForced): result = .success(try await self.finish(store, file: file, isForced: isForced))
            }
        } catch {
            result = .failure(error)
        }
        try await store.close()
        return try result.get()
    }

    // MARK: The first step

    private func announce(_ store: SandboxStore, file: KeyFile?) async throws -> KeyRotationReport {
        try await self.readRetiredKeys(store)
        var ring = try store.keyRing
        let use = try await store.keyUse()
        var isNew = false
        if use.current == ring.current.id {
            guard use.remaining == 0, file == nil || ring.keys.count == 1 else {
                return try await self.report(store, step: .begun)
            }
            guard let file, let both = KeyRing([.random()] + ring.keys) else {
                throw ConfigurationError([Self.noNewKey])
            }
            do throws(ConfigurationError.Problem) {
                try file.replace(with: both)
            } catch {
                throw ConfigurationError([error])
            }
            try await store.reloadKeyRing()
            ring = try store.keyRing
            isNew = true
        }
        try await store.announceFirstKey()
        var report = try await self.report(store, step: .announced)
        report.isNew = isNew
        return report
    }

    private func report(_ store: SandboxStore, step: KeyRotationReport.Step) async throws -> KeyRotationReport {
        var report = KeyRotationReport(keyID: try store.keyRing.current.id, isNew: false, step: step)
        report.total = try await store.keyUse().total
        report.remark = step.remark
        return report
    }

    // MARK: The second step

    private func finish(_ store: SandboxStore, file: KeyFile?, isForced: Bool) async throws -> KeyRotationReport {
        try await self.readRetiredKeys(store)
        let ring = try store.keyRing
        let use = try await store.keyUse()
        if use.current == ring.current.id, use.remaining == 0, ring.keys.count == 1 {
            throw ConfigurationError([file == nil ? Self.noNewKey : Self.nothingAnnounced])
        }
        if use.current != ring.current.id {
            // Whoever finishes without having announced has the others read the key now.
            try await store.announceFirstKey()
            if !isForced { try await self.waitForOthers(store) }
            _ = try await store.adoptFirstKey(isForced: isForced)
        }
        var report = KeyRotationReport(keyID: ring.current.id, isNew: false, step: .finished)
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

    private func waitForOthers(_ store: SandboxStore) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let lacking = try await store.processesLackingFirstKey()
            guard !lacking.isEmpty else { return }
            guard ContinuousClock.now < deadline else {
                throw KeylessProcesses(key: try store.keyRing.current.id, processes: lacking)
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// What the change of keys of another sandbox with this key file has retired may still be needed here.
    private func readRetiredKeys(_ store: SandboxStore) async throws {
        let use = try await store.keyUse()
        let ring = try store.keyRing
        if ([use.current] + use.dataKeys.keys).contains(where: { ring.key($0) == nil }) {
            try await store.reloadKeyRing()
        }
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

    private static let nothingAnnounced = ConfigurationError.Problem(
        .missing,
        key: "vault.key_file",
        "there is no new key to start using; make and announce one first: idcard-pipeline keys rotate"
    )

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
