import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Testing

@testable import OutboundHTTP

/// The way through a proxy.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct ProxyTests {
    private func withProxy(_ proxy: ConnectProxy, run: (Int) async throws -> Void) async throws {
        let port = try await proxy.start()
        do {
            try await run(port)
        } catch {
            await proxy.stop()
            throw error
        }
        await proxy.stop()
    }

    private func failure(through proxy: ConnectProxy, url: String = "http://service.example/") async throws
        -> HTTPFailure?
    {
        var failure: HTTPFailure?
        try await self.withProxy(proxy) { port in
            var configuration = OutboundHTTPClient.Configuration()
            configuration.proxy = try ProxySettings("http://127.0.0.1:\(port)")
            configuration.connectTimeout = .seconds(5)
            failure = try await withClient(configuration) { client in
                let form = try makeForm()
                return await client.post(form, to: try RemoteEndpoint(url), deadline: .seconds(20)).failure
            }
        }
        return failure
    }

    @Test("An https endpoint is reached through a tunnel with credentials, and verified by its own name")
    func https() async throws {
        try await withAuthority { authority in
            let certificate = try await authority.issue("server", names: "DNS:service.example")
            var options = FaultServer.Options()
            options.tls = FaultTLS(certificates: certificate.certificate, privateKey: certificate.key)
            try await withFaultServer(.reply(FaultReply()), options: options) { server, port in
                let proxy = ConnectProxy(
                    authorization: "Basic \(Data("user:pass:word".utf8).base64EncodedString())",
                    ports: ["service.example:443": port]
                )
                try await self.withProxy(proxy) { proxyPort in
                    var configuration = OutboundHTTPClient.Configuration.patient
                    configuration.tls = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
                    configuration.proxy = try ProxySettings("http://user:pass%3Aword@127.0.0.1:\(proxyPort)")
                    let endpoint = try RemoteEndpoint("https://service.example/upload")
                    let form = try makeForm(fileBytes: 500_000)
                    let reply = try await withClient(configuration) {
                        await $0.post(form, to: endpoint, deadline: .seconds(20)).reply
                    }
                    #expect(reply?.status == 200)
                    #expect(proxy.targets == ["service.example:443"])
                    #expect(server.received.first.map { UInt64($0.bodyLength) } == form.contentLength)
                    #expect(server.received.first?.header("Proxy-Authorization") == nil)
                }
            }
        }
    }

    @Test("An http endpoint is reached through a tunnel, too")
    func http() async throws {
        try await withFaultServer(.reply(FaultReply())) { server, port in
            let proxy = ConnectProxy()
            try await self.withProxy(proxy) { proxyPort in
                var configuration = OutboundHTTPClient.Configuration()
                configuration.proxy = try ProxySettings(host: "127.0.0.1", port: proxyPort)
                let reply = try await withClient(configuration) {
                    try await post(makeForm(), port: port, with: $0).reply
                }
                #expect(reply?.status == 200)
                #expect(proxy.targets == ["127.0.0.1:\(port)"])
                #expect(proxy.authorizations == [nil])
                #expect(server.received.first?.path == "/upload?key=canary-query")
            }
        }
    }

    @Test("A proxy that asks for credentials is named, and nothing is sent")
    func credentials() async throws {
        let failure = try await self.failure(through: ConnectProxy(authorization: "Basic c3BlY2ltZW4="))
        #expect(failure?.code == .proxyRefused)
        #expect(failure?.phase == .notSent)
        #expect(failure?.message.contains("wants a user name and password") == true)
        #expect(failure?.remoteFailure(afterSend: .unknown).failureClass == .notSent)
    }

    @Test("A proxy that opens no tunnel is named", arguments: ["502 Bad Gateway", "403 Forbidden"])
    func refusal(status: String) async throws {
        let failure = try await self.failure(through: ConnectProxy(refusal: FaultReply(status, body: "canary")))
        #expect(failure?.code == .proxyRefused)
        #expect(failure?.phase == .notSent)
        #expect(failure?.message.contains("the proxy 127.0.0.1:") == true)
        #expect(failure?.message.contains("opened no tunnel to service.example:80") == true)
    }

    @Test("A proxy that is not there is named, not the endpoint")
    func absent() async throws {
        let refusing = try RefusingPort()
        defer { refusing.close() }
        var configuration = OutboundHTTPClient.Configuration()
        configuration.proxy = try ProxySettings(host: "127.0.0.1", port: refusing.port)
        let endpoint = try RemoteEndpoint("https://service.example/")
        let failure = try await withClient(configuration) {
            await $0.post(try makeForm(), to: endpoint, deadline: .seconds(20)).failure
        }
        #expect(failure?.code == .connectRefused)
        #expect(failure?.message.hasPrefix("the proxy 127.0.0.1:\(refusing.port) refused the connection") == true)
    }

    @Test(
        "A proxy that nothing can be sent through is refused without being repeated",
        arguments: [
            "", "canary", "https://canary:3128", "http://canary", "http://:3128", "http://canary:3128/path",
            "http://:canary@host:3128", "http://a%3Acanary:b@host:3128", "socks5://canary:1080",
        ]
    )
    func invalid(text: String) throws {
        let error = try #require(throws: OutboundHTTPError.self) { try ProxySettings(text) }
        #expect(error.code == .invalidProxy)
        #expect(!error.description.contains("canary"))
    }
}
