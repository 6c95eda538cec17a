import CardModel
import CardStore

/// Where the keys of the sandbox come from; a file is read and a command run on every demand, so that a key that another
/// process has introduced is seen.
enum VaultKeySource: Sendable {
    /// They are configured (`vault.key`).
    case value(Redacted<String>)
    /// They stand in a file (`vault.key_file`).
    case file(KeyFile)
    /// A command writes them (`vault.key_command`).
    case command(SecretCommand)

    /// The source that is configured; `nil` if there is none.
    init?(_ configuration: Configuration) {
        let vault = configuration.vault
        if let key = vault.key {
            self = .value(key)
        } else if let command = vault.keyCommand {
            self = .command(
                SecretCommand(key: "vault.key_command", expected: "keys, \(KeyFile.form), one a line", text: command)
            )
        } else if let path = vault.keyFile {
            var file = KeyFile(path: path)
            if configuration.isEmbedded {
                file.remedy = "put back the file that was made with this sandbox, or name a new sandbox by --sandbox"
            }
            self = .file(file)
        } else {
            return nil
        }
    }

    /// Gives the keys that hold now.
    ///
    /// - Throws: `CodedError` `secret_insecure`, `secret_unreadable`, `setting_invalid`; `CancellationError`.
    func load() async throws -> KeyRing {
        switch self {
        case .file(let file): return try file.read()
        case .command(let command):
            return try KeyRing(try await command.run()) { command.error("wrote something else: " + $0) }
        case .value(let text):
            return try KeyRing(text) { what in
                CodedError(
                    .settingInvalid,
                    .configuration,
                    "vault.key: " + what + "; it must hold \(KeyFile.form)"
                )
            }
        }
    }
}

extension Configuration {
    /// Reads the keys of the sandbox, or makes one with a sandbox of the embedded endpoints; nowhere else is a key made
    /// without being asked for.
    ///
    /// - Parameter creating: whether the sandbox is made if it is not there.
    /// - Throws: `CodedError` of kind `configuration`; `CancellationError`.
    func vaultKeys(creating: Bool) async throws -> KeyRing {
        try await self.vaultKeySource(creating: creating).load()
    }

    private func vaultKeySource(creating: Bool) throws(CodedError) -> VaultKeySource {
        guard let source = VaultKeySource(self) else { throw Self.missingKey }
        guard case .file(let file) = source, !file.exists else { return source }
        let hasSandbox = (try? CardStore.requireSandbox(at: self.sandboxPath)) != nil
        if self.isEmbedded, creating, !hasSandbox {
            if try file.create(.random()) {
                Console.standardError(
                    """
                    note: made the key of the embedded sandbox, \(file.path) (mode 0600); without it the sandbox cannot \
                    be read
                    """
                )
            }
            return source
        }
        // A sandbox that is there was made with a key, so reading the file says what to do about it.
        if self.isEmbedded || hasSandbox { return source }
        throw Self.missingKey
    }

    private static let missingKey = CodedError(
        .settingMissing,
        .configuration,
        """
        there is no key for the sandbox, whose images and fields are encrypted; make one: idcard-pipeline keys init; or \
        set one of vault.key_file (IDCARD_VAULT_KEY_FILE), vault.key (IDCARD_VAULT_KEY), vault.key_command
        """
    )
}
