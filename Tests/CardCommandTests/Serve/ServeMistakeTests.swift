import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardCommand

/// What `serve` would refuse, `config check` finds.
@Suite("Mistakes that config check finds for serve", .timeLimit(.minutes(5)))
struct ServeMistakeTests {
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

    /// One mistake in a file, its key, line and remedy. `HOME` stands for the home folder.
    struct Case: Sendable, CustomTestStringConvertible {
        var yaml: String
        var key: String
        var line: Int?
        var says: String

        init(_ yaml: String, _ key: String, _ line: Int?, _ says: String) {
            (self.yaml, self.key, self.line, self.says) = (yaml, key, line, says)
        }

        var testDescription: String { self.yaml }
    }

    private static let cases = [
        Case("server.listen: foo\n", "server.listen", 1, "127.0.0.1:8080"),
        Case("server:\n  listen: 0.0.0.0:0\n", "server.listen", 2, "server.tls.certificate"),
        Case("\nserver.tokens_file: HOME/garbage\n", "server.tokens_file", 2, "tokens add"),
        Case("server.tokens_file: HOME/open\n", "server.tokens_file", 1, "chmod 600"),
        Case("server.tokens_file: HOME\n", "server.tokens_file", 1, "not a regular file"),
        Case("server.tokens_file: HOME/sender\n", "server.tokens_file", 1, "tokens revoke webhook"),
        Case(
            "server.tokens_file: HOME/desk\nwebhooks.secrets: desk=whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldY\n",
            "server.tokens_file",
            1,
            "tokens revoke desk"
        ),
        Case(
            "webhooks.secrets: 'a=whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldY, whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldZ'\n",
            "webhooks.secrets",
            1,
            "write each as NAME=whsec_"
        ),
        Case(
            "webhooks.secrets: '11010519491231002X=whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldY'\n",
            "webhooks.secrets",
            1,
            "identity number"
        ),
        Case("webhooks.secrets: a=whsec_abc\n", "webhooks.secrets", 1, "24 to 64 bytes"),
        Case(
            "webhooks.secrets: 'two words=whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldY'\n",
            "webhooks.secrets",
            1,
            "letters"
        ),
        Case("webhooks.secrets_file: HOME/empty\n", "webhooks.secrets_file", 1, "no secret"),
        Case("webhooks.secrets_file: HOME/open\n", "webhooks.secrets_file", 1, "chmod 600"),
        Case("watch.folders: [HOME/nowhere]\n", "watch.folders", 1, "does not exist"),
        Case("sources: [scans]\n", "sources", 1, "NAME=PATH"),
        Case("fetch.ports: [x]\n", "fetch.ports", 1, "no port"),
    ]

    @Test(arguments: Self.cases)
    func `each has its key, line and remedy`(_ mistake: Case) async throws {
        _ = try self.home.file("garbage", "{}")
        _ = try self.home.file("empty", "\n")
        for (file, name) in [("sender", "webhook"), ("desk", "desk")] {
            let digest = Data(repeating: 7, count: 32).base64EncodedString()
            let token = #"{"created":"2026-05-12T10:00:00Z","name":"\#(name)","scopes":["read"],"sha256":"\#(digest)"}"#
            _ = try self.home.file(file, "[\(token)]")
        }
        _ = try self.home.file("open", "[]", mode: 0o644)
        let checked = try await self.check(mistake.yaml.replacing("HOME", with: self.home.path))
        #expect(!checked.ok)
        let found = try #require(checked.errors.first { $0.key == mistake.key }, "\(checked.errors)")
        #expect(checked.errors.count == 1, "\(checked.errors)")
        #expect(found.line == mistake.line)
        #expect(found.message.contains(mistake.says), "\(found.message)")
    }

    @Test func `a key that is not the certificate's, and an address of others that no token opens, are found`()
        async throws
    {
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
        let check = try await tool.run(["config", "check", "--embedded"])
        let serve = try await tool.run(["serve", "--embedded", "--listen", "127.0.0.1:0"])
        #expect(check.status == 78)
        #expect(serve.status == 78)
        let words = try #require(serve.errors.split(separator: "\n").first)
        #expect(check.output.contains(words), "\(check.output) \(words)")
    }
}
