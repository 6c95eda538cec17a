import CardModel
import CardStore
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import CardServer

/// Who may do what: every operation with no token and with a token of each scope, on an own card and on another's.
@Suite(.timeLimit(.minutes(5))) struct AuthorityTests {
    /// What one operation is asked, by which scopes, and how it answers those that may.
    struct Probe: Sendable, CustomTestStringConvertible {
        var operation: APIOperation
        var query = ""
        var body: String?
        /// The scopes that reach own cards, and those that reach all.
        var own: [TokenScope]
        var all: [TokenScope]
        /// The scopes that see own cards without doing this to them: another's is not there for them.
        var see: [TokenScope] = []
        /// The status where it may be done.
        var status: Int

        var testDescription: String { "\(self.operation.method) \(self.operation.path)\(self.query)" }

        /// The status for a token of one scope, or none.
        func expected(_ scope: TokenScope?, isOwn: Bool) -> Int {
            guard let scope else { return 401 }
            if self.all.contains(scope) || isOwn && self.own.contains(scope) { return self.status }
            return self.own.contains(scope) || !isOwn && self.see.contains(scope) ? 404 : 403
        }
    }

    // A card that waits for its preparation can be neither retried nor resolved: 409 says that one was let in.
    static let probes = [
        Probe(operation: .submitCard, own: [], all: [.submit, .operate], status: 415),
        Probe(operation: .listCards, own: [.read], all: [.read, .review, .audit, .operate], status: 200),
        Probe(operation: .listCases, own: [.read], all: [.read, .review, .audit, .operate], status: 200),
        Probe(operation: .showCard, own: [.read], all: [.review, .audit, .operate], see: [.reveal], status: 200),
        Probe(operation: .showCard, query: "?reveal=true", own: [.reveal], all: [.operate], see: [.read], status: 200),
        Probe(operation: .showImage, own: [.reveal], all: [.operate], see: [.read], status: 200),
        Probe(operation: .retryCard, body: "{}", own: [], all: [.review, .operate], status: 409),
        Probe(operation: .resolveCard, body: #"{"as":"accept"}"#, own: [], all: [.review, .operate], status: 409),
        Probe(operation: .dropFourEyes, body: "{}", own: [], all: [.operate], status: 422),
        Probe(operation: .eraseCard, own: [.erase], all: [.operate], status: 200),
        Probe(operation: .startRun, body: #"{"source":"none"}"#, own: [], all: [.run, .operate], status: 422),
        Probe(operation: .listRuns, own: [], all: [.run, .operate], status: 200),
        Probe(operation: .showRun, own: [], all: [.run, .operate], status: 404),
        Probe(operation: .metrics, own: [], all: [.read, .operate], status: 200),
    ]

    @Test func `every operation with a token is asked for`() {
        let asked = Set(Self.probes.map { "\($0.operation.method) \($0.operation.path)" })
        for operation in APIOperation.all {
            guard case .token = operation.access else { continue }
            #expect(asked.contains("\(operation.method) \(operation.path)"), "\(operation.path)")
        }
    }

    private func with(
        _ scopes: [(String, Set<TokenScope>)] = TokenScope.allCases.map { ($0.rawValue, [$0]) },
        _ body: (ServerHarness) async throws -> Void
    ) async throws {
        let tokens = scopes.map { ServerHarness.token($0.0, $0.1) }
        try await ServerHarness.with({ $0.tokens = { tokens } }, body)
    }

    @Test(arguments: probes)
    func `each scope reaches what the table says, and nothing else`(probe: Probe) async throws {
        try await self.with { harness in
            for scope in [nil] + TokenScope.allCases {
                for isOwn in [true, false] {
                    let id = try await harness.admit(of: isOwn ? scope?.rawValue ?? "own" : "another")
                    let path = probe.operation.path.replacing("{card_id}", with: id.rawValue)
                    var request = RawRequest(
                        probe.operation.method.rawValue,
                        path + probe.query,
                        token: scope?.rawValue,
                        headers: [("Card-Why", "ticket")]
                    )
                    if let body = probe.body {
                        request = .json(probe.operation.method.rawValue, path, token: scope?.rawValue, body)
                    }
                    let answer = try await harness.send(request)
                    let who = "\(scope?.rawValue ?? "nobody") \(isOwn ? "own" : "another's")"
                    #expect(answer.status == probe.expected(scope, isOwn: isOwn), "\(who)")
                    guard answer.status == 403, let scope, case .token(let scopes) = probe.operation.access,
                        !scopes.contains(scope)
                    else { continue }
                    let names = scopes.map(\.rawValue).joined(separator: " ")
                    #expect(answer.problem == "403 scope_missing", "\(who)")
                    #expect(answer["www-authenticate"]?.contains("scope=\"\(names)\"") == true, "\(who)")
                }
            }
            let path = probe.operation.path.replacing("{card_id}", with: "x")
            let wrong = RawRequest(probe.operation.method.rawValue, path + probe.query, token: "wrong")
            #expect(try await harness.send(wrong).problem == "401 unauthorized")
        }
    }

    @Test func `a list holds own cards alone, but for those who review and audit`() async throws {
        try await self.with { harness in
            for scope in [TokenScope.read, .review, .audit, .operate] { try await harness.admit(of: scope.rawValue) }
            for scope in [TokenScope.read, .review, .audit, .operate] {
                let list = try await harness.send(RawRequest("GET", "/v1/cards", token: scope.rawValue))
                #expect((list.json["cards"] as? [Any])?.count == (scope == .read ? 1 : 4), "\(scope)")
            }
        }
    }

    @Test func `who audits and reveals sees what is personal of own cards only`() async throws {
        try await self.with([("clerk", [.audit, .reveal])]) { harness in
            for (submitter, status) in [("clerk", 200), ("another", 403)] {
                let id = try await harness.admit(of: submitter)
                let target = "/v1/cards/\(id)?reveal=true"
                let request = RawRequest("GET", target, token: "clerk", headers: [("Card-Why", "ticket")])
                #expect(try await harness.send(request).status == status)
            }
        }
    }

    @Test func `another submitter's same bytes are refused without an id, and leave nothing`() async throws {
        try await self.with([("one", [.submit]), ("other", [.submit, .read])]) { harness in
            let image = Specimen.jpeg("front")
            let first = try await harness.send(.image(image, token: "one", businessNumber: "CASE-1"))
            let id = try #require(first.json["card_id"] as? String)
            var again = RawRequest.image(image, token: "other", businessNumber: "CASE-1")
            again.headers.append(("Idempotency-Key", "\"key-1\""))
            for _ in 1...2 {
                let refused = try await harness.send(again)
                #expect(refused.problem == "409 submitter_conflict")
                #expect(!refused.text.contains(id) && refused["location"] == nil)
            }
            #expect(try await harness.cards().map(\.id.rawValue) == [id])
            // No receipt stayed: the name of the request is free for another image.
            var new = RawRequest.image(Specimen.jpeg("new"), token: "other", businessNumber: "CASE-2")
            new.headers.append(("Idempotency-Key", "\"key-1\""))
            #expect(try await harness.send(new).status == 202)
        }
    }

    @Test func `a stranger's photo keeps out no photo of the one whose number it is`() async throws {
        try await self.with([("owner", [.submit]), ("stranger", [.submit])]) { harness in
            _ = try await harness.send(.image(Specimen.jpeg("back"), token: "owner", businessNumber: "CASE-1"))
            let image = Specimen.jpeg("front")
            for (token, state) in [("stranger", "held"), ("owner", "prepared")] {
                let request = RawRequest.image(image, token: token, businessNumber: "CASE-1")
                #expect(try await harness.send(request).json["state"] as? String == state)
            }
            let again = RawRequest.image(image, token: "stranger", businessNumber: "CASE-1")
            #expect(try await harness.send(again).problem == "409 submitter_conflict")
            #expect(try await harness.cards().map(\.submitter) == ["owner", "stranger", "owner"])
        }
    }

    // MARK: Revealing

    @Test func `a reveal needs a purpose; refused ones are lines of the log, too`() async throws {
        try await self.with([("clerk", [.reveal]), ("reader", [.read])]) { harness in
            let own = try await harness.admit(of: "clerk")
            let anothers = try await harness.admit(of: "another")
            func reveal(_ id: CardID, _ token: String, _ why: String?) async throws -> RawResponse {
                let headers = why.map { [("Card-Why", $0)] } ?? []
                let target = "/v1/cards/\(id)?reveal=true"
                return try await harness.send(RawRequest("GET", target, token: token, headers: headers))
            }
            #expect(try await reveal(own, "clerk", nil).problem == "422 field_invalid")
            #expect(try await reveal(own, "clerk", "%20").problem == "422 field_invalid")
            #expect(try await reveal(own, "clerk", "ticket 1").status == 200)
            #expect(try await reveal(anothers, "clerk", "ticket 2").status == 404)
            #expect(try await reveal(own, "reader", "ticket 3").status == 404)
            let lines = try await self.log(harness).map { "\($0.action) \($0.subject ?? "") \($0.purpose)" }
            let denied = ["reveal_denied clerk not given", "reveal_denied reader not given"]
            #expect(lines == ["reveal clerk ticket 1"] + denied)
        }
    }

    @Test func `reveals have a quota, which does not bind operate`() async throws {
        try await self.with([("clerk", [.reveal]), ("operator", [.operate])]) { harness in
            let limit = RateLimit(RatePolicy(quota: 2, window: .seconds(3_600)))
            let routes = CardRoutes(ports: harness.server.ports, reveals: limit)
            for (name, allowed) in [("clerk", 2), ("operator", 3)] {
                let id = try await harness.admit(of: name)
                let caller = ServerHarness.token(name, name == "clerk" ? [.reveal] : [.operate]).caller
                let origin = try AccessOrigin(caller, actor: name, purpose: "ticket")
                var count = 0
                for _ in 1...3 where (try? await routes.reveal(id, to: origin, hasPurpose: true)) != nil { count += 1 }
                #expect(count == allowed)
            }
            #expect(try await self.log(harness).count { $0.action == "reveal_denied" } == 1)
        }
    }

    @Test func `an identity number as purpose or reason is refused, and stands in no line`() async throws {
        try await self.with([("operator", [.operate])]) { harness in
            let id = try await harness.admit(of: "operator")
            let number = "110105-19491231-002X"
            let purpose = [("Card-Why", "asked by \(number)".replacing(" ", with: "%20"))]
            let reason = [("Card-Reason", number.replacing("-", with: "_"))]
            let requests = [
                RawRequest("GET", "/v1/cards/\(id)?reveal=true", token: "operator", headers: purpose),
                RawRequest("DELETE", "/v1/cards/\(id)", token: "operator", headers: purpose),
                RawRequest("DELETE", "/v1/cards/\(id)", token: "operator", headers: reason),
                .json("POST", "/v1/cards/\(id)/retry", token: "operator", #"{"why":"\#(number)"}"#),
                .json("POST", "/v1/cards/\(id)/resolve", token: "operator", #"{"as":"reject","why":"\#(number)"}"#),
            ]
            for request in requests { #expect(try await harness.send(request).status == 422) }
            #expect(try await self.log(harness).isEmpty)
        }
    }

    @Test func `only who may see a name is told that a purpose holds it`() async throws {
        let tokens = [("desk", [TokenScope.submit]), ("reviewer", [.review]), ("both", [.review, .reveal])]
        try await ServerHarness.with(
            { $0.tokens = { tokens.map { ServerHarness.token($0.0, Set($0.1)) } } },
            isWorking: true
        ) { harness in
            let sent = try await harness.send(.image(Specimen.jpeg("front"), token: "desk"))
            let id = try #require(sent.json["card_id"] as? String)
            await harness.intake.ends.wait(for: 1)
            for (token, problem) in [("reviewer", "409 change_refused"), ("both", "422 purpose_personal")] {
                let body = #"{"why":"a call of 样 本 甲"}"#
                let request = RawRequest.json("POST", "/v1/cards/\(id)/retry", token: token, body)
                #expect(try await harness.send(request).problem == problem)
            }
        }
    }

    private func log(_ harness: ServerHarness) async throws -> [AccessRecord] {
        var all: [AccessRecord] = []
        try await harness.store.listings.exportAccessLog(to: AccessOrigin(actor: "test"), now: Timestamp(Date())) {
            all += $0
        }
        return all.filter { $0.actor != "test" }
    }
}
