import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

/// Decisions on pages, over HTTP and by command, of two services of one sandbox: one was told of four eyes, one was not.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ThreeDoorsTests {
    @Test func `no one decides alone, whatever the action, the door and the process`() async throws {
        try await Doors.open { doors in
            for row in Row.all {
                let card = try await doors.submit(.front(1, serial: row.serial), "\(row.action)")
                try await doors.wait(for: card, row.start)
                // Again and again: by each service, and by all doors that this person has.
                for service in [1, 0] {
                    for door in row.first == .command ? [.command] : [row.first, .http, .page] {
                        try await doors.decide(row.action, card, by: door, service)
                    }
                }
                #expect(try await doors.decisions(about: card) == [], "\(row.action)")
                #expect(try await doors.state(card) == row.start)
                try await doors.decide(row.action, card, by: row.second, as: "wang.wei", 1)
                if let end = row.end { try await doors.wait(for: card, end) }
                #expect(try await doors.decisions(about: card).count == 1, "\(row.action)")
            }
            #expect(doors.backend.accepted.count { $0["BUSINESSNO"] == "delivered" } == 0)
            let posts = doors.backend.requests.filter { PostedForm($0)["BUSINESSNO"] == "resend" }
            #expect(posts.count == 2 && Set(posts.map { $0.header("Idempotency-Key") }).count == 1)
        }
    }

    @Test func `nothing is sent against a person's word, and nothing else than was accepted`() async throws {
        try await Doors.open { doors in
            var rejected: [String] = []
            var erased: [String] = []
            for door in Door.allCases {
                let back = try await doors.submit(.back(1), "back-\(door)")
                try await doors.wait(for: back, "verified front_missing")
                try await doors.decide(.reject, back, by: door, 1)
                let named = try await doors.submit(.front(1, serial: 9), "name-\(door)")
                try await doors.wait(for: named, "held legality_unavailable")
                try await doors.decide(.reject, named, by: door, 1)
                let account = try await doors.submit(.front(1, serial: 9), "user-\(door)")
                try await doors.wait(for: account, "held legality_unavailable")
                try await doors.decide(.accept, account, by: door, 1)
                rejected += [back, named]
                // What comes meanwhile.
                let front = try await doors.submit(.front(1), "back-\(door)")
                try await doors.wait(for: front, "delivered")
                for (card, number, fields) in [
                    (named, "name-\(door)", ["expected_name": MarkedHolder(1).name]),
                    (account, "user-\(door)", ["user_no": "U-2"]),
                ] {
                    let answer = try await doors.post(.front(1, serial: 9), number, fields)
                    #expect(answer.status == 409 && answer.text.contains(card), "\(answer.text)")
                }
                let second = door == .http ? Door.command : .http
                for card in [back, named] { try await doors.decide(.reject, card, by: second, as: "wang.wei", 0) }
                try await doors.decide(.accept, account, by: second, as: "wang.wei", 0)
                try await doors.wait(for: account, "delivered")
            }
            for door in [Door.http, .command] {
                let back = try await doors.submit(.back(1), "erase-\(door)")
                try await doors.wait(for: back, "verified front_missing")
                try await doors.decide(.erase, back, by: door, 1)
                let front = try await doors.submit(.front(1), "erase-\(door)")
                try await doors.wait(for: front, "delivered")
                try await doors.decide(.erase, back, by: door == .http ? .command : .http, as: "wang.wei", 0)
                erased.append(back)
            }
            for card in rejected { #expect(try await doors.state(card) == "rejected rejected_by_operator") }
            for card in erased { #expect(try await doors.state(card) == "erased requested") }
            let forms = doors.backend.accepted
            #expect(forms.allSatisfy { $0["DOCTYPE"] == "IDCARD_FRONT_APP" && $0["USERNO"] == "U-1" })
            let numbers = ["back-page", "user-page", "back-http", "user-http", "back-command", "user-command"]
            #expect(forms.compactMap { $0["BUSINESSNO"] } == numbers + ["erase-http", "erase-command"])
        }
    }

    /// An action, through which door the first person wants it and the second, and where the card stands.
    private struct Row {
        let action: DecisionAction
        let first: Door
        let second: Door
        /// Photos with the serial 9 are held since nothing is said of their legality.
        let serial: UInt8
        let start: String
        /// `nil` where it stands as before.
        let end: String?

        static let all = [
            Row(.accept, .http, .page, 9, "held legality_unavailable", "delivered"),
            Row(.reject, .command, .http, 9, "held legality_unavailable", "rejected rejected_by_operator"),
            Row(.retry, .page, .http, 9, "held legality_unavailable", nil),
            Row(.delivered, .page, .command, 0, "held outcome_unknown", "delivered"),
            Row(.resend, .command, .page, 0, "held outcome_unknown", "delivered"),
            Row(.erase, .http, .command, 9, "held legality_unavailable", "erased requested"),
        ]

        init(
            _ action: DecisionAction,
            _ first: Door,
            _ second: Door,
            _ serial: UInt8,
            _ start: String,
            _ end: String?
        ) {
            (self.action, self.first, self.second) = (action, first, second)
            (self.serial, self.start, self.end) = (serial, start, end)
        }
    }
}

/// How a person decides. By command that is the user of this test.
private enum Door: CaseIterable { case page, http, command }

/// Two services of one sandbox, and the command line beside them.
private struct Doors {
    let tool: Tool
    let backend: ScriptedBackend
    /// Without the list.
    let file: [String]
    /// One with the list of actions, one without.
    let services: [Service]
    let tokens: [String: String]

    static func open(_ body: (Doors) async throws -> Void) async throws {
        let tool = try Tool()
        var tokens: [String: String] = [:]
        for name in ["desk", "li.na", "wang.wei"] {
            let scopes = name == "desk" ? ["submit", "read"] : ["review", "erase"]
            let added = try await tool.run(["tokens", "add", name, "--scope"] + scopes, ends: 0)
            tokens[name] = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let verifier = MarkVerifier { photo in photo.serial == 9 ? Self.withoutLegality(photo) : nil }
        let lost = Mutex<Set<String>>([])
        let backend = ScriptedBackend { form in
            let number = form["BUSINESSNO"] ?? ""
            let isLost = ["delivered", "resend"].contains(number) && lost.withLock { $0.insert(number).inserted }
            return isLost ? FaultReply("500 Internal Server Error") : nil
        }
        var plain = RemoteConfiguration()
        plain.more = ["on_unknown: hold", "front_wait: 0s"]
        // The test asks again and again where a card stands.
        plain.others = ["server.rate_limit: 1000000"]
        var listed = plain
        listed.others += ["review: {four_eyes: [accept, delivered, resend, reject, retry, erase]}"]
        try await verifier.serving { verifier in
            try await backend.serving { address in
                let list = try listed.write(for: tool, verifier: verifier, backend: address)
                try await tool.serve(list) { first, _ in
                    let file = try plain.write(for: tool, verifier: verifier, backend: address)
                    try await tool.serve(file) { second, _ in
                        let services = [first, second]
                        try await body(
                            Doors(tool: tool, backend: backend, file: file, services: services, tokens: tokens)
                        )
                    }
                }
            }
        }
    }

    private static func withoutLegality(_ photo: MarkedPhoto) -> FaultReply? {
        let bytes = Data(MarkDialect.faceIDv1.answer(about: photo).bytes)
        let body = (try? RawResponse.parse(bytes))??.0.json.filter { $0.key != "legality" }
        let text = body.flatMap { try? JSONSerialization.data(withJSONObject: $0) }
        return text.map { .json(String(decoding: $0, as: UTF8.self)) }
    }

    func submit(_ photo: MarkedPhoto, _ number: String) async throws -> String {
        let answer = try await self.post(photo, number)
        return try #require(answer["card_id"], "\(answer.text)")
    }

    func post(_ photo: MarkedPhoto, _ number: String, _ fields: [String: String] = [:]) async throws -> Service.Answer {
        let fields = fields.merging(["business_no": number]) { own, _ in own }
        return try await self.services[0].submit(photo, token: self.tokens["desk"] ?? "", fields: fields)
    }

    /// State and reason of a card.
    func state(_ card: String) async throws -> String {
        let answer = try await self.services[0].send("GET", "/v1/cards/\(card)", token: self.tokens["desk"])
        try #require(answer.status == 200, "\(answer.text)")
        let shown = answer.object["card"] as? [String: Any]
        return ["state", "reason"].compactMap { shown?[$0] as? String }.joined(separator: " ")
    }

    func wait(for card: String, _ expected: String) async throws {
        try await FolderNews.wait(in: self.tool.sandboxFolder) {
            try await self.state(card) == expected
        }
    }

    /// What was carried out about a card because persons decided it: who.
    func decisions(about card: String) async throws -> [String] {
        let log = try await self.tool.run(["cards", "log", "--card", card, "--format", "jsonl"] + self.file, ends: 0)
        let lines = log.lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        return lines.filter { ["resolve", "retry", "erase"].contains($0["action"] as? String) }
            .compactMap { $0["actor"] as? String }
    }

    func decide(
        _ action: DecisionAction,
        _ card: String,
        by door: Door,
        as person: String = "li.na",
        _ service: Int
    ) async throws {
        switch door {
        case .command:
            let command =
                switch action {
                case .retry: ["cards", "retry", card]
                case .erase: ["cards", "erase", card, "--yes"]
                default: ["cards", "resolve", card, "--as", "\(action)"]
                }
            try await self.tool.run(command + self.file, ends: 0)
        case .http:
            let (method, path) = action == .erase ? ("DELETE", "") : ("POST", action == .retry ? "/retry" : "/resolve")
            let body = path == "/resolve" ? Data(#"{"as": "\#(action)"}"#.utf8) : nil
            let headers = body == nil ? [:] : ["Content-Type": "application/json"]
            let answer = try await self.services[service].send(
                method,
                "/v1/cards/\(card)\(path)",
                token: self.tokens[person],
                headers: headers,
                body: body
            )
            #expect([200, 202].contains(answer.status), "\(action): \(answer.text)")
        // Pages name the command that erases.
        case .page where action == .erase: break
        case .page: try await self.decideOnPage(action, card, as: person, self.services[service])
        }
    }

    private func decideOnPage(_ action: DecisionAction, _ card: String, as person: String, _ service: Service)
        async throws
    {
        func send(_ method: String, _ path: String, _ body: String = "", cookie: String = "") async throws
            -> RawResponse
        {
            let headers = [
                ("Sec-Fetch-Site", "same-origin"), ("Cookie", cookie),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ]
            let request = RawRequest(method, path, headers: headers, body: Data(body.utf8))
            return try await RawConnection.answer(to: request, port: service.port)
        }
        let signedIn = try await send("POST", "/console/sign-in", "token=\(self.tokens[person] ?? "")")
        let cookie = String(try #require(signedIn["set-cookie"]).prefix { $0 != ";" })
        let page = try await send("GET", "/console/cards/\(card)", cookie: cookie).text
        let seen = try #require(page.firstMatch(of: /name="seen" value="([0-9]+)"/), "\(page)").1
        let effect =
            page.firstMatch(of: /name="effect" value="([0-9]+)"/).map { "&effect=\($0.1)&message=blurred" } ?? ""
        let fields = "action=\(action)&seen=\(seen)&sure=yes" + (action == .reject ? effect : "")
        let answer = try await send("POST", "/console/cards/\(card)/decide", fields, cookie: cookie)
        #expect(answer.status == 303, "\(action): \(answer.text)")
    }
}
