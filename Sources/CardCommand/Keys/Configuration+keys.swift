import CardModel
import CardStore
import Foundation

extension Configuration {
    /// The file of the sandbox's keys; `nil` if they come from elsewhere, or from nowhere.
    var keyFile: KeyFile? {
        guard self.vault.key == nil, self.vault.keyCommand == nil, let path = self.vault.keyFile else { return nil }
        var file = KeyFile(path: path)
        if self.isEmbedded {
            file.remedy = "put back the file that was made with this sandbox, or name a new sandbox by --sandbox"
        }
        return file
    }

    /// Gives the keys of the sandbox that hold now, or makes one with a sandbox of the embedded endpoints; nowhere else is a key
    /// made without being asked for.
    ///
    /// A file is read and a command run on every demand, so that a key that another process has introduced is seen.
    ///
    /// - Parameter creating: whether the sandbox is made if it is not there.
    /// - Throws: `CodedError` `secret_insecure`, `secret_unreadable`, `setting_invalid`, `setting_missing`; `CancellationError`.
    func vaultKeys(creating: Bool) async throws -> KeyRing {
        if let key = self.vault.key {
            return try KeyRing(key) { what in
                CodedError(.settingInvalid, .configuration, "vault.key: " + what + "; it must hold \(KeyFile.form)")
            }
        }
        if let text = self.vault.keyCommand {
            let expected: Message = "keys, \(KeyFile.form), one a line"
            let command = SecretCommand(key: "vault.key_command", expected: expected, text: text)
            return try KeyRing(try await command.run()) { command.error("wrote something else: " + $0) }
        }
        guard let file = self.keyFile else { throw Self.missingKey }
        let hasSandbox = (try? CardStore.requireSandbox(at: self.sandboxPath)) != nil
        // A sandbox that is there was made with a key, so reading the file says what to do about it.
        if !file.exists, !hasSandbox {
            guard self.isEmbedded else { throw Self.missingKey }
            if creating, try file.create(.random()) {
                Console.standardError(
                    """
                    note: made the key of the embedded sandbox, \(file.path) (mode 0600); without it the sandbox cannot \
                    be read
                    """
                )
            }
        }
        return try file.read()
    }

    /// The keys that rotations have retired beside the key file; those that cannot be read are left out.
    var retiredKeys: [VaultKey] {
        guard let path = self.vault.keyFile else { return [] }
        let (folder, name) = (DurableFile.folder(of: path), URL(filePath: path).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { $0.hasPrefix(name + ".retired-") }.flatMap { name in
            (try? KeyFile(path: "\(folder)/\(name)").read().keys) ?? []
        }
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
