import CardModel
import Testing

@testable import CardRemote

/// What a URL may be, before its host is resolved.
@Suite struct FetchRulesTests {
    private func rules(
        _ hosts: [String] = ["images.example.com", "*.bucket.example", "192.0.2.7", "[2001:db8::7]"],
        allowsHTTP: Bool = false
    ) -> FetchRules {
        var settings = FetchSettings()
        settings.hosts = hosts
        settings.ports = ["80", "443", "8443"]
        settings.allowsHTTP = allowsHTTP
        return FetchRules(settings)
    }

    private func refusal(_ url: String, _ rules: FetchRules) -> CodedError? {
        do throws(CodedError) {
            _ = try rules.check(url)
            return nil
        } catch {
            return error
        }
    }

    private func mistakes(_ change: (inout FetchSettings) -> Void) -> [(key: String, message: Message)] {
        var settings = FetchSettings()
        change(&settings)
        return settings.mistakes
    }

    @Test(arguments: [
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
    ])
    func `a listed host's URL is parsed`(url: String, hostField: String, requestTarget: String, label: String) throws {
        let (target, found) = try self.rules().check(url)
        #expect(target.hostField == hostField)
        #expect(target.requestTarget == requestTarget)
        #expect(target.usesTLS)
        #expect(found == label)
        #expect(try self.rules().check(target.url).target == target)
    }

    @Test(arguments: [
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
    ])
    func `What is not a plain URL is refused, and nothing of it repeated`(url: String) throws {
        let refusal = self.refusal(url, self.rules())
        #expect(refusal?.code == .fetchURLInvalid)
        #expect(refusal?.message.contains("canary") == false)
    }

    @Test(arguments: [
        "2130706433", "0x7f000001", "0X7F000001", "017700000001", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1",
        "127.0.0.0x1", "127.0.0.01", "127.0.0.1.", "1.2.3.4.5", "256.0.0.1", "images.example.1", "0x", "a.0xff",
    ])
    func `An IPv4 address in disguise is no host, whatever the list says`(host: String) throws {
        let refusal = self.refusal("https://\(host)/", self.rules())
        #expect(refusal?.code == .fetchURLInvalid)
        #expect(self.mistakes { $0.hosts = [host] }.map { $0.key } == ["fetch.hosts"])
    }

    @Test(arguments: ["ftp", "file", "gopher", "data", "javascript", "ws", "unix", "https+unix", ""])
    func `Other schemes are refused`(scheme: String) throws {
        let refusal = self.refusal("\(scheme)://images.example.com/canary", self.rules(allowsHTTP: true))
        #expect(refusal?.code == .fetchSchemeRefused)
        #expect(refusal?.message.contains("canary") == false)
    }

    @Test func `Plain http is fetched only where it is allowed`() throws {
        let url = "http://images.example.com/a"
        #expect(self.refusal(url, self.rules())?.code == .fetchSchemeRefused)
        let target = try self.rules(allowsHTTP: true).check(url).target
        #expect(!target.usesTLS)
        #expect(target.port == 80)
        #expect(target.hostField == "images.example.com")
    }

    @Test(arguments: [
        "canary.example.com", "images.example.com.canary.example", "canary-images.example.com", "bucket.example",
        "canarybucket.example", "192.0.2.8", "[2001:db8::8]", "localhost", "xn--fiqs8s",
    ])
    func `A host that the list does not name is refused, and not named`(host: String) throws {
        let refusal = self.refusal("https://\(host)/", self.rules())
        #expect(refusal?.code == .fetchHostRefused)
        #expect(refusal?.message.contains(host) == false)
    }

    @Test func `With an empty list nothing is fetched, and the message says what to do`() throws {
        let refusal = self.refusal("https://images.example.com/", self.rules([]))
        #expect(refusal?.code == .fetchHostRefused)
        #expect(refusal?.message.contains("fetch.hosts is empty") == true)
    }

    @Test func `Other ports are refused`() throws {
        let refusal = self.refusal("https://images.example.com:22/", self.rules())
        #expect(refusal?.code == .fetchPortRefused)
    }

    @Test func `A URL of the longest length is taken, and one byte more refused`() throws {
        let url = "https://images.example.com/" + String(repeating: "a", count: 8192 - 27)
        #expect(self.refusal(url, self.rules()) == nil)
        #expect(self.refusal(url + "a", self.rules())?.code == .fetchURLInvalid)
    }

    @Test(arguments: [
        "", "*", "*.", "*.*.example", "a.*.example", "im*.example", "https://images.example.com",
        "images.example.com:443",
        "images.example.com/", "*.192.0.2.7", "*.[::1]", "bücket.example", " images.example.com", ".example.com",
    ])
    func `An entry of the list that is no host is refused`(text: String) throws {
        let mistakes = self.mistakes { $0.hosts = ["images.example.com", text] }
        #expect(mistakes.map { $0.key } == ["fetch.hosts"])
        #expect(mistakes.first?.message.contains("\"\(text)\" is not a host") == true)
        // What somebody chose is not for the log.
        #expect(mistakes.first?.message.description.contains("\"<redacted>\" is not a host") == true)
    }

    @Test(arguments: ["", "0", "65536", "-1", "https", "80,443", " 80"])
    func `A port that is none is a mistake`(text: String) {
        #expect(self.mistakes { $0.ports = ["443", text] }.map { $0.key } == ["fetch.ports"])
    }

    @Test func `The defaults are no mistake, and nothing is fetched by them`() {
        #expect(FetchSettings().mistakes.isEmpty)
        let refusal = self.refusal("https://images.example.com/a.jpg", FetchRules(FetchSettings()))
        #expect(refusal?.code == .fetchHostRefused)
        #expect(refusal?.kind == .input)
    }

    @Test func `A target shows nothing of its URL`() throws {
        let target = try self.rules().check("https://images.example.com/canary?canary").target
        for text in ["\(target)", String(describing: target), String(reflecting: target)] {
            #expect(!text.contains("canary"))
            #expect(!text.contains("example"))
        }
        var dumped = ""
        dump(target, to: &dumped)
        #expect(!dumped.contains("canary"))
    }

    /// What is remembered of a host, its rests and its places, holds for it however it is written.
    @Test(arguments: [
        ("https://images.example.com/a", "images.example.com:443"),
        ("https://images.example.com:443/b?x#y", "images.example.com:443"),
        ("HTTPS://IMAGES.Example.com:0443/", "images.example.com:443"),
        ("https://images.example.com./a", nil),
        ("https://user:secret@images.example.com/a", nil),
        ("https://images.example.com:8443/a", "images.example.com:8443"), ("https://elsewhere.example/", nil),
    ])
    func `A host is one by name and port, not by how it is written`(url: String, host: String?) throws {
        var settings = FetchSettings()
        settings.hosts = ["images.example.com"]
        settings.ports = ["443", "8443"]
        let fetcher = try ImageFetcher(settings, maxBytes: 1, isImage: { _ in true })
        #expect((try? fetcher.host(of: Redacted(url))) == host)
    }
}
