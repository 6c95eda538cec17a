import CardModel
import CardStore
import Foundation
import Glibc
import Testing

@testable import CardCommand

@Suite struct VaultKeyTests {
    private let home: ScratchHome

    init() throws { self.home = try ScratchHome() }

    private func configuration(_ yaml: String? = nil, embedded: Bool = false) throws -> Configuration {
        try self.home.load(yaml, embedded: embedded).configuration
    }

    @Test func `Value, file and command give the same keys`() async throws {
        let (first, second) = (VaultKey.random(), VaultKey.random())
        let keys = [first.reveal(), second.reveal()]
        let file = try self.home.file("k", "# keys\n" + keys.joined(separator: "\n"))
        for yaml in [
            "vault.key: '\(keys.joined(separator: ","))'", "vault.key_file: \(file)", "vault.key_command: cat \(file)",
        ] {
            let ring = try await self.configuration(yaml).vaultKeys(creating: false)
            #expect(ring.keys == [first, second], "\(yaml.prefix(15))")
        }
    }

    @Test(arguments: [
        ("vault.key: nokey", ReasonCode.settingInvalid), ("vault.key_command: echo nokey", .secretUnreadable),
        ("vault.key_file: /nowhere/k", .settingMissing),
    ])
    func `Keys that cannot be used are told without themselves`(_ yaml: String, _ code: ReasonCode) async throws {
        let configuration = try self.configuration(yaml)
        let error = await #expect(throws: CodedError.self) { _ = try await configuration.vaultKeys(creating: true) }
        #expect(error?.code == code && error?.kind == .configuration)
        #expect(error?.message.text().contains("nokey") == false)
    }

    @Test func `The key of the embedded endpoints is made with their sandbox, another one never`() async throws {
        let embedded = try self.configuration(embedded: true)
        await #expect(throws: CodedError.self) { try await embedded.vaultKeys(creating: false) }
        let ring = try await embedded.vaultKeys(creating: true)
        #expect(try await embedded.vaultKeys(creating: false) == ring)
        await #expect(throws: CodedError.self) { try await self.configuration().vaultKeys(creating: true) }
        #expect(try await embedded.vaultKeys(creating: true) == ring)
    }

    @Test(arguments: [("embedded", true), ("sandbox", false)])
    func `A sandbox whose key file is gone gets no other key`(_ name: String, _ isEmbedded: Bool) async throws {
        let configuration = try self.configuration(embedded: isEmbedded)
        _ = try self.home.file(".local/share/idcard-pipeline/\(name)/sandbox.sqlite3", "x")
        let error = await #expect(throws: CodedError.self) { try await configuration.vaultKeys(creating: true) }
        let words = try #require(error?.message.text())
        #expect(words.contains("put back the key file") && !words.contains("keys init"))
    }

    @Test func `A key file is made once with mode 0600, and replaced whole through a link`() throws {
        let file = KeyFile(path: self.home.path + "/deep/vault.key")
        let (first, second) = (VaultKey.random(), VaultKey.random())
        #expect(try file.create(first))
        #expect(try !file.create(second))
        #expect(try file.read().keys == [first])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let link = KeyFile(path: self.home.path + "/link.key")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: file.path)
        try link.replace(with: try #require(KeyRing([second, first])))
        #expect(try file.read().keys == [second, first])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
        let names = try FileManager.default.contentsOfDirectory(atPath: self.home.path + "/deep")
        #expect(names == ["vault.key"])
    }

    @Test func `a key file remembers its sandboxes, with the keys and words that stand there, and forgets none`() throws
    {
        let (first, second) = (VaultKey.random(), VaultKey.random())
        let file = KeyFile(path: try self.home.file("vault.key", "# ours\n\(first.reveal())"))
        #expect(try file.sandboxes() == [])
        for id in ["one", "two", "one"] { try file.remember(id) }
        #expect(try file.sandboxes() == ["one", "two"])
        #expect(try file.read().keys == [first])
        #expect(try String(contentsOfFile: file.path, encoding: .utf8).hasPrefix("# ours\n"))
        try file.replace(with: try #require(KeyRing([second, first])))
        #expect(try file.sandboxes() == ["one", "two"] && file.read().keys == [second, first])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(chmod(file.path, 0o400) == 0)
        // Root may write it all the same.
        if geteuid() != 0 {
            try file.remember("three")
            #expect(try file.sandboxes() == ["one", "two"])
        }
    }

    @Test func `Of several processes that make the file at once, one makes it`() async throws {
        let file = KeyFile(path: self.home.path + "/vault.key")
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { try file.create(.random()) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(made == 1)
        #expect(try file.read().keys.count == 1)
    }

    @Test(arguments: [
        (String?.none, String?.none, true), ("vault.key_file: CONFIGURED", nil, true),
        ("vault.key_file: CONFIGURED", "OTHER", false), (nil, "OTHER", false),
    ])
    func `keys init says what is left to do`(_ yaml: String?, _ named: String?, _ isUsed: Bool) throws {
        let place = { (text: String) in text.replacing("CONFIGURED", with: self.home.path + "/./c.key") }
        let made = try MadeKey(
            named: named.map { self.home.path + "/" + $0 },
            configuration: try self.configuration(yaml.map(place)),
            folders: UserFolders(environment: ["HOME": self.home.path])
        )
        #expect(made.default == isUsed)
        #expect(made.lines[1].text().contains("add to the configuration:\n  vault:\n    key_file: ") == !isUsed)
        #expect(FileManager.default.fileExists(atPath: made.keyFile))
    }

    @Test func `keys init knows a relative path that is in the configuration`() throws {
        var configuration = try self.configuration()
        let name = "idcard-key-\(UUID().uuidString)"
        configuration.vault.keyFile = "./" + name
        let folders = UserFolders(environment: ["HOME": self.home.path])
        let made = try MadeKey(named: nil, configuration: configuration, folders: folders)
        defer { try? FileManager.default.removeItem(atPath: made.keyFile) }
        #expect(made.default)
        #expect(made.keyFile == FileManager.default.currentDirectoryPath + "/" + name)
    }

    @Test func `config check finds that the key is missing, or none, as run would`() async throws {
        let missing = try await self.home.checked("run.patience: 1m")
        #expect(!missing.ok && missing.lines[0].text().contains("keys init"))
        #expect(try await !self.home.checked("vault.key: nokey").ok)
        #expect(try await self.home.checked("vault.key: \(VaultKey.random().reveal())").ok)
    }

    @Test func `keys init replaces no file and makes none in a sandbox`() throws {
        let folders = UserFolders(environment: ["HOME": self.home.path])
        let configuration = try self.configuration()
        _ = try MadeKey(named: nil, configuration: configuration, folders: folders)
        for named in [nil, configuration.sandboxPath + "/a/k"] {
            #expect(throws: CodedError.self) {
                try MadeKey(named: named, configuration: configuration, folders: folders)
            }
        }
    }
}
