import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import CardCommand

/// What `serve` reads again while it works.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReloadTests {
    private let tool: Tool

    init() throws { self.tool = try Tool() }

    private static let hangup = Signal(rawValue: SIGHUP)

    /// Puts a certificate where the configuration names one.
    @discardableResult
    private func install(_ certificate: TestCertificate) throws -> [String] {
        let paths = [
            try self.tool.secretFile("server.pem", certificate.certificate).path,
            try self.tool.secretFile("server.key", certificate.key).path,
        ]
        return ["server: {tls: {certificate: \(paths[0]), key: \(paths[1])}}"]
    }

    private func remotes(_ others: [String] = []) throws -> [String] {
        try RemoteConfiguration(others: others)
            .write(for: self.tool, verifier: "http://127.0.0.1:9/", backend: "http://127.0.0.1:9/")
    }

    @Test func `changed tokens count from the next request on; while unreadable, none opens anything`() async throws {
        let path = self.tool.home.path + "/.config/idcard-pipeline/tokens.json"
        let secret = Data(repeating: 1, count: 32).base64EncodedString()
        let file = try self.remotes(["webhooks: {secrets: 'acme=whsec_\(secret)'}"])
        let said = try await self.tool.serve(file) { service, _ in
            func answer(_ token: String) async throws -> Int {
                try await service.send("GET", "/v1/cards", token: token).status
            }
            #expect(try await answer("idcp_none") == 401)
            let old = try await self.tool.token("desk", "read")
            #expect(try await answer(old) == 200)
            let new = try await self.tool.token("desk", "read")
            #expect(try await answer(old) == 200)
            #expect(try await answer(new) == 200)
            let id = try await self.tool.run(["tokens", "list"]).output.prefix(8)
            try await self.tool.run(["tokens", "revoke", "desk", "--id", String(id)], ends: 0)
            #expect(try await answer(old) == 401)
            #expect(try await answer(new) == 200)
            // Others may read them; then they are no tokens.
            let good = try String(contentsOfFile: path, encoding: .utf8)
            #expect(chmod(path, 0o644) == 0)
            let refused = try await service.send("GET", "/v1/cards", token: new)
            #expect(refused.status == 503 && refused["code"] == "tokens_unavailable")
            #expect(try await answer("idcp_none") == 503)
            #expect(try await service.errors.line(containing: "chmod 600") != nil)
            #expect(chmod(path, 0o600) == 0)
            #expect(try await answer(new) == 200)
            _ = try self.tool.secretFile(".config/idcard-pipeline/tokens.json", "{}")
            #expect(try await answer(new) == 503)
            #expect(try await service.errors.line(containing: "tokens add") != nil)
            _ = try self.tool.secretFile(".config/idcard-pipeline/tokens.json", good)
            #expect(try await answer(new) == 200)
            #expect(unlink(path) == 0)
            #expect(try await answer(new) == 401)
        }
        #expect(said.count { $0.contains("no token is accepted") } == 2, "\(said)")
        #expect(said.count { $0.contains("error the tokens cannot be read http.error=") } == 2, "\(said)")
    }

    @Test func `a token with the name of a webhook sender opens nothing, and the others go on`() async throws {
        let secret = Data(repeating: 1, count: 32).base64EncodedString()
        let secrets = try self.tool.secretFile("secrets", "acme=whsec_\(secret)\n").path
        let file = try self.remotes(["webhooks: {secrets_file: \(secrets)}"])
        // As where the secrets could not be known to the command.
        let (desk, acme) = (try await self.tool.token("desk", "read"), try await self.tool.token("acme", "read"))
        // The next heartbeat tells it.
        func trouble(_ status: Int32) async throws -> String {
            while true {
                let check = try await self.tool.run(["status", "--check"] + file)
                if check.status == status { return check.output }
            }
        }
        let said = try await self.tool.serve(file) { service, send in
            func answer(_ token: String) async throws -> Int {
                try await service.send("GET", "/v1/cards", token: token).status
            }
            #expect(try await answer(desk) == 200)
            #expect(try await answer(acme) == 401)
            let told = try await trouble(1)
            #expect(told.contains("acme") && told.contains("tokens revoke"), "\(told)")
            // A name that a sender takes later.
            _ = try self.tool.secretFile("secrets", "acme=whsec_\(secret)\ndesk=whsec_\(secret)\n")
            try send(Self.hangup)
            #expect(try await service.errors.line(containing: "tokens revoke desk") != nil)
            #expect(try await answer(desk) == 401)
            #expect(try await trouble(2).contains("accepts no token"))
            try await self.tool.follow("tokens revoke", in: told, ["acme"] + file, ends: 0)
        }
        #expect(said.contains { $0.contains("tokens revoke acme") }, "\(said)")
        let line = try #require(said.last { $0.contains("tokens revoke desk") })
        let path = self.tool.home.path + "/.config/idcard-pipeline/tokens.json"
        try await self.tool.follow("tokens revoke desk --tokens-file \(path)", in: line, ends: 0)
    }

    @Test func `the certificate is read again at SIGHUP; a bad one changes nothing`() async throws {
        let authority = try await TestAuthority("specimen")
        defer { authority.remove() }
        let certificates = [
            try await authority.issue("first", names: "DNS:localhost"),
            try await authority.issue("second", names: "DNS:localhost"),
        ]
        let token = try await self.tool.token("desk", "read")
        let file = try self.remotes(self.install(certificates[0]))
        try await self.tool.serve(file) { service, send in
            #expect(try await service.sendOverTLS("/v1/cards", token: token) == ("first", 200))
            try self.install(certificates[1])
            #expect(try await service.sendOverTLS("/v1/cards", token: token) == ("first", 200))
            try send(Self.hangup)
            #expect(try await service.errors.line(containing: "read again") != nil)
            #expect(try await service.sendOverTLS("/v1/cards", token: token) == ("second", 200))
            // No certificate.
            _ = try self.tool.secretFile("server.pem", "none")
            try send(Self.hangup)
            #expect(
                try await service.errors.line(
                    containing: "cannot load the new certificate, so the old one stays in use"
                ) != nil
            )
            #expect(try await service.sendOverTLS("/v1/cards", token: token) == ("second", 200))
        }
    }

    @Test func `the service manager hears that it is ready, lives, reads its files again, and ends`() async throws {
        let socket = try NoticeSocket(self.tool.home.path + "/notify")
        let variables = ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "200000"]
        let arguments = ["serve", "--embedded", "--listen", "127.0.0.1:0", "--quiet"]
        // As under nohup: serve still hears the hangup.
        let ignoring = ["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]
        let status = try await self.tool.running(arguments, variables, wrapper: ignoring) { _, send in
            try socket.hear("READY=1")
            try socket.hear("WATCHDOG=1")
            try socket.hear("WATCHDOG=1")
            try send(Self.hangup)
            try socket.hear("RELOADING=1\nMONOTONIC_USEC=")
            try socket.hear("READY=1")
            try send(.terminate)
            try socket.hear("STOPPING=1")
        }
        #expect(status == 143)
    }

    @Test func `a signal during the start ends it: nothing listens, and no one hears that it is ready`() async throws {
        let socket = try NoticeSocket(self.tool.home.path + "/notify")
        let keys = self.tool.home.appending(path: "keys").path
        try #require(mkfifo(keys, 0o600) == 0)
        let tool = try Tool(withKey: false)
        let file = try RemoteConfiguration(others: ["vault: {key_command: cat '\(keys)'}"])
            .write(for: tool, verifier: "http://127.0.0.1:9/", backend: "http://127.0.0.1:9/")
        let arguments = ["serve", "--listen", "127.0.0.1:0"] + file
        var said: [String] = []
        let status = try await tool.running(arguments, ["NOTIFY_SOCKET": socket.path]) { errors, send in
            // Opens once the command reads.
            let pipe = open(keys, O_WRONLY | O_CLOEXEC)
            try #require(pipe >= 0)
            try send(.terminate)
            try socket.hear("STOPPING=1")
            let key = Array(Tool.randomKey().utf8)
            #expect(write(pipe, key, key.count) == key.count)
            close(pipe)
            while try await errors.next() != nil {}
            said = errors.seen
        }
        #expect(status == 143)
        #expect(said.contains { $0.hasPrefix("interrupted: the process is ending") }, "\(said)")
        #expect(!said.contains { $0.contains("listening on") }, "\(said)")
        #expect(socket.pending() == nil)
    }

    @Test func `what asks for new files during the start does not make it ready`() throws {
        let notice = SystemdNotice(environment: ["NOTIFY_SOCKET": self.tool.home.path + "/notify"])
        let socket = try NoticeSocket(self.tool.home.path + "/notify")
        var reads = 0
        notice.reloading { reads += 1 }
        #expect(socket.pending() == nil)
        notice.sayReady()
        #expect(socket.pending() == "READY=1")
        notice.reloading { reads += 1 }
        #expect(socket.pending()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        #expect(socket.pending() == "READY=1")
        notice.sayStopping()
        notice.reloading { reads += 1 }
        #expect(socket.pending() == "STOPPING=1")
        #expect(socket.pending() == nil && reads == 3)
    }

    @Test func `the secrets of webhook senders are read from their file again`() async throws {
        let secrets = [Data(repeating: 1, count: 32), Data(repeating: 2, count: 32)]
        func write(_ index: Int) throws -> String {
            try self.tool.secretFile("secrets", "acme=whsec_\(secrets[index].base64EncodedString())\n").path
        }
        let file = try self.remotes(["webhooks: {secrets_file: \(try write(0))}"])
        let body = Data("{}".utf8)
        try await self.tool.serve(file) { service, send in
            /// Whether the server accepts a signature: then it refuses only the body.
            func isBelieved(_ index: Int) async throws -> Bool {
                let headers = WebhookSignature.headers(of: body, id: "m", secret: secrets[index])
                let path = "/v1/webhooks/cards"
                return try await service.send("POST", path, headers: headers, body: body).status == 422
            }
            #expect(try await isBelieved(0))
            _ = try write(1)
            try send(Self.hangup)
            #expect(try await service.errors.line(containing: "read again") != nil)
            #expect(try await isBelieved(1))
            #expect(try await !isBelieved(0))
            let second = secrets[1].base64EncodedString()
            for text in ["whsec_short\n", "a=whsec_\(second)\nwhsec_\(second)\n"] {
                _ = try self.tool.secretFile("secrets", text)
                try send(Self.hangup)
                #expect(
                    try await service.errors.line(
                        containing: "cannot load the new webhook secrets, so the old ones stay in use"
                    ) != nil
                )
                #expect(try await isBelieved(1))
            }
        }
    }
}
