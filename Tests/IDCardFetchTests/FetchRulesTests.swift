import IDCardCore
import Testing

@testable import IDCardFetch

/// What a URL may be, before its host is resolved.
struct FetchRulesTests {
    private func rules(
        _ hosts: [String] = ["images.example.com", "*.bucket.example", "192.0.2.7", "[2001:db8::7]"],
        allowsHTTP: Bool = false,
        maximumURLBytes: Int = 200
    ) throws -> FetchRules {
        FetchRules(
            hosts: try hosts.map { try HostPattern($0) },
            ports: [80, 443, 8443],
            allowsHTTP: allowsHTTP,
            maximumURLBytes: maximumURLBytes
        )
    }

    private func refusal(_ url: String, _ rules: FetchRules) -> FetchRefusal? {
        do throws(FetchRefusal) {
            _ = try rules.check(url)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A URL of a host in the list is taken apart",
        arguments: [
            ("https://images.example.com", "images.example.com", "/", "images.example.com"),
            (
                "HTTPS://IMAGES.example.COM/a%20b/c.jpg?x=1&y=/#z", "images.example.com", "/a%20b/c.jpg?x=1&y=/",
                "images.example.com"
            ),
            ("https://images.example.com:443/a", "images.example.com", "/a", "images.example.com"),
            ("https://images.example.com:8443?q", "images.example.com:8443", "/?q", "images.example.com"),
            ("https://a.b.bucket.example//", "a.b.bucket.example", "//", "*.bucket.example"),
            ("https://192.0.2.7/", "192.0.2.7", "/", "192.0.2.7"),
            ("https://[2001:DB8:0::7]:8443/", "[2001:db8::7]:8443", "/", "[2001:db8::7]"),
        ]
    )
    func accepted(url: String, hostField: String, requestTarget: String, label: String) throws {
        let (target, found) = try self.rules().check(url)
        #expect(target.hostField == hostField)
        #expect(target.requestTarget == requestTarget)
        #expect(target.usesTLS)
        #expect(found == label)
        #expect(try self.rules().check(target.url).target == target)
    }

    @Test(
        "What is not a plain URL is refused, and nothing of it repeated",
        arguments: [
            "", "canary", "//images.example.com/canary", "https:/images.example.com/canary", "https:///canary",
            "https://user:canary@images.example.com/", "https://canary@images.example.com/",
            "https://images.example.com\\@canary/", "https://images.example.com/can ary",
            "https://images.example.com/\ncanary",
            "https://images.example.com/canary\u{0}", "https://images.example.com/canary\u{E9}",
            "https://images.example.com:/canary", "https://images.example.com:0/canary",
            "https://images.example.com:65536/canary", "https://images.example.com:+443/canary",
            "https://images.example.com:443:443/canary", "https://images.example.com./canary",
            "https://.images.example.com/canary", "https://images..example.com/canary", "https://canary%2Eexample.com/",
            "https://images.example.com%00.canary/", "https://-canary.example.com/", "https://can*ary.example.com/",
            "https://xn--canary-.example/", "https://[::1/canary", "https://::1/canary",
            "https://[fe80::1%25eth0]/canary",
            "https://[fe80::1%eth0]/canary", "https://[127.0.0.1]/canary", "https://[]/canary",
        ]
    )
    func malformed(url: String) throws {
        let refusal = self.refusal(url, try self.rules())
        #expect(refusal?.code == .fetchURLInvalid)
        #expect(refusal?.message.contains("canary") == false)
    }

    @Test(
        "An IPv4 address in disguise is no host, whatever the list says",
        arguments: [
            "2130706433", "0x7f000001", "0X7F000001", "017700000001", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1",
            "127.0.0.0x1", "127.0.0.01", "127.0.0.1.", "1.2.3.4.5", "256.0.0.1", "images.example.1", "0x", "a.0xff",
        ]
    )
    func disguised(host: String) throws {
        let refusal = self.refusal("https://\(host)/", try self.rules())
        #expect(refusal?.code == .fetchURLInvalid)
        let error = #expect(throws: FetchError.self) { try HostPattern(host) }
        #expect(error?.code == .invalidHostPattern)
    }

    @Test(
        "Other schemes are refused",
        arguments: ["ftp", "file", "gopher", "data", "javascript", "ws", "unix", "https+unix", ""]
    )
    func schemes(scheme: String) throws {
        let refusal = self.refusal("\(scheme)://images.example.com/canary", try self.rules(allowsHTTP: true))
        #expect(refusal?.code == .fetchSchemeRefused)
        #expect(refusal?.message.contains("canary") == false)
    }

    @Test("Plain http is fetched only where it is allowed")
    func plainHTTP() throws {
        let url = "http://images.example.com/a"
        #expect(self.refusal(url, try self.rules())?.code == .fetchSchemeRefused)
        let target = try self.rules(allowsHTTP: true).check(url).target
        #expect(!target.usesTLS)
        #expect(target.port == 80)
        #expect(target.hostField == "images.example.com")
    }

    @Test(
        "A host that the list does not name is refused, and not named",
        arguments: [
            "canary.example.com", "images.example.com.canary.example", "canary-images.example.com", "bucket.example",
            "canarybucket.example", "192.0.2.8", "[2001:db8::8]", "localhost", "xn--fiqs8s",
        ]
    )
    func otherHosts(host: String) throws {
        let refusal = self.refusal("https://\(host)/", try self.rules())
        #expect(refusal?.code == .fetchHostRefused)
        #expect(refusal?.message.contains(host) == false)
    }

    @Test("With an empty list nothing is fetched, and the message says what to do")
    func emptyList() throws {
        let refusal = self.refusal("https://images.example.com/", try self.rules([]))
        #expect(refusal?.code == .fetchHostRefused)
        #expect(refusal?.message.contains("fetch.hosts is empty") == true)
    }

    @Test("Other ports are refused")
    func ports() throws {
        let refusal = self.refusal("https://images.example.com:22/", try self.rules())
        #expect(refusal?.code == .fetchPortRefused)
    }

    @Test("A URL of the longest length is taken, and one byte more refused")
    func length() throws {
        let url = "https://images.example.com/" + String(repeating: "a", count: 173)
        #expect(self.refusal(url, try self.rules()) == nil)
        #expect(self.refusal(url + "a", try self.rules())?.code == .fetchURLInvalid)
    }

    @Test(
        "An entry of the list that is no host is refused",
        arguments: [
            "", "*", "*.", "*.*.example", "a.*.example", "im*.example", "https://images.example.com",
            "images.example.com:443",
            "images.example.com/", "*.192.0.2.7", "*.[::1]", "bücket.example", " images.example.com", ".example.com",
        ]
    )
    func malformedPatterns(text: String) throws {
        let error = try #require(throws: FetchError.self) { try HostPattern(text) }
        #expect(error.code == .invalidHostPattern)
    }

    @Test("A target shows nothing of its URL")
    func redacted() throws {
        let target = try self.rules().check("https://images.example.com/canary?canary").target
        for text in ["\(target)", String(describing: target), String(reflecting: target)] {
            #expect(!text.contains("canary"))
            #expect(!text.contains("example"))
        }
        var dumped = ""
        dump(target, to: &dumped)
        #expect(!dumped.contains("canary"))
    }
}
