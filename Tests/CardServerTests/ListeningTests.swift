import CardModel
import Foundation
import Glibc
import NIOSSL
import TestSupport
import Testing

@testable import CardServer

/// Where a server may listen, and with which certificate.
@Suite(.timeLimit(.minutes(5))) struct ListeningTests {
    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("localhost", true), ("LOCALHOST", true),
        ("::ffff:127.0.0.1", true), ("0.0.0.0", false), ("::", false), ("10.0.0.1", false),
        ("::ffff:10.0.0.1", false), ("128.0.0.1", false), ("example.com", false), ("127.0.0.1.example.com", false),
        ("", false), ("::2", false), ("2130706433", false),
    ])
    func `this machine alone is loopback`(host: String, isLoopback: Bool) {
        #expect(CardServer.Configuration.isLoopback(host) == isLoopback)
    }

    @Test(arguments: [
        ("127.0.0.1", false, false, true), ("0.0.0.0", false, false, false), ("0.0.0.0", true, false, false),
        ("0.0.0.0", false, true, false), ("0.0.0.0", true, true, true), ("::", true, true, true),
    ])
    func `beyond it a certificate, and a token or a secret, are needed`(
        host: String,
        hasCertificate: Bool,
        hasCredentials: Bool,
        isAllowed: Bool
    ) {
        var configuration = CardServer.Configuration()
        configuration.host = host
        if hasCertificate { configuration.tls = TLSFiles(certificate: "server.pem", key: "server.key") }
        if hasCredentials { configuration.tokens = { () throws(CodedError) in ServerHarness.tokens } }
        if isAllowed {
            #expect(throws: Never.self) { try configuration.checkListening() }
        } else {
            let error = #expect(throws: CodedError.self) { try configuration.checkListening() }
            #expect(error?.code.rawValue == "listening_refused")
        }
    }

    @Test func `a port in use is a matter of the configuration, and says so`() async throws {
        try await ServerHarness.with { (harness) async throws in
            let error = await #expect(throws: CodedError.self) {
                try await ServerHarness.with({ $0.port = harness.port }) { _ in }
            }
            #expect(error?.code.rawValue == "port_unavailable")
            #expect(error?.kind == .configuration)
            #expect(error?.message.text().contains("\(harness.port)") == true)
        }
    }

    /// Where a server looks for its certificate.
    private struct Place {
        let files: TLSFiles

        /// Puts a certificate there, with its key or another one's.
        func install(_ certificate: TestCertificate, keyOf other: TestCertificate? = nil) throws {
            try certificate.certificate.write(toFile: self.files.certificate, atomically: true, encoding: .utf8)
            try (other ?? certificate).key.write(toFile: self.files.key, atomically: true, encoding: .utf8)
            chmod(self.files.key, 0o600)
        }
    }

    private func withCertificates(
        _ body: (_ old: TestCertificate, _ new: TestCertificate, _ place: Place) async throws -> Void
    ) async throws {
        try await withAuthority { (authority) async throws in
            let old = try await authority.selfSigned("old", names: "DNS:localhost,IP:127.0.0.1")
            let new = try await authority.selfSigned("new", names: "DNS:localhost,IP:127.0.0.1")
            let files = TLSFiles(
                certificate: try authority.write("", to: "server.pem"),
                key: try authority.write("", to: "server.key")
            )
            try await body(old, new, Place(files: files))
        }
    }

    private static func trust(_ certificate: TestCertificate) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let root = try NIOSSLCertificate(bytes: Array(certificate.certificate.utf8), format: .pem)
        configuration.trustRoots = .certificates([root])
        return try NIOSSLContext(configuration: configuration)
    }

    private static func status(
        _ harness: ServerHarness,
        trusting certificate: TestCertificate,
        _ request: RawRequest = RawRequest("GET", "/healthz")
    ) async throws -> Int? {
        try await RawConnection.with(port: harness.port, tls: try self.trust(certificate)) { connection in
            try await connection.send(request.bytes)
            return try await connection.response()?.status
        }
    }

    /// A server that speaks TLS, and its certificate.
    private func serving(
        _ configure: (inout CardServer.Configuration) -> Void = { _ in },
        _ body: (ServerHarness, TestCertificate) async throws -> Void
    ) async throws {
        try await self.withCertificates { (certificate, _, place) async throws in
            try place.install(certificate)
            let client = try Self.trust(certificate)
            let configure = { (configuration: inout CardServer.Configuration) in
                configuration.tls = place.files
                configure(&configuration)
            }
            try await ServerHarness.with(configure, client: client) { try await body($0, certificate) }
        }
    }

    @Test func `a server speaks TLS, and takes a new certificate over without a restart`() async throws {
        try await self.withCertificates { (old, new, place) async throws in
            try place.install(old)
            try await ServerHarness.with({ $0.tls = place.files }) { (harness) async throws in
                #expect(try await Self.status(harness, trusting: old) == 200)
                try place.install(new)
                #expect(try await Self.status(harness, trusting: old) == 200)
                try harness.server.reloadCertificate()
                await #expect(throws: (any Error).self) { try await Self.status(harness, trusting: old) }
                #expect(try await Self.status(harness, trusting: new) == 200)
                // What cannot be used changes nothing.
                try place.install(old, keyOf: new)
                let error = #expect(throws: CodedError.self) { try harness.server.reloadCertificate() }
                #expect(error?.code.rawValue == "certificate_unusable")
                #expect(try await Self.status(harness, trusting: new) == 200)
                let list = RawRequest("GET", "/v1/cards", token: "reader")
                #expect(try await Self.status(harness, trusting: new, list) == 200)
            }
        }
    }

    @Test func `a key that everybody may read is refused`() async throws {
        try await self.withCertificates { (old, _, place) async throws in
            try place.install(old)
            chmod(place.files.key, 0o644)
            let error = #expect(throws: CodedError.self) { try ServerCertificate(place.files) }
            #expect(error?.code.rawValue == "certificate_unusable")
        }
    }

    @Test(arguments: ["", "\u{16}\u{3}\u{1}"])
    func `a connection that never begins its handshake, or never ends it, is closed`(text: String) async throws {
        try await self.serving({ $0.connections.headTime = .milliseconds(300) }) { (harness, _) async throws in
            let count = try await RawConnection.with(port: harness.port) { (connection) async throws -> Int in
                // On a busy machine it is closed before.
                try? await connection.send(text)
                return try await connection.end()
            }
            #expect(count == 0)
        }
    }

    @Test func `a connection beyond the limit ends without a handshake`() async throws {
        try await self.serving({ $0.connections.connections = 1 }) { (harness, certificate) async throws in
            try await harness.connected { (first) async throws in
                try await first.send(RawRequest("GET", "/v1/cards", token: "reader").bytes)
                #expect(try await first.response()?.status == 200)
                // It fails, or ends without a byte, before there is TLS to ask over.
                #expect((try? await Self.status(harness, trusting: certificate)) ?? nil == nil)
                try await first.send(RawRequest("GET", "/metrics", token: "reader").bytes)
                let figures = try #require(try await first.response()?.text)
                #expect(figures.contains("\nidcard_http_refused_connections 1\n"))
            }
        }
    }

    @Test func `within TLS a stranger gives way, before its handshake and after it`() async throws {
        try await self.serving({ $0.connections.connections = 1 }) { (harness, certificate) async throws in
            try await RawConnection.with(port: harness.port) { (silent) async throws in
                // Which comes first is decided where they are registered, each on a thread of its own.
                while harness.server.register.counts.open == 0 { await Task.yield() }
                try await harness.connected { (stranger) async throws in
                    try await stranger.send(RawRequest("GET", "/healthz").bytes)
                    #expect(try await stranger.response()?.status == 200)
                    #expect(try await silent.end() == 0)
                    #expect(try await Self.status(harness, trusting: certificate) == 200)
                    #expect(try await stranger.end() == 0)
                }
            }
        }
    }

    @Test func `a card is submitted over TLS, and a large one is refused half-way`() async throws {
        try await self.serving({ $0.imageBytes = 1 << 20 }) { (harness, _) async throws in
            let image = Specimen.jpeg(byteCount: 1 << 20)
            #expect(try await harness.send(.image(image, token: "submitter")).status == 202)
            let large = try await harness.send(.image(Specimen.jpeg(byteCount: 2 << 20), token: "submitter"))
            #expect(large.status == 413)
        }
    }
}
