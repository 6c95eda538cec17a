import Foundation
import Glibc
import IDCardCore
import IDCardTesting
import Testing

@testable import IDCardServer

/// The file of tokens: what it holds, who may touch it, how it changes.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct TokensFileTests {
    private static let now = Date(timeIntervalSince1970: 1_760_000_000)

    private func withFile(_ body: (TokensFile, String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "tokens.json").path
        try body(TokensFile(path: path), path)
    }

    private func add(
        _ name: String,
        to file: TokensFile,
        scopes: Set<TokenScope> = [.read],
        expiresAt: Date? = nil
    ) throws -> AccessToken {
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        return try file.add(name, scopes: scopes, expiresAt: expiresAt, now: Self.now, using: &random)
    }

    @Test("A token that was made is known by its name and scopes, until it is revoked")
    func life() throws {
        try self.withFile { file, path in
            let token = try self.add("branch", to: file, scopes: [.submit, .read])
            _ = try self.add("other", to: file)
            #expect(token.reveal().hasPrefix("idcp_"))
            #expect(token.reveal().utf8.count == 48)
            let register = try TokenRegister(file: file)
            let record = try #require(register.record(of: token, at: Self.now))
            #expect(record.name == "branch")
            #expect(record.scopes == [.submit, .read])
            #expect(record.createdAt == Self.now)
            #expect(register.record(of: AccessToken(presented: token.reveal() + "x"), at: Self.now) == nil)

            #expect(try file.revoke("branch"))
            #expect(try !file.revoke("branch"))
            #expect(register.record(of: token, at: Self.now) != nil)
            try register.reload()
            #expect(register.record(of: token, at: Self.now) == nil)
            #expect(try file.read().map(\.name) == ["other"])
        }
    }

    @Test("The file is its owner's alone, and holds no token")
    func secrecy() throws {
        try self.withFile { file, path in
            let token = try self.add("branch", to: file)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!text.contains(token.reveal()))
            #expect("\(token)" == "<redacted>")
            #expect(String(reflecting: token) == "<redacted>")
        }
    }

    @Test("A token stops working when its time is over")
    func expiry() throws {
        try self.withFile { file, _ in
            let end = Self.now.addingTimeInterval(60)
            let token = try self.add("guest", to: file, expiresAt: end)
            let register = try TokenRegister(file: file)
            #expect(register.record(of: token, at: end.addingTimeInterval(-1)) != nil)
            #expect(register.record(of: token, at: end) == nil)
        }
    }

    @Test("A file that others may touch, a link and a folder are refused", arguments: [0o640, 0o604, 0o620, -1, -2])
    func insecure(mode: Int) throws {
        try self.withFile { file, path in
            switch mode {
            case -1: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
            case -2: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            default:
                _ = try self.add("branch", to: file)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            let error = #expect(throws: ServerError.self) { try TokenRegister(file: file) }
            #expect(error?.code == .tokens)
        }
    }

    @Test(
        "What is no list of tokens is refused",
        arguments: [
            "", "{}", "[{\"name\":\"a\"}]", "[1]", "[{\"name\":\"a b\",\"scopes\":[\"read\"],\"sha256\":\"AAAA\"}]",
        ]
    )
    func malformed(text: String) throws {
        try self.withFile { file, path in
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let error = #expect(throws: ServerError.self) { try file.read() }
            #expect(error?.code == .tokens)
        }
    }

    @Test(
        "A name is given once, and is letters, digits, dots, dashes and underscores",
        arguments: ["", "a b", "ä", "a/b"]
    )
    func names(name: String) throws {
        try self.withFile { file, _ in
            _ = try self.add("branch", to: file)
            #expect(throws: ServerError.self) { try self.add("branch", to: file) }
            #expect(throws: ServerError.self) { try self.add(name, to: file) }
            #expect(throws: ServerError.self) { try self.add("none", to: file, scopes: []) }
            #expect(try file.read().count == 1)
        }
    }

    @Test("A reload that fails keeps the tokens that were good")
    func reload() throws {
        try self.withFile { file, path in
            let token = try self.add("branch", to: file)
            let register = try TokenRegister(file: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(throws: ServerError.self) { try register.reload() }
            #expect(register.record(of: token, at: Self.now) != nil)
        }
    }

    @Test("There are no tokens where there is no file")
    func missing() throws {
        try self.withFile { file, _ in
            let register = try TokenRegister(file: file)
            #expect(register.isEmpty)
        }
    }

    @Test("A credential of systemd may show rights of its group, as its access list makes it; no other file may")
    func credential() throws {
        try self.withFile { file, path in
            _ = try self.add("branch", to: file)
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let credential = TokensFile(path: path, credentials: CredentialFolder(path: folder))
            let elsewhere = TokensFile(path: path, credentials: CredentialFolder(path: folder + "/other"))
            try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: path)
            #expect(try credential.read().map(\.name) == ["branch"])
            for file in [file, elsewhere] { #expect(throws: ServerError.self) { try file.read() } }
            for mode in [0o460, 0o444, 0o450] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                #expect(throws: ServerError.self) { try credential.read() }
            }
        }
    }

    @Test(
        "Root changes the service's file, which stays the service's; a new one belongs to whom its folder does",
        .enabled(if: geteuid() == 0, "giving a file to another user needs root")
    )
    func owner() throws {
        try self.withFile { file, path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            #expect(chown(folder, 4711, 4712) == 0)
            _ = try self.add("branch", to: file)
            #expect(try Self.owner(of: path) == [4711, 4712])
            #expect(chown(path, 4713, 4714) == 0)
            _ = try self.add("other", to: file)
            #expect(try file.revoke("branch"))
            #expect(try Self.owner(of: path) == [4713, 4714])
            #expect(try file.readForUpkeep().map(\.name) == ["other"])
            // To serve by it, root takes only what nobody else can write.
            #expect(throws: ServerError.self) { try file.read() }
        }
    }

    private static func owner(of path: String) throws -> [UInt32] {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return [status.st_uid, status.st_gid]
    }
}
