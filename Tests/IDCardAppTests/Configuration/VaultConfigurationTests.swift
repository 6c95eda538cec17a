import Foundation
import IDCardSandbox
import Testing

@testable import IDCardApp

@Suite("Where the keys of the sandbox come from")
struct VaultConfigurationTests {
    private let folder: ConfigurationFolder
    private let key = VaultKey.random()

    init() throws { self.folder = try ConfigurationFolder() }

    private func keyFile(_ name: String = "the.key", mode: Int = 0o600) throws -> String {
        try self.folder.write(self.key.reveal() + "\n", to: name, mode: mode)
    }

    @Test("From a file, from the environment, from a command: the same ring")
    func sources() async throws {
        let file = try self.keyFile()
        for (name, value) in [
            ("IDCARD_VAULT_KEY_FILE", file), ("IDCARD_VAULT_KEY", self.key.reveal()),
            ("IDCARD_VAULT_KEY_COMMAND", "cat \(file)"),
        ] {
            let configuration = try self.folder.load(environment: [name: value])
            #expect(configuration.vaultMode == .encrypted)
            #expect(try await configuration.vaultKeys?.load() == KeyRing(self.key), "\(name)")
            #expect(!configuration.makesVaultKey)
        }
    }

    @Test("A file is read anew and a command run anew on every demand")
    func anew() async throws {
        let file = try self.keyFile()
        let sources = [VaultKeySource.file(file), .command("cat \(file)", timeout: .seconds(30))]
        for source in sources { #expect(try await source.load().current == self.key) }
        let next = VaultKey.random()
        _ = try self.folder.write("\(next.reveal()),\(self.key.reveal())", to: "the.key")
        for source in sources { #expect(try await source.load().keys == [next, self.key]) }
    }

    @Test("The file at the usual place is used if nobody names a source, and only then")
    func usualPlace() throws {
        #expect(try self.folder.load().vaultKeys == nil)
        let usual = try self.keyFile(".config/idcard-pipeline/vault.key")
        let found = try self.folder.load()
        #expect(found.entry("vault.key_file")?.value == .text(usual))
        #expect(found.entry("vault.key_file")?.source == .builtIn)
        #expect(found.vaultKeys?.keyFile?.path == usual)
        let named = try self.folder.load(environment: ["IDCARD_VAULT_KEY": VaultKey.random().reveal()])
        #expect(named.entry("vault.key_file")?.value == nil)
        #expect(named.vaultKeys?.keyFile == nil)
        #expect(try self.folder.load(overrides: ["vault.mode": "none"]).vaultKeys == nil)
    }

    @Test("The embedded endpoints have a file of their own, which is made where nobody names another source")
    func embedded() throws {
        _ = try self.keyFile(".config/idcard-pipeline/vault.key")
        let configuration = try self.folder.load(embedded: true)
        #expect(configuration.vaultKeys?.keyFile?.path == self.folder.path + "/.config/idcard-pipeline/embedded.key")
        #expect(configuration.makesVaultKey)
        let named = try self.folder.load(environment: ["IDCARD_VAULT_KEY": self.key.reveal()], embedded: true)
        #expect(!named.makesVaultKey)
        #expect(try !self.folder.load(overrides: ["vault.mode": "none"], embedded: true).makesVaultKey)
    }

    @Test("Two sources exclude each other")
    func conflict() throws {
        let error = try self.folder.refusal(
            yaml: "vault:\n  key_file: \(try self.keyFile())\n",
            environment: ["IDCARD_VAULT_KEY": self.key.reveal()]
        )
        #expect(error?.problems.map(\.code) == [.conflict])
    }

    @Test("A key file that others have rights to is refused, at every check", arguments: [0o640, 0o604, 0o660, 0o611])
    func modes(mode: Int) throws {
        let file = try self.keyFile(mode: mode)
        let error = try self.folder.refusal(environment: ["IDCARD_VAULT_KEY_FILE": file])
        #expect(error?.problems.map(\.code) == [.insecureFile])
        #expect(error?.message.contains("chmod 600") == true)
    }

    @Test(
        "What is not a key is refused without quoting it",
        arguments: ["canary", "", "# canary", "canary/canary/canary/canary/canary/canary/A=\ncanary"]
    )
    func malformed(text: String) async throws {
        let file = try self.folder.write(text, to: "bad.key")
        let inFile = try self.folder.refusal(environment: ["IDCARD_VAULT_KEY_FILE": file])
        #expect(inFile?.problems.map(\.code) == [.secretUnreadable])
        #expect(inFile?.message.contains("canary") == false)
        let command = VaultKeySource.command("cat \(file)", timeout: .seconds(30))
        let error = await #expect(throws: ConfigurationError.self) { try await command.load() }
        #expect(error?.code == .secretUnreadable)
        #expect(error?.message.contains("canary") == false)
    }

    @Test("A malformed key in the environment is refused without quoting it")
    func malformedVariable() throws {
        let error = try self.folder.refusal(environment: ["IDCARD_VAULT_KEY": "canary"])
        #expect(error?.problems.map(\.code) == [.malformedValue])
        #expect(error?.message.contains("canary") == false)
    }

    @Test("A key in a configuration file that others may read is refused, not only warned of")
    func exposed() throws {
        let file = try self.folder.write("vault:\n  key: \(self.key.reveal())\n", mode: 0o644)
        let error = #expect(throws: ConfigurationError.self) {
            try AppConfiguration.load(file: file, environment: ["HOME": self.folder.path])
        }
        #expect(error?.problems.map(\.code) == [.insecureFile])
        #expect(error?.message.contains(self.key.reveal()) == false)
    }

    @Test(
        "A command that fails or takes too long is told as such, without what it wrote",
        arguments: [("echo canary; exit 3", "exit status 3"), ("echo canary; exec sleep 600", "vault.key_timeout")]
    )
    func command(text: String, words: String) async throws {
        let source = VaultKeySource.command(text, timeout: text.contains("sleep") ? .milliseconds(200) : .seconds(30))
        let error = await #expect(throws: ConfigurationError.self) { try await source.load() }
        #expect(error?.code == .secretUnreadable)
        #expect(error?.message.contains(words) == true)
        #expect(error?.message.contains("canary") == false)
    }

    @Test("Without a key a run misses it; with vault.mode: none it does not, and is warned")
    func missing() throws {
        let error = try #require(
            try self.folder.refusal(environment: Self.remotes, requiringRemotes: true)
        )
        #expect(error.problems == [.missingVaultKey])
        #expect(error.message.contains("keys init"))
        let open = try self.folder.load(
            overrides: ["vault.mode": "none"],
            environment: Self.remotes,
            requiringRemotes: true
        )
        #expect(open.notices.contains { $0.level == .warning && $0.key == "vault.mode" })
    }

    @Test("A key file in the sandbox is warned of")
    func inTheSandbox() throws {
        let file = try self.keyFile("box/the.key")
        let notices = try self.folder.load(
            overrides: ["sandbox.path": self.folder.path + "/box", "vault.key_file": file]
        )
        .notices
        #expect(notices.contains { $0.level == .warning && $0.key == "vault.key_file" })
    }

    private static var remotes: [String: String] {
        CompleteConfiguration.environment.filter { $0.key != "IDCARD_VAULT_KEY" }
    }
}
