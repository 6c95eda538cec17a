import IDCardApp
import IDCardCore
import Testing

@Suite("Addresses of proxies")
struct ProxyAddressTests {
    @Test(
        "A host and a port, perhaps with user name and password, are read",
        arguments: [
            ("http://proxy.example:3128", "proxy.example", 3128, nil, nil),
            ("http://proxy.example:3128/", "proxy.example", 3128, nil, nil),
            ("HTTP://Proxy.Example:1", "proxy.example", 1, nil, nil),
            ("http://me:pass@10.0.0.1:65535", "10.0.0.1", 65_535, "me", "pass"),
            ("http://me@proxy.example:8080", "proxy.example", 8080, "me", ""),
            ("http://m%40e:p%3A%2Fw%C3%A9@[::1]:8080", "::1", 8080, "m@e", "p:/wé"),
        ] as [(String, String, Int, String?, String?)]
    )
    func reads(text: String, host: String, port: Int, user: String?, password: String?) throws {
        let proxy = try #require(ProxyAddress(text))
        #expect(proxy.host == host)
        #expect(proxy.port == port)
        #expect(proxy.user?.reveal() == user)
        #expect(proxy.password?.reveal() == password)
    }

    @Test(
        "Other forms are refused",
        arguments: [
            "", "proxy.example:3128", "http://proxy.example", "https://proxy.example:3128",
            "socks5://proxy.example:1080",
            "http://:3128", "http://proxy.example:0", "http://proxy.example:65536", "http://proxy.example:3128/path",
            "http://proxy.example:3128/?a=b", "http://proxy.example:3128#a", "http://:pass@proxy.example:3128",
            "http://m%3Ae:pass@proxy.example:3128", "http://proxy.example:port", "http://proxy example:3128",
        ]
    )
    func refuses(text: String) {
        #expect(ProxyAddress(text) == nil)
    }

    @Test(
        "A proxy knows whether it is on this machine",
        arguments: [("localhost", true), ("127.0.0.1", true), ("10.0.0.1", false)]
    )
    func loopback(host: String, expected: Bool) throws {
        #expect(try #require(ProxyAddress("http://\(host):3128")).isLoopback == expected)
    }

    @Test("User name and password are in no rendering")
    func redacted() throws {
        let proxy = try #require(ProxyAddress("http://canary-user:canary-password@proxy.example:3128"))
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!("\(proxy)" + String(reflecting: proxy) + dumped).contains("canary"))
    }
}
