import Foundation
import IDCardCore
import IDCardTesting
import Testing

@testable import OutboundHTTP

/// What is noticed before the first connection.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct TLSSettingsTests {
    private func error(_ make: () throws -> TLSSettings) throws -> OutboundHTTPError {
        try #require(throws: OutboundHTTPError.self) { try make() }
    }

    @Test("A missing file is named")
    func missingFile() throws {
        let error = try self.error { try TLSSettings(trust: .certificates([.file("/nonexistent/ca.pem")])) }
        #expect(error.code == .tlsFileUnreadable)
        #expect(error.message.contains("trusted certificate 1, the file '/nonexistent/ca.pem', cannot be read"))
    }

    @Test(
        "A file that holds no certificate is named",
        arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n"]
    )
    func noCertificate(text: String) async throws {
        try await withAuthority { authority in
            let path = try authority.write(text, to: "broken.pem")
            let error = try self.error {
                try TLSSettings(trust: .certificates([.file(authority.root.path), .file(path)]))
            }
            #expect(error.code == .tlsFileInvalid)
            #expect(error.message.contains("trusted certificate 2, the file '\(path)', holds no certificate in PEM"))
        }
    }

    @Test("A file that is far too long is not read")
    func longFile() throws {
        let error = try self.error { try TLSSettings(trust: .certificates([.file("/dev/zero")])) }
        #expect(error.code == .tlsFileInvalid)
        #expect(error.message.contains("exceeds 1048576 bytes"))
    }

    @Test("An expired certificate in the trust list is named with its day")
    func expired() async throws {
        try await withAuthority { authority in
            let expired = try await authority.issue("old", names: "DNS:localhost", years: 2020...2021)
            let error = try self.error {
                try TLSSettings(trust: .certificates([.file(authority.root.path), .file(expired.path)]))
            }
            #expect(error.code == .tlsCertificateExpired)
            #expect(error.message.contains("the file '\(expired.path)', has expired on 2021-12-31"))
        }
    }

    @Test("A certificate whose issuer is not listed is refused, and accepted beside it")
    func incomplete() async throws {
        try await withAuthority { authority in
            let leaf = try await authority.issue("leaf", names: "DNS:localhost")
            let error = try self.error { try TLSSettings(trust: .certificates([.file(leaf.path)])) }
            #expect(error.code == .tlsTrustIncomplete)
            #expect(error.message.contains("'\(leaf.path)', is issued by another certificate that is not listed"))
            _ = try TLSSettings(trust: .certificates([.file(leaf.path), .file(authority.root.path)]))
        }
    }

    @Test("An empty trust list trusts nobody and is refused")
    func empty() throws {
        #expect(try self.error { try TLSSettings(trust: .certificates([])) }.code == .tlsTrustIncomplete)
    }

    @Test("A key that does not belong to the certificate is refused")
    func mismatch() async throws {
        try await withAuthority { authority in
            let client = try await authority.issue("client", names: "DNS:client.example")
            let identity = TLSSettings.ClientIdentity(
                certificates: .file(client.path),
                privateKey: .file(authority.root.keyPath)
            )
            let error = try self.error { try TLSSettings(trust: .systemRoots, clientIdentity: identity) }
            #expect(error.code == .tlsKeyMismatch)
            #expect(error.message.contains(authority.root.keyPath))
            #expect(error.message.contains(client.path))
        }
    }

    @Test("A key with passphrase and a file without key are told apart", arguments: [true, false])
    func unusableKey(isEncrypted: Bool) async throws {
        try await withAuthority { authority in
            let client = try await authority.issue("client", names: "DNS:client.example")
            let path = isEncrypted ? try await authority.encrypt(client) : client.path
            let identity = TLSSettings.ClientIdentity(certificates: .file(client.path), privateKey: .file(path))
            let error = try self.error { try TLSSettings(trust: .systemRoots, clientIdentity: identity) }
            #expect(error.code == .tlsFileInvalid)
            #expect(error.message.contains(isEncrypted ? "is encrypted" : "holds no private key in PEM"))
        }
    }

    @Test("Neither settings nor sources print a key")
    func redaction() async throws {
        try await withAuthority { authority in
            let client = try await authority.issue("client", names: "DNS:client.example")
            let key = PEMSource.bytes(Data(client.key.utf8))
            let identity = TLSSettings.ClientIdentity(certificates: .file(client.path), privateKey: key)
            let settings = try TLSSettings(trust: .systemRoots, clientIdentity: identity)
            var configuration = OutboundHTTPClient.Configuration()
            configuration.tls = settings
            configuration.proxy = try ProxySettings("http://canary-user:canary-password@127.0.0.1:3128")
            var dumped = ""
            dump(configuration, to: &dumped)
            dump(identity, to: &dumped)
            for text in ["\(configuration)", String(reflecting: configuration), "\(identity)", "\(key)", dumped] {
                #expect(!text.contains("PRIVATE KEY"))
                #expect(!text.contains("canary"))
                #expect(!text.contains("CN="))
            }
            #expect("\(settings)" == "TLSSettings(system roots, client certificate)")
        }
    }

    @Test(
        "Without verification nothing is sent to another machine, unless forced",
        arguments: [
            ("https://localhost/", true), ("https://127.8.9.1:8443/", true), ("https://[::1]/", true),
            ("https://service.example/", false), ("https://192.0.2.1/", false), ("https://127.0.0.1.example/", false),
            ("https://[::2]/", false), ("https://localhost.example/", false), ("http://service.example/", true),
        ]
    )
    func insecure(url: String, isAllowed: Bool) async throws {
        let endpoint = try RemoteEndpoint(url)
        var configuration = OutboundHTTPClient.Configuration()
        configuration.tls = try TLSSettings(trust: .systemRoots, insecure: true)
        configuration.connectTimeout = .milliseconds(1)
        try await withClient(configuration) { client in
            if isAllowed {
                #expect(throws: Never.self) { try client.check(endpoint) }
                return
            }
            let error = try #require(throws: OutboundHTTPError.self) { try client.check(endpoint) }
            #expect(error.code == .tlsInsecureRefused)
            #expect(error.message.contains(endpoint.authority))
            let failure = await client.post(try makeForm(), to: endpoint, deadline: .seconds(5)).failure
            #expect(failure?.code == .tlsInsecureRefused)
            #expect(failure?.phase == .notSent)
            #expect(failure?.message == error.message)
            #expect(failure?.remoteFailure(afterSend: .unknown).failureClass == .stop)
        }
        configuration.tls = try TLSSettings(trust: .systemRoots, insecure: true, insecureForced: true)
        try await withClient(configuration) { client in
            #expect(throws: Never.self) { try client.check(endpoint) }
        }
    }

    @Test("What is local to a proxy elsewhere is not local")
    func insecureThroughProxy() async throws {
        let endpoint = try RemoteEndpoint("https://localhost/")
        var configuration = OutboundHTTPClient.Configuration()
        configuration.tls = try TLSSettings(trust: .systemRoots, insecure: true)
        configuration.proxy = try ProxySettings("http://proxy.example:3128")
        try await withClient(configuration) { client in
            let error = try #require(throws: OutboundHTTPError.self) { try client.check(endpoint) }
            #expect(error.code == .tlsInsecureRefused)
        }
    }

    @Test("In a bundle of authorities those that are over are passed over; one of nothing else is refused")
    func bundle() async throws {
        try await withAuthority { authority in
            let old = try await authority.issue("old", names: "DNS:old.example", years: 2020...2021)
            let bundle = Data((old.certificate + authority.root.certificate).utf8)
            let settings = try TLSSettings(trust: .certificates([.bytes(bundle)]))
            #expect(settings.trustRoots?.count == 1)
            let error = try #require(throws: OutboundHTTPError.self) {
                try TLSSettings(trust: .certificates([.bytes(Data(old.certificate.utf8))]))
            }
            #expect(error.code == .tlsCertificateExpired)
        }
    }
}
