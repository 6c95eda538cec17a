import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardCommand

/// What `serve` would refuse, `config check` finds.
@Suite(.timeLimit(.minutes(5))) struct ServeMistakeTests {
    private struct Checked: Decodable {
        struct Mistake: Decodable {
            var code: String
            var key: String?
            var line: Int?
            var message: String
        }

        var ok: Bool
        var errors: [Mistake]
    }

    private let home: ScratchHome

    init() throws { self.home = try ScratchHome() }

    private func check(_ yaml: String) async throws -> Checked {
        let text = JSONText.line(try await self.home.checked(yaml, embedded: true))
        return try JSONDecoder().decode(Checked.self, from: Data(text.utf8))
    }

    private static let secret = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldY"

    /// One mistake of the first key of a file, and its remedy. `HOME` stands for the home folder.
    private static let cases = [
        ("server.listen: foo", "127.0.0.1:8080"), ("server.tokens_file: HOME/garbage", "tokens add"),
        ("server.tokens_file: HOME/open", "chmod 600"), ("server.tokens_file: HOME", "not a regular file"),
        ("server.tokens_file: HOME/sender", "tokens revoke webhook"),
        ("server.tokens_file: HOME/desk\nwebhooks.secrets: desk=\(secret)", "tokens revoke desk"),
        ("webhooks.secrets: 'a=\(secret), \(secret)'", "write each secret as NAME=whsec_"),
        ("webhooks.secrets: '11010519491231002X=\(secret)'", "identity number"),
        ("webhooks.secrets: 'two words=\(secret)'", "letters"), ("webhooks.secrets_file: HOME/empty", "no secret"),
        ("webhooks.secrets_file: HOME/open", "chmod 600"), ("watch.folders: [HOME/nowhere]", "does not exist"),
    ]

    @Test(arguments: Self.cases)
    func `each has its key, line and remedy`(yaml: String, says: String) async throws {
        _ = try self.home.file("garbage", "{}")
        _ = try self.home.file("empty", "\n")
        for (file, name) in [("sender", "webhook"), ("desk", "desk")] {
            let digest = Data(repeating: 7, count: 32).base64EncodedString()
            let token = #"{"created":"2026-05-12T10:00:00Z","name":"\#(name)","scopes":["read"],"sha256":"\#(digest)"}"#
            _ = try self.home.file(file, "[\(token)]")
        }
        _ = try self.home.file("open", "[]", mode: 0o644)
        let checked = try await self.check("\n" + yaml.replacing("HOME", with: self.home.path))
        #expect(!checked.ok)
        #expect(checked.errors.map(\.key) == [String(yaml.prefix { $0 != ":" })], "\(checked.errors)")
        #expect(checked.errors.map(\.line) == [2])
        #expect(checked.errors.allSatisfy { $0.message.contains(says) }, "\(checked.errors)")
    }

    @Test func `a key of another certificate, and an outer address that no token opens, are found`() async throws {
        let authority = try await TestAuthority("specimen")
        defer { authority.remove() }
        let (first, second) = (
            try await authority.issue("first", names: "DNS:a"), try await authority.issue("second", names: "DNS:a")
        )
        let certificate = try self.home.file("server.pem", first.certificate)
        func tls(_ key: String) throws -> String {
            "server:\n  listen: 0.0.0.0:0\n  tls: {certificate: \(certificate), key: \(try self.home.file("key", key))}\n"
        }
        let mixed = try await self.check(try tls(second.key))
        #expect(mixed.errors.map(\.code) == ["certificate_unusable"])
        #expect(mixed.errors.map(\.key) == ["server.tls.certificate"])
        #expect(mixed.errors.map(\.line) == [3])
        let nobody = try await self.check(try tls(first.key))
        #expect(nobody.errors.map(\.code) == ["listening_refused"])
        #expect(nobody.errors.map(\.line) == [2])
        let file = "\(self.home.path)/.config/idcard-pipeline/tokens.json"
        #expect(nobody.errors[0].message.contains("tokens add NAME --scope submit --tokens-file \(file)"))
        let secret = Data(repeating: 1, count: 32).base64EncodedString()
        let some = try await self.check(try tls(first.key) + "webhooks.secrets: acme=whsec_\(secret)\n")
        #expect(some.ok, "\(some.errors)")
    }

    @Test func `serve refuses what config check finds, with the same words`() async throws {
        let tool = try Tool()
        _ = try tool.secretFile(".config/idcard-pipeline/tokens.json", "{}")
        let check = try await tool.run(["config", "check", "--embedded"], ends: 78)
        let serve = try await tool.run(["serve", "--embedded", "--listen", "127.0.0.1:0"], ends: 78)
        let words = try #require(serve.errors.split(separator: "\n").first)
        #expect(check.output.contains(words), "\(check.output) \(words)")
    }
}
