import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import CardCommand

/// What `serve` rereads at SIGHUP.
@Suite("idcard-pipeline serve at SIGHUP", .serialized, .timeLimit(.minutes(5)))
struct ReloadTests {
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

    @Test("Tokens and certificate are taken over; a bad one of them keeps neither the other nor the process back")
    func reloads() async throws {
        let authority = try await TestAuthority("specimen")
        defer { authority.remove() }
        let certificates = [
            try await authority.issue("first", names: "DNS:localhost"),
            try await authority.issue("second", names: "DNS:localhost"),
        ]
        let old = try await self.tool.token("old", "read")
        let file = try RemoteConfiguration(others: self.install(certificates[0]))
            .write(for: self.tool, verifier: "http://127.0.0.1:9/", backend: "http://127.0.0.1:9/")
        let status = try await self.tool.serve(file) { errors, send in
            let service = try await Service(errors)
            #expect(try await service.sendOverTLS("/v1/cards", token: old) == ("first", 200))
            let new = try await self.tool.token("new", "read")
            #expect(try await self.tool.run(["tokens", "revoke", "old"]).status == 0)
            try self.install(certificates[1])
            #expect(try await service.sendOverTLS("/v1/cards", token: new) == ("first", 401))
            try send(Self.hangup)
            #expect(try await errors.line(containing: "read again") != nil)
            #expect(try await service.sendOverTLS("/v1/cards", token: new) == ("second", 200))
            #expect(try await service.sendOverTLS("/v1/cards", token: old).status == 401)
            // No certificate.
            _ = try self.tool.secretFile("server.pem", "none")
            let third = try await self.tool.token("third", "read")
            try send(Self.hangup)
            #expect(try await errors.line(containing: "the certificate stays as before") != nil)
            #expect(try await service.sendOverTLS("/v1/cards", token: third) == ("second", 200))
            // Tokens that others may read.
            let tokens = self.tool.home.appending(path: ".config/idcard-pipeline/tokens.json")
            #expect(chmod(tokens.path, 0o644) == 0)
            try self.install(certificates[0])
            try send(Self.hangup)
            #expect(try await errors.line(containing: "tokens stay as before") != nil)
            #expect(try await service.sendOverTLS("/v1/cards", token: third) == ("first", 200))
            try send(.terminate)
        }
        #expect(status == 143)
    }

    @Test("The service manager hears that it is ready, lives, reads its files again, and ends")
    func notices() async throws {
        let socket = try NoticeSocket(self.tool.home.path + "/notify")
        let variables = ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "200000"]
        let arguments = ["serve", "--embedded", "--listen", "127.0.0.1:0", "--quiet"]
        let status = try await self.tool.running(arguments, variables) { _, send in
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

    @Test("A signal during the start ends it: nothing listens, and no one hears that it is ready")
    func endsWhileItStarts() async throws {
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
        #expect(said.contains { $0.hasPrefix("interrupted: ending") }, "\(said)")
        #expect(!said.contains { $0.contains("listening on") }, "\(said)")
        #expect(socket.pending() == nil)
    }

    @Test("What asks for new files during the start does not make it ready")
    func reloadsWhileItStarts() throws {
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

    @Test("The secrets of webhook senders are read from their file again")
    func secrets() async throws {
        let secrets = [Data(repeating: 1, count: 32), Data(repeating: 2, count: 32)]
        func write(_ index: Int) throws -> String {
            try self.tool.secretFile("secrets", "acme=whsec_\(secrets[index].base64EncodedString())\n").path
        }
        let file = try RemoteConfiguration(others: ["webhooks: {secrets_file: \(try write(0))}"])
            .write(for: self.tool, verifier: "http://127.0.0.1:9/", backend: "http://127.0.0.1:9/")
        let body = Data("{}".utf8)
        let status = try await self.tool.serve(file) { errors, send in
            let service = try await Service(errors)
            /// Whether the server accepts a signature: then it refuses only the body.
            func isBelieved(_ index: Int) async throws -> Bool {
                let headers = WebhookSignature.headers(of: body, id: "m", secret: secrets[index])
                let path = "/v1/webhooks/cards"
                return try await service.send("POST", path, headers: headers, body: body).status == 422
            }
            #expect(try await isBelieved(0))
            _ = try write(1)
            try send(Self.hangup)
            #expect(try await errors.line(containing: "read again") != nil)
            #expect(try await isBelieved(1))
            #expect(try await !isBelieved(0))
            _ = try self.tool.secretFile("secrets", "whsec_short\n")
            try send(Self.hangup)
            #expect(try await errors.line(containing: "webhook secrets stay as before") != nil)
            #expect(try await isBelieved(1))
            try send(.terminate)
        }
        #expect(status == 143)
    }
}
