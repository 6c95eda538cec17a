import Foundation
import IDCardTesting
import NIOCore
import Testing

@testable import IDCardServer

/// Tokens: who is let in, to what, and how often.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct AccessTests {
    @Test(
        "Without a valid token nothing under /v1 or /metrics answers, and all say how to come in",
        arguments: [
            [], [("Authorization", "Bearer wrong")], [("Authorization", "Basic aWRjcF9hbGw6")],
            [("Authorization", "Bearer")],
            [("Authorization", "Bearer idcp_all"), ("Authorization", "Bearer idcp_all")],
            [("Authorization", "idcp_all")],
        ] as [[(String, String)]]
    )
    func unauthorized(headers: [(String, String)]) async throws {
        try await ServerHarness.with { (harness) async throws in
            for path in ["/v1/cards", "/v1/cards/x", "/v1/runs/x", "/metrics"] {
                let response = try await harness.send(RawRequest("GET", path, headers: headers))
                #expect(response.status == 401)
                #expect(response.code == "unauthorized")
                #expect(response["www-authenticate"]?.hasPrefix("Bearer realm=") == true)
            }
        }
    }

    private static let needs: [(method: String, path: String, scope: TokenScope)] = [
        ("POST", "/v1/cards", .submit), ("POST", "/v1/runs", .submit), ("GET", "/v1/cards", .read),
        ("GET", "/v1/cards/x", .read), ("GET", "/v1/runs/x", .read), ("GET", "/metrics", .read),
        ("POST", "/v1/cards/x/retry", .operate), ("POST", "/v1/cards/x/resolve", .operate),
        ("DELETE", "/v1/cards/x", .operate),
    ]

    @Test("Each operation needs its scope and no other", arguments: needs.indices)
    func scopes(index: Int) async throws {
        let need = Self.needs[index]
        let tokens: [TokenScope: AccessToken] = [
            .submit: ServerHarness.submit, .read: ServerHarness.read, .operate: ServerHarness.operate,
        ]
        try await ServerHarness.with { (harness) async throws in
            for (scope, token) in tokens {
                let response = try await harness.send(RawRequest(need.method, need.path, token: token.reveal()))
                #expect((response.status != 403) == (scope == need.scope), "\(need.path) with \(scope)")
                if response.status == 403 { #expect(response.code == "scope_missing") }
            }
        }
    }

    @Test("What is open needs no token", arguments: ["/healthz", "/readyz", "/openapi.json"])
    func open(path: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            #expect(try await harness.send(RawRequest("GET", path)).status == 200)
        }
    }

    @Test("A token is let in so often, told how it stands, and then told to wait; others are not held up")
    func rate() async throws {
        try await ServerHarness.with({ $0.callerRate = RatePolicy(quota: 3, window: .seconds(3_600)) }) {
            (harness) async throws in
            let token = ServerHarness.read.reveal()
            for remaining in [2, 1, 0] {
                let response = try await harness.send(RawRequest("GET", "/v1/cards", token: token))
                #expect(response.status == 200)
                #expect(response["ratelimit-policy"] == "\"default\";q=3;w=3600")
                #expect(response["ratelimit"]?.hasPrefix("\"default\";r=\(remaining);t=") == true)
            }
            let response = try await harness.send(RawRequest("GET", "/v1/cards", token: token))
            #expect(response.status == 429)
            #expect(response.code == "rate_limited")
            let wait = try #require(response["retry-after"].flatMap { Int($0) })
            #expect(1...1_200 ~= wait)
            let other = try await harness.send(RawRequest("GET", "/v1/cards", token: ServerHarness.all.reveal()))
            #expect(other.status == 200)
        }
    }

    @Test("An address that is wrong too often is told to wait; a right token from it is let in")
    func failures() async throws {
        try await ServerHarness.with({ $0.failureRate = RatePolicy(quota: 2, window: .seconds(3_600)) }) {
            (harness) async throws in
            let wrong = RawRequest("GET", "/v1/cards", token: "wrong")
            #expect(try await harness.send(wrong).status == 401)
            #expect(try await harness.send(wrong).status == 401)
            #expect(try await harness.send(wrong).status == 429)
            let right = RawRequest("GET", "/v1/cards", token: ServerHarness.read.reveal())
            #expect(try await harness.send(right).status == 200)
        }
    }

    @Test(
        "Addresses are told apart whole, those of IPv6 by their network, however they come",
        arguments: [
            ("10.1.2.3", "10.1.2.3"), ("::ffff:10.1.2.3", "10.1.2.3"), ("::ffff:10.1.2.4", "10.1.2.4"),
            ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2"), ("2001:db8:1:2::9", "20:1:d:b8:0:1:0:2"),
        ]
    )
    func networks(address: String, network: String) throws {
        #expect(ServerContext.network(of: try SocketAddress(ipAddress: address, port: 0)) == network)
    }

    @Test("A bucket gives back one after the other, and never more than it holds")
    func bucket() {
        let limit = RateLimit(RatePolicy(quota: 4, window: .seconds(8)))
        let remaining = (0..<6).map { _ in limit.count("a", at: .seconds(100)) }
        #expect(remaining.map(\.remaining) == [3, 2, 1, 0, 0, 0])
        #expect(remaining.map(\.wait) == [nil, nil, nil, nil, .seconds(2), .seconds(2)])
        #expect(limit.count("a", at: .seconds(102)).wait == nil)
        #expect(limit.count("a", at: .seconds(102)).wait == .seconds(2))
        let later = limit.count("a", at: .seconds(1_000))
        #expect(later.remaining == 3)
        #expect(later.reset == .seconds(2))
        #expect(limit.count("b", at: .seconds(100)).remaining == 3)
    }

    @Test("Of names no more are told apart than there is room for")
    func capacity() {
        let limit = RateLimit(RatePolicy(quota: 1, window: .seconds(8)), capacity: 10)
        for number in 0..<100 { #expect(limit.count("\(number)", at: .seconds(1)).wait == nil) }
        #expect(limit.count("99", at: .seconds(1)).wait == .seconds(8))
    }
}
