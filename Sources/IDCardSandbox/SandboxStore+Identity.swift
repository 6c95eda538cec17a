import GRDB
import IDCardPipeline

extension SandboxStore {
    /// Reads what the sandbox is and opens its vault, and compares with what was asked for.
    static func identify(
        _ db: Database,
        directory: SandboxDirectory,
        options: SandboxOptions
    ) throws -> (SandboxOptions.Endpoints, Vault) {
        let name = try String.fetchOne(db, cached: "SELECT endpoints FROM sandbox")
        guard let endpoints = name.flatMap(SandboxOptions.Endpoints.init) else { throw self.unidentified(directory) }
        if let wanted = options.endpoints, wanted != endpoints {
            throw StoreError(
                .wrongSandbox,
                "the sandbox \(directory.path) holds cards for \(endpoints.words), this command works with "
                    + "\(wanted.words); name another sandbox, or \(wanted.remedy)"
            )
        }
        try self.requireMode(options.vault.mode, of: directory, in: db)
        return (endpoints, try Vault.opening(options.vault, in: db))
    }

    /// Compares how the sandbox keeps personal data with how it is to be opened.
    ///
    /// - Throws: `StoreError.wrongSandbox` if these differ.
    static func requireMode(_ wanted: Vault.Mode, of directory: SandboxDirectory, in db: Database) throws {
        let name = try String.fetchOne(db, cached: "SELECT vault FROM sandbox")
        guard let mode = name.flatMap(Vault.Mode.init) else { throw self.unidentified(directory) }
        guard mode != wanted else { return }
        let words =
            switch mode {
            case .none: "is not encrypted; set vault.mode: none to work on it as it is, or name another sandbox"
            case .encrypted:
                "is encrypted; leave out vault.mode: none and give the key that belongs to it, or name another sandbox"
            }
        throw StoreError(.wrongSandbox, "the sandbox \(directory.path) \(words)")
    }

    /// Whether a directory holds the file of a database that was begun; nothing is opened.
    package static func hasDatabase(_ path: String) -> Bool {
        (try? SandboxDirectory(path))?.hasBegunDatabase ?? false
    }

    /// Tells whether there is a sandbox in a directory, and compares how it keeps personal data; needs no key.
    ///
    /// - Throws: `StoreError.wrongSandbox` if it is kept in another way; `StoreError` as opening does.
    package static func isThere(_ path: String, keptAs mode: Vault.Mode) throws -> Bool {
        let directory = try SandboxDirectory(path)
        guard directory.hasDatabase else { return false }
        do {
            let options = SandboxOptions(endpoints: nil, isReadOnly: true, vault: .unencrypted)
            return try self.rollingBack(directory, options: options) {
                var configuration = Configuration()
                configuration.readonly = true
                configuration.busyMode = .timeout(options.storage.busyTimeout / .seconds(1))
                let queue = try DatabaseQueue(path: directory.database, configuration: configuration)
                defer { try? queue.close() }  // Nothing was written through it.
                return try queue.read { db in
                    guard try SandboxSchema.check(db) > 0 else { return false }
                    try self.requireMode(mode, of: directory, in: db)
                    return true
                }
            }
        } catch {
            throw directory.explaining(StoreError.translating(error))
        }
    }

    private static func unidentified(_ directory: SandboxDirectory) -> StoreError {
        StoreError(.corrupt, "the sandbox \(directory.path) does not say what it is; restore it from a backup")
    }
}

extension SandboxOptions.Endpoints {
    fileprivate var words: String {
        switch self {
        case .embedded: "the embedded endpoints"
        case .external: "real endpoints"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .embedded: "leave out --embedded"
        case .external: "add --embedded"
        }
    }
}
