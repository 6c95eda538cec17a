import AsyncHTTPClient
import Foundation
import IDCardTesting
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Subprocess
import Testing

/// A service that has a copy of the key file, as `LoadCredential` makes one, while the key is changed.
@Suite("The key is changed under a service", .serialized, .timeLimit(.minutes(Sanitizer.minutes(5))))
struct KeyCopyTests {
    private let tool: Tool
    private let key: URL
    private let copy: URL

    init() throws {
        self.tool = try Tool(withKey: false)
        let text = Tool.randomKey()
        self.key = try self.tool.secretFile("vault.key", text)
        self.copy = try self.tool.secretFile("copied.key", text)
    }

    private func command(_ arguments: String...) async throws -> Tool.Outcome {
        try await self.tool.run(arguments + ["--embedded"], ["IDCARD_VAULT_KEY_FILE": self.key.path])
    }

    private func renewCopy() throws { try Data(contentsOf: self.key).write(to: self.copy) }

    /// Runs the service with the copy of the key until it was asked to end.
    private func serving(
        _ body: @escaping (_ errors: ErrorLines, _ ask: Asking, _ reload: () throws -> Void) async throws -> Void
    ) async throws {
        let added = try await self.tool.run(["tokens", "add", "desk", "--scope", "submit", "read"])
        try #require(added.status == 0, "\(added.errors)")
        let token = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let words = ["serve", "--embedded", "--listen", "127.0.0.1:0"]
        let variables = ["IDCARD_VAULT_KEY_FILE": self.copy.path, "IDCARD_LOG_LEVEL": "debug"]
        let ended = try await self.tool.running(words, variables) { errors, signal in
            let line = try #require(try await errors.line(containing: "listening on "))
            let url = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
            let asking = Asking(address: String(url.prefix { $0 != ";" }), token: token)
            try await body(errors, asking) { try signal(.init(rawValue: 1)) }
            try signal(.terminate)
        }
        #expect(ended == 143)
    }

    /// Asks a service.
    private struct Asking {
        var address: String
        var token: String

        func upload(_ number: String) async throws -> (status: UInt, body: String) {
            var request = HTTPClientRequest(url: self.address + "/v1/cards")
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "image/jpeg")
            request.headers.add(name: "Card-Business-No", value: number)
            let photo = Project.fixtures.appending(path: "cards/LOAN-2026-0001/front.jpg")
            request.body = .bytes(ByteBuffer(data: try Data(contentsOf: photo)))
            return try await self.answer(request)
        }

        func readiness() async throws -> (status: UInt, body: String) {
            try await self.answer(HTTPClientRequest(url: self.address + "/readyz"))
        }

        private func answer(_ request: HTTPClientRequest) async throws -> (status: UInt, body: String) {
            var request = request
            request.headers.add(name: "Authorization", value: "Bearer \(self.token)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
        }
    }

    /// The business numbers whose card is delivered.
    private func delivered() async throws -> Int {
        let list = try await self.command("cards", "list", "--state", "delivered", "--quiet")
        return list.output.split(separator: "\n").count
    }

    @Test("The new key is not put to use before the service has it, and the service is named")
    func waits() async throws {
        try await self.serving { errors, ask, _ in
            let announced = try await self.command("keys", "rotate")
            #expect(announced.status == 0, "\(announced.errors)")
            #expect(try await ask.upload("K-1").status == 202)
            let refused = try await self.command("keys", "rotate", "--finish")
            #expect(refused.status == 75)
            #expect(refused.errors.contains("`serve` (process "), "\(refused.errors)")
            #expect(try await ask.readiness().status == 200)
            #expect(try await ask.upload("K-2").status == 202)
            try self.renewCopy()
            let finished = try await self.command("keys", "rotate", "--finish")
            #expect(finished.status == 0, "\(finished.errors)")
            #expect(try await ask.upload("K-3").status == 202)
            #expect(try await ask.readiness().status == 200)
        }
        #expect(try await self.command("run").status == 0)
        #expect(try await self.delivered() == 3)
        #expect(try await self.command("fsck").status == 0)
    }

    @Test("By force the service is left behind: 503 with the reason until it has the key, and nothing is lost")
    func forced() async throws {
        try await self.serving { errors, ask, reload in
            #expect(try await ask.upload("K-1").status == 202)
            #expect(try await self.command("keys", "rotate").status == 0)
            let forced = try await self.command("keys", "rotate", "--finish", "--force")
            #expect(forced.status == 0, "\(forced.errors)")
            let refused = try await ask.upload("K-2")
            #expect(refused.status == 503)
            #expect(refused.body.contains(#""key_missing""#), "\(refused.body)")
            let asked = try await ask.readiness()
            #expect(asked.status == 503)
            #expect(asked.body.contains("does not open the sandbox"), "\(asked.body)")
            try self.renewCopy()
            try reload()
            #expect(try await errors.line(containing: "keys of the sandbox read again") != nil)
            #expect(try await ask.upload("K-2").status == 202)
            #expect(try await ask.readiness().status == 200)
        }
        #expect(try await self.command("run").status == 0)
        #expect(try await self.delivered() == 2)
        #expect(try await self.command("fsck").status == 0)
    }
}
