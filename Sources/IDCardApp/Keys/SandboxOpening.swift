import IDCardPipeline
import IDCardSandbox

/// Opens the sandbox of a configuration with its keys: the one way for all commands.
struct SandboxOpening {
    let configuration: AppConfiguration
    /// How long a busy writer waits for more to commit together; see `SandboxStorage.commitDelay`.
    var commitDelay = Duration.zero

    /// For batches: a card of many may take longer, all together take less.
    static let commitDelayOfBatches = Duration.milliseconds(25)

    /// Opens the sandbox.
    ///
    /// - Parameters:
    ///   - endpoints: the kind that it must be of, and be made for if it is not there; `nil` takes what it is and makes
    ///     none.
    ///   - isReadOnly: whether it is only looked at.
    /// - Throws: ``ConfigurationError`` if there is no key or it cannot be used; `StoreError` as
    ///   `SandboxStore.open(directory:options:)` does.
    func open(endpoints: SandboxOptions.Endpoints?, isReadOnly: Bool = false) async throws -> SandboxStore {
        let store = try await self.opened(endpoints: endpoints, isReadOnly: isReadOnly)
        if let note = store.upgradeNote { Console.standardError("note: \(note)") }
        return store
    }

    private func opened(
        endpoints: SandboxOptions.Endpoints?,
        isReadOnly: Bool,
        mayLookAgain: Bool = true
    ) async throws -> SandboxStore {
        let path = self.configuration.sandboxPath
        let exists = try SandboxStore.isThere(path, keptAs: self.configuration.vaultMode.mode)
        var options = SandboxOptions(
            endpoints: endpoints,
            isReadOnly: isReadOnly,
            vault: .unencrypted,
            storage: SandboxStorage(self.configuration.sandbox)
        )
        options.storage.commitDelay = self.commitDelay
        let mayMake = endpoints != nil && !isReadOnly
        // Without a sandbox that is the error, whether or not there is a key.
        guard exists || mayMake else {
            do {
                return try SandboxStore.open(directory: path, options: options)
            } catch let error as StoreError
                where mayLookAgain && error.code == .wrongSandbox
            {
                // Another process has made it between our two looks.
                return try await self.opened(endpoints: endpoints, isReadOnly: isReadOnly, mayLookAgain: false)
            }
        }
        guard self.configuration.vaultMode == .encrypted else {
            if !isReadOnly { Console.standardError("warning: \(Self.warning)") }
            return try SandboxStore.open(directory: path, options: options)
        }
        if !exists, mayMake { try self.makeKey() }
        options.vault = try await self.access()
        do {
            return try SandboxStore.open(directory: path, options: options)
        } catch let error as StoreError where error.code == .wrongKey {
            // Another process may have introduced a new key between our two looks, or have rotated the key of another
            // sandbox with the same key file; with the same keys it fails the same.
            options.vault = try await self.access(withRetired: true)
            return try SandboxStore.open(directory: path, options: options)
        }
    }

    /// Reads the keys of a sandbox that is there already, or restored from a backup.
    ///
    /// - Parameter withRetired: whether the retired keys beside a key file are among them from the start; they are in
    ///   any case when a key is missing later on.
    /// - Throws: ``ConfigurationError`` if there is no key or it cannot be used.
    func access(withRetired: Bool = false) async throws -> VaultAccess {
        guard self.configuration.vaultMode == .encrypted else { return .unencrypted }
        guard let source = self.configuration.vaultKeys else {
            throw ConfigurationError([.missingVaultKey], notices: [], file: self.configuration.file)
        }
        let ring = withRetired ? try await source.loadWithRetired() : try await source.load()
        return .encrypted(ring, reload: source.loadWithRetired)
    }

    /// What every start says that works on a sandbox in the clear.
    static let warning = """
        vault.mode is none: images and fields lie unencrypted in the sandbox; protect the disk and the folder
        """

    /// Makes the key of a new sandbox of the embedded endpoints, where nobody names another; nowhere else is a key made
    /// without being asked for.
    private func makeKey() throws {
        guard self.configuration.makesVaultKey, let file = self.configuration.vaultKeys?.keyFile, !file.exists else {
            return
        }
        let isNew: Bool
        do throws(ConfigurationError.Problem) {
            isNew = try file.create(.random())
        } catch {
            throw ConfigurationError([error])
        }
        guard isNew else { return }
        Console.standardError(
            "note: made the key of the embedded sandbox, \(file.path) (mode 0600); without it the sandbox cannot be read"
        )
    }
}

extension ConfigurationError.Problem {
    /// Nobody says where the keys of the sandbox come from.
    static let missingVaultKey = ConfigurationError.Problem(
        .missing,
        key: "vault.key_file",
        """
        there is no key for the sandbox, whose images and fields are encrypted; make one:
          idcard-pipeline keys init
        or set one of vault.key_file (IDCARD_VAULT_KEY_FILE), vault.key (IDCARD_VAULT_KEY), vault.key_command; \
        to keep everything unencrypted, write down vault.mode: none
        """
    )
}

extension AppConfiguration.VaultMode {
    /// The same in the words of the sandbox.
    var mode: Vault.Mode {
        switch self {
        case .none: .none
        case .encrypted: .encrypted
        }
    }
}
