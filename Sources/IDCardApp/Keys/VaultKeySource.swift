package import IDCardCore
package import IDCardSandbox

/// Where the keys of the sandbox come from; a file is read anew and a command run anew on every demand, so that a key
/// that another process has introduced is seen.
package struct VaultKeySource: Hashable, Sendable {
    private enum Origin: Hashable {
        case fixed(Redacted<String>)
        case file(KeyFile)
        case command(SecretCommand)
    }

    private let origin: Origin

    /// Always gives the same keys.
    package static func fixed(_ text: Redacted<String>) -> VaultKeySource { VaultKeySource(origin: .fixed(text)) }

    /// Reads the keys from a file that only its owner may read.
    package static func file(_ path: String) -> VaultKeySource { VaultKeySource(origin: .file(KeyFile(path: path))) }

    /// Runs a command with `/bin/sh -c` that writes the keys.
    package static func command(_ text: String, timeout: Duration) -> VaultKeySource {
        VaultKeySource(
            origin: .command(
                SecretCommand(
                    key: "vault.key_command",
                    timeoutKey: "vault.key_timeout",
                    expected: "keys, \(KeyFile.form), one a line",
                    text: Redacted(text),
                    timeout: timeout
                )
            )
        )
    }

    /// The file, if there is one.
    var keyFile: KeyFile? {
        if case .file(let file) = self.origin { file } else { nil }
    }

    /// Gives the keys that hold now.
    ///
    /// - Throws: ``ConfigurationError`` with the code `insecureFile`, `secretUnreadable` or `malformedValue`;
    ///   `CancellationError` if the task ends while a command runs.
    package func load() async throws -> KeyRing {
        do throws(ConfigurationError.Problem) {
            switch self.origin {
            case .fixed(let text): return try Self.ring(text)
            case .file(let file): return try file.read()
            case .command: break
            }
        } catch {
            throw ConfigurationError([error])
        }
        guard case .command(let command) = self.origin else { preconditionFailure("the other origins have returned") }
        let text = try await command.run()
        do throws(KeyRing.Refusal) {
            return try KeyRing(text: text.reveal())
        } catch {
            throw ConfigurationError([command.problem("wrote something else: \(error.words)")])
        }
    }

    /// Gives the keys that hold now and, after them, those that were retired beside a key file: several sandboxes may
    /// share the file, and the rotation of one leaves the others under a key that is no longer in it.
    ///
    /// - Throws: as ``load()``.
    func loadWithRetired() async throws -> KeyRing {
        let ring = try await self.load()
        guard let file = self.keyFile else { return ring }
        return KeyRing(ring.keys + file.retiredKeys(besides: ring)) ?? ring
    }

    /// Finds what is wrong with the keys; a command is not run only to check it.
    func check() throws(ConfigurationError.Problem) {
        switch self.origin {
        case .fixed(let text): _ = try Self.ring(text)
        case .file(let file): _ = try file.read()
        case .command: break
        }
    }

    private static func ring(_ text: Redacted<String>) throws(ConfigurationError.Problem) -> KeyRing {
        do throws(KeyRing.Refusal) {
            return try KeyRing(text: text.reveal())
        } catch {
            throw .init(.malformedValue, key: "vault.key", "vault.key: \(error.words); it must hold \(KeyFile.form)")
        }
    }
}

extension VaultKeySource {
    /// The source that is configured; `nil` if there is none, or nothing is encrypted.
    init?(_ values: ResolvedConfiguration) {
        guard values.find("vault.mode", \.text) != "none" else { return nil }
        if let text = values.find("vault.key", \.secret) {
            self = .fixed(text)
        } else if let command = values.find("vault.key_command", \.secret) {
            self = .command(command.reveal(), timeout: values.require("vault.key_timeout", \.duration))
        } else if let entry = values["vault.key_file"], let path = entry.value?.text {
            // The one file that need not be there although nobody names it.
            let isEmbedded = entry.source == .builtIn
            self.init(origin: .file(isEmbedded ? .embedded(path) : KeyFile(path: path)))
        } else {
            return nil
        }
    }
}

extension KeyRing.Refusal {
    /// What is wrong, for a message; nothing of what stands there.
    var words: String {
        switch self {
        case .empty: "there is no key"
        case .notAKey(let line): "line \(line) holds something that is not a key"
        case .repeated(let line): "line \(line) holds a key that stands there already"
        case .tooMany: "there are more than \(KeyRing.maximumCount) keys"
        }
    }
}
