import CardModel
import Testing

@testable import CardRemote

/// Which addresses may be connected to.
@Suite struct AddressRulesTests {
    /// The first and the last address of every class.
    typealias Row = (block: String, first: String, last: String, found: SpecialAddress)

    static let rows: [Row] = [
        ("0.0.0.0/8", "0.0.0.0", "0.255.255.255", .unspecified),
        ("10.0.0.0/8", "10.0.0.0", "10.255.255.255", .privateUse),
        ("100.64.0.0/10", "100.64.0.0", "100.127.255.255", .carrierShared),
        ("127.0.0.0/8", "127.0.0.0", "127.255.255.255", .loopback),
        ("169.254.0.0/16", "169.254.0.0", "169.254.255.255", .linkLocal),
        ("172.16.0.0/12", "172.16.0.0", "172.31.255.255", .privateUse),
        ("192.0.0.0/24", "192.0.0.0", "192.0.0.255", .protocolAssignment),
        ("192.0.2.0/24", "192.0.2.0", "192.0.2.255", .documentation),
        ("192.88.99.0/24", "192.88.99.0", "192.88.99.255", .tunnelled),
        ("192.168.0.0/16", "192.168.0.0", "192.168.255.255", .privateUse),
        ("198.18.0.0/15", "198.18.0.0", "198.19.255.255", .benchmarking),
        ("198.51.100.0/24", "198.51.100.0", "198.51.100.255", .documentation),
        ("203.0.113.0/24", "203.0.113.0", "203.0.113.255", .documentation),
        ("224.0.0.0/4", "224.0.0.0", "239.255.255.255", .multicast),
        ("240.0.0.0/4", "240.0.0.0", "255.255.255.255", .reserved),
        ("168.63.129.16/32", "168.63.129.16", "168.63.129.16", .cloudPlatform),
        ("::/128", "::", "::", .unspecified),
        ("::1/128", "::1", "::1", .loopback),
        ("::/96", "::2", "::ffff:ffff", .mapped),
        ("::ffff:0:0/96", "::ffff:0.0.0.0", "::ffff:255.255.255.255", .mapped),
        ("64:ff9b::/96", "64:ff9b::", "64:ff9b::ffff:ffff", .translated),
        ("64:ff9b:1::/48", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", .translated),
        ("100::/64", "100::", "100::ffff:ffff:ffff:ffff", .discard),
        ("2001::/32", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", .tunnelled),
        ("2001::/23", "2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", .protocolAssignment),
        ("2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", .documentation),
        ("2002::/16", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .tunnelled),
        ("3fff::/20", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", .documentation),
        ("fc00::/7", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .privateUse),
        ("fe80::/10", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .linkLocal),
        ("fec0::/10", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .siteLocal),
        ("ff00::/8", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .multicast),
        ("5f00::/16", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .unassigned),
        ("4000::/2", "4000::", "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .unassigned),
        ("200::/7", "200::", "3ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .unassigned),
    ]

    @Test(arguments: rows)
    func `Every class of addresses is refused from its first to its last, and has its name`(row: Row) throws {
        let rules = AddressRules(allowed: [])
        let block = try #require(AddressBlock(row.block))
        for text in [row.first, row.last] {
            let address = try #require(IPAddress(text))
            #expect(rules.refusal(of: address) == row.found)
            #expect(block.contains(address))
        }
    }

    @Test func `No class is without a row`() {
        #expect(Set(Self.rows.map(\.found)) == Set(SpecialAddress.allCases))
        for (found, block) in SpecialAddress.blocks {
            let isThere = Self.rows.contains { $0.found == found && AddressBlock($0.block) == block }
            #expect(isThere, "\(block)")
        }
    }

    @Test(arguments: rows.filter { $0.found != .mapped && $0.found != .translated && $0.block != "2002::/16" })
    func `Every class of addresses is connected to once its block is allowed`(row: Row) throws {
        let rules = AddressRules(allowed: [try #require(AddressBlock(row.block))])
        for text in [row.first, row.last] {
            #expect(rules.refusal(of: try #require(IPAddress(text))) == nil)
        }
    }

    @Test(arguments: [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.88.98.255",
        "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
        "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15", "168.63.129.17",
        "2000::", "2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", "2003::",
        "2606:4700::1111", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ])
    func `What lies beside the blocks is on the internet`(text: String) throws {
        #expect(AddressRules(allowed: []).refusal(of: try #require(IPAddress(text))) == nil)
    }

    @Test(arguments: [
        ("::ffff:10.1.2.3", "::ffff:0:0/96"), ("::10.1.2.3", "::/96"), ("64:ff9b::10.1.2.3", "64:ff9b::/96"),
        ("64:ff9b:1::10.1.2.3", "64:ff9b:1::/48"), ("2002:a01:203::1", "2002::/16"),
    ])
    func `An IPv4 address inside an IPv6 address needs both allowed`(text: String, block: String) throws {
        let address = try #require(IPAddress(text))
        let outer = try #require(AddressBlock(block))
        let inner = try #require(AddressBlock("10.1.2.0/24"))
        #expect(AddressRules(allowed: [inner]).refusal(of: address) != nil)
        #expect(AddressRules(allowed: [outer]).refusal(of: address) == .privateUse)
        #expect(AddressRules(allowed: [outer, inner]).refusal(of: address) == nil)
    }

    @Test func `A public address inside a mapped one is connected to where mapped ones are allowed`() throws {
        let rules = AddressRules(allowed: [try #require(AddressBlock("::ffff:0:0/96"))])
        #expect(rules.refusal(of: try #require(IPAddress("::ffff:93.184.215.14"))) == nil)
        #expect(rules.refusal(of: try #require(IPAddress("::ffff:127.0.0.1"))) == .loopback)
    }

    @Test func `A block of one family says nothing of the other`() throws {
        let everything = AddressRules(allowed: [try #require(AddressBlock("0.0.0.0/0"))])
        #expect(everything.refusal(of: .v4(0x7F00_0001)) == nil)
        #expect(everything.refusal(of: try #require(IPAddress("::1"))) == .loopback)
    }

    @Test(arguments: [
        "", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.01", "127.0.0.1.",
        "127.0.0.256", " 127.0.0.1", "127.0.0.1 ", "[::1]", "fe80::1%eth0", "fe80::1%25eth0", "::g", ":::",
        "1::2::3",
        "１２７.0.0.1",
    ])
    func `An address is read only as it is written canonically`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("::FFFF:1.2.3.4", "::ffff:1.2.3.4"),
    ])
    func `An address is written in its usual form`(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text)).description == expected)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.1.2.3/8", "10/8",
        "::/129", "fd00::1/64", "host.example", "fe80::1%eth0/64", "10.0.0.0/٨",
    ])
    func `A block that says two things, or nothing, is refused`(text: String) {
        #expect(AddressBlock(text) == nil)
        var settings = FetchSettings()
        settings.allowedAddresses = [text]
        #expect(settings.mistakes.map { $0.key } == ["fetch.allow_addresses"])
    }

    @Test func `A block without a slash is one address, and one of no prefix is all`() throws {
        let one = try #require(AddressBlock("10.0.0.7"))
        #expect(one.contains(.v4(0x0A00_0007)))
        #expect(!one.contains(.v4(0x0A00_0008)))
        let half = try #require(AddressBlock("2001:db8::8000:0:0:0/65"))
        #expect(half.contains(try #require(IPAddress("2001:db8::ffff:0:0:1"))))
        #expect(!half.contains(try #require(IPAddress("2001:db8::7fff:0:0:1"))))
        #expect(try #require(AddressBlock("::/0")).contains(.v6(.max, .max)))
    }
}
