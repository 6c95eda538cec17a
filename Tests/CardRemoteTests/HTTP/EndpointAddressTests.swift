import CardModel
import Foundation
import Testing

@testable import CardRemote

/// What is taken as the address of an endpoint or a proxy.
@Suite struct EndpointAddressTests {
    @Test(arguments: [
        ("https://a.example", "a.example:443", "https://a.example/v1"),
        ("http://a.example/", "a.example:80", "http://a.example/v1"),
        ("https://a.example:8443/x?k=v", "a.example:8443", "https://a.example:8443/x?k=v"),
        ("HTTP://[::1]:80/x", "[::1]:80", "HTTP://[::1]:80/x"),
        ("https://样本.example/x", "xn--8pv1w.example:443", "https://xn--8pv1w.example/x"),
        ("https://Bücher.example:444/x", "xn--bcher-kva.example:444", "https://xn--bcher-kva.example:444/x"),
    ])
    func `a URL gives host and port, an empty path is replaced`(text: String, authority: String, url: String) throws {
        let address = try EndpointAddress(text, key: "verification.url", defaultPath: "/v1")
        #expect(address.authority == authority)
        #expect(address.url.absoluteString == url)
        #expect(address.isNumeric == (authority == "[::1]:80"))
        // A certificate names its host in ASCII.
        #expect(address.host.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: [
        "", "a.example", "ftp://a.example/", "https:///x", "https://u:canary@a.example/", "https://a.example/#canary",
        "https://a.example:99999/", "https://a.example:65536", "https://a.example:0/", "https://a.example:-1/",
        "https://a.example:99999999999999999999/", "https://[::1]:70000/",
    ])
    func `What no request can be sent to is refused with key and remedy, and not repeated`(text: String) {
        let error = #expect(throws: CodedError.self) { try EndpointAddress(text, key: "verification.url") }
        #expect(error?.code.rawValue == "url_invalid")
        #expect(error?.message.contains("verification.url") == true)
        #expect(error?.message.contains("canary") == false)
    }

    @Test(arguments: [
        "", "https://p.example:3128", "http://p.example", "http://:3128", "http://p.example:0",
        "http://p.example:70000",
        "http://p.example:3128/x", "http://p.example:3128?canary", "http://:canary@p.example:3128",
        "http://us%3Aer:canary@p.example:3128",
    ])
    func `What no proxy can be is refused, and not repeated`(text: String) {
        let error = #expect(throws: CodedError.self) { try ProxyAddress(Redacted(text), key: "delivery.proxy") }
        #expect(error?.code.rawValue == "proxy_invalid")
        #expect(error?.message.contains("canary") == false)
    }

    @Test func `A proxy with a password does not print it`() throws {
        let proxy = try ProxyAddress(Redacted("http://user:canary@p.example:3128"), key: "delivery.proxy")
        #expect(proxy.authority == "p.example:3128")
        #expect(!"\(proxy)".contains("canary"))
        #expect(!String(reflecting: proxy).contains("canary"))
    }
}
