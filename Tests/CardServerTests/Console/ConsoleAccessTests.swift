import CardModel
import CardStore
import HTTPTypes
import TestSupport
import Testing

@testable import CardServer

/// Who sees which page: every route with no session and with a token of each scope, on an own card and on another's.
@Suite(.timeLimit(.minutes(5))) struct ConsoleAccessTests {
    struct Probe: Sendable, CustomTestStringConvertible {
        var route: ConsoleRoute
        var query = ""
        var fields: [String: String] = [:]
        /// The scopes that reach own cards, and those that reach all.
        var own: [TokenScope] = []
        var all: [TokenScope] = []
        /// The scopes that see own cards without doing this to them: another's is not there for them.
        var see: [TokenScope] = []
        /// The status where it may be done.
        var status = 200

        var testDescription: String { "\(self.route.method) \(self.route.path)" }

        func expected(_ scope: TokenScope?, isOwn: Bool) -> Int {
            switch self.route.access {
            case .asset, .open: return self.status
            case .session, .scopes: break
            }
            guard let scope else { return 303 }
            // Whoever has no overview is led to a page of theirs.
            if self.route == .overview { return self.all.contains(scope) ? 200 : 303 }
            if case .session = self.route.access { return self.status }
            if self.all.contains(scope) || isOwn && self.own.contains(scope) { return self.status }
            return self.own.contains(scope) || !isOwn && self.see.contains(scope) ? 404 : 403
        }
    }

    private static let viewers: [TokenScope] = [.review, .audit, .operate]

    static let probes = [
        Probe(route: .home, status: 303),
        Probe(route: .styles), Probe(route: .script),
        Probe(route: .signOut, status: 303), Probe(route: .settings, fields: ["language": "zh"], status: 303),
        Probe(route: .overview, all: [.review, .audit, .run, .operate]),
        Probe(route: .cases, all: viewers + [.read]), Probe(route: .cards, all: viewers + [.read]),
        Probe(route: .casesAsCSV, all: viewers + [.read]), Probe(route: .casesAsWorkbook, all: viewers + [.read]),
        Probe(route: .review, all: [.review, .operate]),
        Probe(route: .beginReview, fields: ["purpose": "T-1"], all: [.review, .operate], status: 303),
        Probe(route: .nextCase, fields: ["tab": "a"], all: [.review, .operate], status: 303),
        Probe(route: .undoDecision, fields: ["tab": "a"], all: [.review, .operate], status: 422),
        Probe(route: .decide, fields: ["action": "x"], all: [.review, .operate], status: 422),
        Probe(route: .intakeForm, all: [.submit, .operate]),
        Probe(route: .intake, all: [.submit, .operate], status: 415),
        Probe(route: .log, all: [.audit, .operate]),
        Probe(route: .oneCase, query: "?no={card_id}", own: [.read], all: viewers),
        Probe(route: .reveal, fields: ["purpose": "T-1"], all: [.operate], see: [.read]), Probe(route: .icon),
        Probe(route: .card, own: [.read], all: viewers),
    ]

    @Test func `every route is asked for`() {
        let asked = Set(Self.probes.map(\.route)).union([.signInForm, .signIn])
        #expect(asked == Set(ConsoleRoute.all))
    }

    /// Sends one token for each scope, and a session with each.
    static func with(_ body: (ServerHarness) async throws -> Void) async throws {
        let tokens = TokenScope.allCases.map { ServerHarness.token($0.rawValue, [$0]) }
        try await ServerHarness.with(
            {
                $0.tokens = { () throws(CodedError) in tokens }
                // None of them comes back while a test takes long.
                $0.failureRate = RatePolicy(quota: 20, window: .seconds(36_000))
            },
            body
        )
    }

    @Test(arguments: probes)
    func `each scope sees what the table says, and nothing else`(probe: Probe) async throws {
        try await Self.with { harness in
            // A scope that opens no page has no session: its token is refused at the door.
            let scopes = TokenScope.allCases.filter { scope in
                Console.home(of: Caller(subject: "x", scopes: [scope])) != nil
            }
            for scope in [nil] + scopes {
                for isOwn in [true, false] {
                    let submitter = isOwn ? scope?.rawValue ?? "own" : "another"
                    let id = try await harness.admit(of: submitter)
                    // The business number is the same.
                    let target = (probe.route.path + probe.query).replacing("{card_id}", with: id.rawValue)
                    var visitor = ConsoleVisitor(harness)
                    if let scope { visitor = try await ConsoleVisitor(harness, as: scope.rawValue) }
                    let answer =
                        probe.route.method == .get
                        ? try await visitor.get(target, headers: [("Accept", "text/html")])
                        : try await visitor.post(target, KeyValuePairs(probe.fields))
                    let who = "\(scope?.rawValue ?? "nobody") \(isOwn ? "own" : "another's")"
                    #expect(answer.status == probe.expected(scope, isOwn: isOwn), "\(who): \(answer.page.prefix(900))")
                    if scope == nil, answer.status == 303, probe.route != .home {
                        #expect(answer["location"] == "/console/sign-in")
                    }
                }
            }
        }
    }

    @Test(arguments: [TokenScope.reveal, .erase])
    func `a token without a page does not sign in`(scope: TokenScope) async throws {
        try await Self.with { harness in
            let answer = try await ConsoleVisitor(harness).post("/console/sign-in", ["token": scope.rawValue])
            #expect(answer.status == 403 && answer["set-cookie"] == nil)
        }
    }

    @Test func `a wrong token gets the form again, and too many wrong ones wait`() async throws {
        try await Self.with { harness in
            let answer = try await ConsoleVisitor(harness).post("/console/sign-in", ["token": "wrong"])
            #expect(answer.status == 401 && answer["set-cookie"] == nil && answer.page.contains("type=\"password\""))
            for _ in 0..<20 { _ = try await ConsoleVisitor(harness).post("/console/sign-in", ["token": "wrong"]) }
            let late = try await ConsoleVisitor(harness).post("/console/sign-in", ["token": "wrong"])
            #expect(late.status == 429 && late["retry-after"] != nil)
            // Behind a proxy all have one address.
            let right = try await ConsoleVisitor(harness).post("/console/sign-in", ["token": "review"])
            #expect(right.status == 303)
        }
    }

    @Test func `who sends no photo by hand is asked for one`() async throws {
        try await Self.with { harness in
            let visitor = try await ConsoleVisitor(harness, as: "submit")
            // A browser sends a file without a name and bytes where none was chosen.
            let form = HandWrittenForm(
                boundary: "specimen",
                parts: [("business_no", nil), ("front", ""), ("back", "")].map {
                    HandWrittenForm.Part(name: $0.0, filename: $0.1, body: $0.1 == nil ? Array("N".utf8) : [])
                }
            )
            let answer = try await visitor.send(form, to: "/console/intake")
            #expect(answer.status == 422 && answer.page.contains("Choose a photo of the front"))
        }
    }

    @Test func `a token that is revoked ends its session at the next click`() async throws {
        let tokens = ServerHarness.Mutexed([ServerHarness.token("li.na", [.review])])
        try await ServerHarness.with({ $0.tokens = { () throws(CodedError) in tokens.withLock(\.self) } }) { harness in
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            #expect(try await visitor.get("/console/cards").status == 200)
            tokens.withLock { $0 = [] }
            let answer = try await visitor.get("/console/cards")
            #expect(answer.status == 303 && answer["location"] == "/console/sign-in")
            tokens.withLock { $0 = [ServerHarness.token("li.na", [.review])] }
            #expect(try await visitor.get("/console/cards").status == 303, "the session is gone, not asleep")
        }
    }

    /// Where a request says it comes from, and whether it may change something.
    static let sources: [([(String, String)], Bool)] = [
        ([("Sec-Fetch-Site", "same-origin")], true), ([("Sec-Fetch-Site", "same-site")], false),
        ([("Sec-Fetch-Site", "cross-site")], false), ([("Sec-Fetch-Site", "none")], false),
        ([("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")], false),
        ([("Sec-Fetch-Site", "cross-site"), ("Origin", "http://localhost")], false),
        ([("Origin", "http://localhost")], true), ([("Origin", "https://LOCALHOST")], true),
        ([("Origin", "http://localhost:81")], false), ([("Origin", "http://localhost.example.com")], false),
        ([("Origin", "null")], false), ([("Origin", "")], false), ([], false),
        ([("Origin", "http://localhost"), ("Origin", "http://evil.example.com")], false),
    ]

    @Test(arguments: sources.indices)
    func `what does not surely come from our own pages changes nothing`(index: Int) async throws {
        let (headers, isOurs) = Self.sources[index]
        try await Self.with { harness in
            let visitor = try await ConsoleVisitor(harness, as: "review")
            let answer = try await visitor.post("/console/settings", ["language": "zh"], from: headers)
            #expect(answer.status == (isOurs ? 303 : 403))
            let page = try await visitor.get("/console/cards", headers: [("Accept-Language", "en")]).page
            #expect(page.contains("<html lang=\"zh-Hans\"") == isOurs)
        }
    }

    @Test func `what everybody may keep carries no session, and a program gets no page for the root`() async throws {
        try await Self.with { harness in
            let visitor = try await ConsoleVisitor(harness, as: "review")
            for path in ["console.css", "console.js", "icon.svg"] {
                let answer = try await visitor.get("/console/\(path)")
                #expect(answer["set-cookie"] == nil && answer["cache-control"]?.hasPrefix("public") == true, "\(path)")
            }
            #expect(try await visitor.get("/")["content-type"] == "application/problem+json")
            #expect(try await visitor.get("/console/sign-out")["allow"] == "POST")
        }
    }

    @Test func `a list of cases is downloaded with its filters and in the language of the page`() async throws {
        try await Self.with { harness in
            for submitter in ["read", "other"] { _ = try await harness.admit(of: submitter) }
            let own = try await ConsoleVisitor(harness, as: "read")
            _ = try await own.post("/console/settings", ["language": "zh", "back": "/console/cases"])
            let answer = try await own.get("/console/cases.csv?state=in_progress")
            #expect(answer["content-disposition"] == "attachment; filename=\"cases.csv\"")
            #expect(answer["cache-control"] == "no-store")
            let lines = answer.text.split(whereSeparator: \.isNewline)
            #expect(lines.count == 2 && lines[0].hasPrefix("\u{FEFF}业务编号,状态"), "\(lines)")
            #expect(
                try await own.get("/console/cases.csv?state=complete").text.split(whereSeparator: \.isNewline).count
                    == 1
            )
            let all = try await ConsoleVisitor(harness, as: "review")
            #expect(try await all.get("/console/cases.csv").text.split(whereSeparator: \.isNewline).count == 3)
            #expect(
                try await all.get("/console/cases.csv?mine=true").text.split(whereSeparator: \.isNewline).count == 1
            )
            #expect(try await all.get("/console/cases?to_bring=x").status == 422)
            let workbook = try await all.get("/console/cases.xlsx")
            #expect(workbook["content-type"]?.hasSuffix("spreadsheetml.sheet") == true)
            #expect(workbook.body.starts(with: "PK".utf8))
            #expect(try await all.get("/console/cases").page.contains("/console/cases.xlsx"))
        }
    }

    @Test func `the language changes on the page where it is changed, and a filter takes spaces`() async throws {
        try await Self.with { harness in
            let visitor = try await ConsoleVisitor(harness, as: "review")
            let page = try await visitor.get("/console/cases?business_no=A+%2B+1&state=").page
            #expect(page.contains("value=\"A + 1\""))
            #expect(page.contains("name=\"back\" value=\"/console/cases?business_no=A+%2B+1&amp;state=\""))
            let fields: KeyValuePairs = ["language": "zh", "back": "/console/cases?business_no=A+%2B+1&state="]
            let answer = try await visitor.post("/console/settings", fields)
            #expect(answer["location"] == "/console/cases?business_no=A+%2B+1&state=")
            for back in ["//evil.example.com", "https://evil.example.com/console", "/consoles"] {
                let answer = try await visitor.post("/console/settings", ["language": "zh", "back": back])
                #expect(answer["location"] == "/console", "\(back)")
            }
        }
    }

    @Test func `a trouble is in the language of whoever asks, however short ago another one asked`() async throws {
        try await ServerHarness.with({ $0.intakeFreeSpace = .max }) { harness in
            let visitor = try await ConsoleVisitor(harness, as: "operator")
            for (language, words) in [("en", "is nearly full"), ("zh", "磁盘"), ("en", "is nearly full")] {
                let page = try await visitor.get("/console", headers: [("Accept-Language", language)]).page
                let trouble = try #require(page.firstMatch(of: /<p class="trouble critical">.*?<\/p>/)).output
                #expect(trouble.contains("disk_space_low") && trouble.contains(words), "\(trouble)")
            }
        }
    }

    @Test func `of several cookies of one name the known one counts, and to a program the root is no path`()
        async throws
    {
        try await ServerHarness.with { harness in
            var visitor = try await ConsoleVisitor(harness, as: "operator")
            let cookie = try #require(visitor.cookie)
            let name = try #require(cookie.split(separator: "=").first)
            #expect(name == "idcard-0", "it names the port that is configured")
            visitor.cookie = "\(name)=gone.1; \(cookie); idcard=other.2"
            #expect(try await visitor.get("/console").status == 200)
            let root = try await harness.send(RawRequest("GET", "/", headers: [("Accept", "application/json")]))
            #expect(root.problem == "404 not_found" && root["allow"] == nil)
        }
    }

    @Test func `the API takes no cookie`() async throws {
        try await Self.with { harness in
            let visitor = try await ConsoleVisitor(harness, as: "review")
            #expect(try await visitor.get("/v1/cards").status == 401)
        }
    }

    @Test func `an answer keeps caches, frames, scripts and other pages out, and its cookie changes`() async throws {
        try await Self.with { harness in
            let visitor = try await ConsoleVisitor(harness, as: "review")
            let first = try await visitor.get("/console/cards")
            #expect(first["cache-control"] == "no-store" && first["referrer-policy"] == "same-origin")
            let policy = try #require(first["content-security-policy"])
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("data:") && !policy.contains("unsafe"))
            let cookie = try #require(first["set-cookie"])
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/"))
            for (scheme, isSecure) in ["http": false, "https": true] {
                let answer = try await visitor.get("/console/cards", headers: [("X-Forwarded-Proto", scheme)])
                #expect(!cookie.contains("Secure") && answer["set-cookie"]?.contains("; Secure") == isSecure)
            }
            #expect(try await visitor.get("/console/cards")["set-cookie"] != cookie)
            #expect(try await visitor.get("/console/nothing").status == 404)
            #expect(try await visitor.get("/console/nothing")["content-type"] == "text/html; charset=utf-8")
        }
    }
}

extension KeyValuePairs<String, String> {
    fileprivate init(_ fields: [String: String]) {
        self = fields.first.map { [$0.key: $0.value] } ?? [:]
    }
}
