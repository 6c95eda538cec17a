import Foundation
import IDCardApp
import Testing

@Suite("Addresses of services")
struct EndpointURLTests {
    @Test(
        "http and https addresses with a host are read",
        arguments: [
            ("https://api.example.com/faceid/v1/ocridcard", "api.example.com"),
            ("http://127.0.0.1:8080/x", "127.0.0.1"),
            ("HTTPS://API.Example.com", "api.example.com"), ("http://[::1]:9000/", "::1"),
        ]
    )
    func reads(text: String, host: String) throws {
        #expect(try #require(EndpointURL(text)).host == host)
    }

    @Test(
        "Addresses without a host, of another scheme, or with credentials or a fragment are refused",
        arguments: [
            "", "example.com", "ftp://example.com/", "https://", "https:///path", "file:///etc/passwd",
            "https://user@example.com/", "https://user:canary-password@example.com/", "https://example.com/#part",
            "not a url",
        ]
    )
    func refuses(text: String) {
        #expect(EndpointURL(text) == nil)
    }

    @Test(
        "Only this machine is loopback",
        arguments: [
            ("http://localhost:1/", true), ("http://a.localhost/", true), ("http://127.0.0.1/", true),
            ("http://127.9.9.9/", true), ("http://[::1]/", true), ("http://127.example.com/", false),
            ("http://127.0.0.1.example.com/", false), ("http://128.0.0.1/", false), ("http://10.0.0.1/", false),
            ("http://notlocalhost/", false), ("http://127.0.0/", false),
        ]
    )
    func knowsLoopback(text: String, expected: Bool) throws {
        #expect(try #require(EndpointURL(text)).isLoopback == expected)
    }

    @Test("The query, which may be a key, is in no rendering")
    func hidesQuery() throws {
        let url = try #require(EndpointURL("https://example.com/path?key=canary-query"))
        #expect(url.url.absoluteString.contains("canary-query"))
        #expect(url.description == "https://example.com/path?<redacted>")
        var dumped = ""
        dump(url, to: &dumped)
        #expect(!(String(reflecting: url) + dumped + "\(url)").contains("canary"))
    }
}
