import Foundation
import IDCardPipeline
import IDCardTesting
import NIOSSL
import Testing

@testable import IDCardServer

/// Where a server may listen, and with which certificate.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct ListeningTests {
    @Test(
        "This machine alone is loopback",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("localhost", true), ("LOCALHOST", true),
            ("::ffff:127.0.0.1", true), ("0.0.0.0", false), ("::", false), ("10.0.0.1", false),
            ("::ffff:10.0.0.1", false), ("128.0.0.1", false), ("example.com", false), ("127.0.0.1.example.com", false),
            ("", false), ("::2", false), ("2130706433", false),
        ]
    )
    func loopback(host: String, isLoopback: Bool) {
        #expect(ListeningRule.isLoopback(host) == isLoopback)
    }

    @Test(
        "Beyond it a certificate, and a token or a secret, are needed",
        arguments: [
            ("127.0.0.1", false, false, true), ("0.0.0.0", false, false, false), ("0.0.0.0", true, false, false),
            ("0.0.0.0", false, true, false), ("0.0.0.0", true, true, true), ("::", true, true, true),
        ]
    )
    func rule(host: String, hasCertificate: Bool, hasCredentials: Bool, isAllowed: Bool) {
        let check = {
            try ListeningRule.check(host: host, hasCertificate: hasCertificate, hasCredentials: hasCredentials)
        }
        if isAllowed {
            #expect(throws: Never.self) { try check() }
        } else {
            let error = #expect(throws: ServerError.self) { try check() }
            #expect(error?.code == .listening)
        }
    }

    @Test("A service for webhooks alone needs no token; one that nobody may ask does not begin")
    func webhooksAlone() async throws {
        try await withCertificates { old, _, place in
            try place.install(old)
            var configuration = CardServer.Configuration()
            (configuration.host, configuration.tls) = ("0.0.0.0", place.files)
            let store = InMemoryStore()
            let make = { (configuration: CardServer.Configuration) in
                try CardServer(
                    configuration: configuration,
                    ports: CardServer.Ports(intake: FakeIntake(store), cards: store),
                    tokens: TokenRegister([]),
                    logger: LogLines().logger
                )
            }
            let error = #expect(throws: ServerError.self) { try make(configuration) }
            #expect(error?.code == .listening)
            configuration.webhookSecrets = [try WebhookSecret(Data(repeating: 1, count: 32).base64EncodedString())]
            #expect(throws: Never.self) { try make(configuration) }
        }
    }

    @Test("A server with a certificate speaks TLS, and takes a new certificate over without a restart")
    func reload() async throws {
        try await withCertificates { old, new, place in
            try place.install(old)
            try await ServerHarness.with({ $0.tls = place.files }, client: try old.trust()) { (harness) async throws in
                #expect(try await harness.send(RawRequest("GET", "/healthz")).status == 200)
                try place.install(new)
                #expect(try await harness.send(RawRequest("GET", "/healthz")).status == 200)
                try harness.server.reload()
                await #expect(throws: (any Error).self) { try await harness.send(RawRequest("GET", "/healthz")) }
                let status = try await RawConnection.with(port: harness.port, tls: try new.trust()) {
                    (connection) async throws in
                    try await connection.send(RawRequest("GET", "/healthz").bytes)
                    return try await connection.response()?.status
                }
                #expect(status == 200)

                // What cannot be used changes nothing.
                try place.install(old, keyOf: new)
                let error = #expect(throws: ServerError.self) { try harness.server.reload() }
                #expect(error?.code == .certificate)
                let after = try await RawConnection.with(port: harness.port, tls: try new.trust()) {
                    (connection) async throws in
                    try await connection.send(RawRequest("GET", "/healthz").bytes)
                    return try await connection.response()?.status
                }
                #expect(after == 200)
            }
        }
    }

    @Test("A key that everybody may read is refused")
    func openKey() async throws {
        try await withCertificates { old, _, place in
            try place.install(old)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place.files.key)
            let error = #expect(throws: ServerError.self) { try ServerCertificate(place.files) }
            #expect(error?.code == .certificate)
        }
    }

    @Test(
        "A connection that never begins its handshake, or never ends it, is closed",
        arguments: ["", "\u{16}\u{3}\u{1}"]
    )
    func silentHandshake(text: String) async throws {
        try await withCertificates { old, _, place in
            try place.install(old)
            try await ServerHarness.with(
                { configuration in
                    configuration.tls = place.files
                    configuration.connections.headTime = .milliseconds(300)
                }
            ) { (harness) async throws in
                let count = try await harness.connected { (connection) async throws -> Int in
                    try await connection.send(text)
                    return try await connection.end()
                }
                #expect(count == 0)
            }
        }
    }

    @Test("A card is submitted over TLS, also a large one that is refused half-way")
    func overTLS() async throws {
        try await withCertificates { old, _, place in
            try place.install(old)
            try await ServerHarness.with(
                { configuration in
                    configuration.tls = place.files
                    configuration.submission.imageBytes = 1 << 20
                },
                client: try old.trust()
            ) { (harness) async throws in
                let token = ServerHarness.submit.reveal()
                let image = Specimen.jpeg(byteCount: 1 << 20)
                #expect(try await harness.send(.image(image, token: token)).status == 202)
                let large = try await harness.send(.image(Specimen.jpeg(byteCount: 2 << 20), token: token))
                #expect(large.status == 413)
            }
        }
    }
}
