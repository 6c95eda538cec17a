import CardModel
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import CardServer

/// Who may ask, and how often.
@Suite(.timeLimit(.minutes(5))) struct AccessTests {
    @Test func `without a right token nobody learns more than that`() async throws {
        try await ServerHarness.with { (harness) async throws in
            let missing = try await harness.send(RawRequest("GET", "/v1/cards"))
            #expect(missing.problem == "401 unauthorized")
            #expect(missing["www-authenticate"] == "Bearer realm=\"idcard-pipeline\"")
            for value in ["Bearer wrong", "Bearer", "Basic reader", "bearer  reader"] {
                let request = RawRequest("GET", "/v1/cards", headers: [("Authorization", value)])
                let response = try await harness.send(request)
                #expect(response.status == 401, "\(value)")
                #expect(response["www-authenticate"]?.contains("invalid_token") == true)
            }
            let twice = [("Authorization", "Bearer reader"), ("Authorization", "Bearer reader")]
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", headers: twice)).status == 401)
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "reader")).status == 200)
        }
    }

    @Test func `a token works until it expires, or is taken away`() async throws {
        let tokens = ServerHarness.Mutexed([
            ServerHarness.token("old", [.read], expiresAt: SpecimenWebhook.time.date),
            ServerHarness.token("young", [.read], expiresAt: SpecimenWebhook.time.date.addingTimeInterval(1)),
        ])
        let source: CardServer.TokenSource = { () throws(CodedError) in tokens.withLock { $0 } }
        try await ServerHarness.with({ $0.tokens = source }, now: { SpecimenWebhook.time }) { (harness) async throws in
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "old")).status == 401)
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "young")).status == 200)
            tokens.withLock { $0 = [ServerHarness.token("new", [.read])] }
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "young")).status == 401)
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "new")).status == 200)
        }
    }

    @Test func `while the tokens cannot be known every token waits, and nobody is at fault`() async throws {
        let isKnown = ServerHarness.Mutexed(true)
        let source: CardServer.TokenSource = { () throws(CodedError) in
            guard isKnown.withLock({ $0 }) else { throw AccessToken.invalid("specimen") }
            return ServerHarness.tokens
        }
        let rate = RatePolicy(quota: 1, window: .seconds(3_600))
        let configure = { (configuration: inout CardServer.Configuration) in
            configuration.tokens = source
            configuration.failureRate = rate
        }
        try await ServerHarness.with(configure) { (harness) async throws in
            isKnown.withLock { $0 = false }
            for operation in APIOperation.all {
                guard case .token = operation.access else { continue }
                let target = operation.path.replacing(/{\w+}/, with: "x")
                for token in ["all", "wrong"] {
                    let response = try await harness.send(RawRequest(operation.method.rawValue, target, token: token))
                    #expect(response.problem == "503 tokens_unavailable", "\(target)")
                    #expect(response["retry-after"] == "10" && !response.text.contains("specimen"))
                }
            }
            #expect(try await harness.send(RawRequest("GET", "/v1/cards")).status == 401)
            let ready = try await harness.send(RawRequest("GET", "/readyz"))
            #expect(ready.status == 503 && ready.text.contains("tokens_unavailable"), "\(ready.text)")
            isKnown.withLock { $0 = true }
            let figures = try await harness.send(RawRequest("GET", "/metrics", token: "reader"))
            let refused = 2 * APIOperation.all.count { if case .token = $0.access { true } else { false } }
            #expect(figures.text.contains("\nidcard_http_unavailable_tokens_total \(refused)\n"), "\(figures.text)")
            #expect(figures.text.contains("\nidcard_http_failed_authentications_total 1\n"))
        }
    }

    @Test func `tokens of one name share what they may ask`() async throws {
        let tokens = [ServerHarness.token("desk", [.read]), ServerHarness.token("desk", [.read], secret: "second")]
        let configure = { (configuration: inout CardServer.Configuration) in
            configuration.tokens = { () throws(CodedError) in tokens }
            configuration.callerRate = RatePolicy(quota: 2, window: .seconds(3_600))
        }
        try await ServerHarness.with(configure) { (harness) async throws in
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "desk")).status == 200)
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "second")).status == 200)
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "desk")).status == 429)
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "second")).status == 429)
        }
    }

    @Test func `a token that asks too often is told when to come again, others are served`() async throws {
        let rate = RatePolicy(quota: 2, window: .seconds(3_600))
        try await ServerHarness.with({ $0.callerRate = rate }) { (harness) async throws in
            let request = RawRequest("GET", "/v1/cards", token: "reader")
            let first = try await harness.send(request)
            #expect(first["ratelimit-policy"] == "\"default\";q=2;w=3600")
            #expect(first["ratelimit"]?.hasPrefix("\"default\";r=1;t=") == true)
            #expect(try await harness.send(request).status == 200)
            let third = try await harness.send(request)
            #expect(third.problem == "429 rate_limited")
            #expect(Int(third["retry-after"] ?? "") ?? 0 > 1_000)
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "all")).status == 200)
        }
    }

    @Test func `an address that is wrong too often waits, but a right token is let through`() async throws {
        let rate = RatePolicy(quota: 2, window: .seconds(3_600))
        try await ServerHarness.with({ $0.failureRate = rate }) { (harness) async throws in
            let wrong = RawRequest("GET", "/v1/cards", token: "wrong")
            #expect(try await harness.send(wrong).status == 401)
            #expect(try await harness.send(wrong).status == 401)
            #expect(try await harness.send(wrong).status == 429)
            #expect(try await harness.send(RawRequest("GET", "/v1/cards", token: "reader")).status == 200)
        }
    }

    @Test(arguments: [
        ("10.1.2.3", "10.1.2.3"), ("::ffff:10.1.2.3", "10.1.2.3"), ("::ffff:10.1.2.4", "10.1.2.4"),
        ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2"), ("2001:db8:1:2::9", "20:1:d:b8:0:1:0:2"),
    ])
    func `addresses are told apart whole, those of IPv6 by their network`(address: String, network: String) throws {
        #expect(try SocketAddress(ipAddress: address, port: 0).network == network)
    }

    @Test func `a bucket gives back one after the other, and never more than it holds`() {
        let limit = RateLimit(RatePolicy(quota: 4, window: .seconds(8)))
        let standings = (0..<6).map { _ in limit.count("a", at: .seconds(100)) }
        #expect(standings.map(\.remaining) == [3, 2, 1, 0, 0, 0])
        #expect(standings.map(\.wait) == [nil, nil, nil, nil, .seconds(2), .seconds(2)])
        #expect(limit.count("a", at: .seconds(102)).wait == nil)
        #expect(limit.count("a", at: .seconds(102)).wait == .seconds(2))
        let later = limit.count("a", at: .seconds(1_000))
        #expect(later.remaining == 3)
        #expect(later.reset == .seconds(2))
        #expect(limit.count("b", at: .seconds(100)).remaining == 3)
    }

    @Test func `no more names are told apart than there is room for`() {
        let limit = RateLimit(RatePolicy(quota: 1, window: .seconds(8)), capacity: 10)
        for number in 0..<100 { #expect(limit.count("\(number)", at: .seconds(1)).wait == nil) }
        #expect(limit.count("99", at: .seconds(1)).wait == .seconds(8))
    }

    // MARK: The file of tokens

    @Test func `a token is kept as a digest, and the file is read as it was written`() throws {
        var random = SystemRandomNumberGenerator()
        let (token, secret) = try AccessToken.generate(
            name: "branch-1",
            scopes: [.submit, .read],
            expiresAt: Date(timeIntervalSince1970: 2_000_000_000),
            now: Date(timeIntervalSince1970: 1_000_000_000.7),
            using: &random
        )
        #expect(secret.reveal().wholeMatch(of: /idcp_[A-Za-z0-9_-]{43}/) != nil)
        let content = try AccessToken.content(of: [token])
        #expect(!String(decoding: content, as: UTF8.self).contains(secret.reveal()))
        #expect(try AccessToken.tokens(in: content) == [token])
        #expect(token.digest == AccessToken.digest(of: secret.reveal()))
    }

    @Test(arguments: [
        "", "a b", "local", "样本", String(repeating: "n", count: 65), "11010519491231002X", "li.11010519491231002x",
    ])
    func `a token's name is a plain one, not that of local inputs, and without an identity number`(name: String) {
        var random = SystemRandomNumberGenerator()
        let error = #expect(throws: CodedError.self) {
            try AccessToken.generate(name: name, scopes: [.read], now: Date(), using: &random)
        }
        #expect(error?.code.rawValue == "token_invalid")
    }

    @Test func `a file that holds a token twice, or something else, is refused`() throws {
        let token = ServerHarness.token("a", [.read])
        let person = ServerHarness.token("11010519491231002X", [.read])
        let bad = [
            Data(), Data("{}".utf8), try AccessToken.content(of: [token, token]), try AccessToken.content(of: [person]),
        ]
        for content in bad {
            let error = #expect(throws: CodedError.self) { try AccessToken.tokens(in: content) }
            #expect(error?.kind == .configuration)
            #expect(error?.message.text().contains("11010519491231002X") == false)
        }
    }
}
