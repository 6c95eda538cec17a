import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardServer

/// Looking at cards, and deciding what becomes of them.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct CardTests {
    private static let (submit, read) = (ServerHarness.submit.reveal(), ServerHarness.read.reveal())
    private static let operate = ServerHarness.operate.reveal()

    /// Sends some cards in, and returns their ids.
    private func submit(_ count: Int, to harness: ServerHarness) async throws -> [String] {
        var ids: [String] = []
        for number in 1...count {
            let number = number
            let request = RawRequest.image(
                Specimen.jpeg(number),
                token: Self.submit,
                businessNumber: "CASE-\(number % 2)"
            )
            ids.append(try #require(try await harness.send(request).json["card_id"] as? String))
        }
        return ids
    }

    private func ids(_ response: RawResponse) -> [String] {
        (response.json["cards"] as? [[String: Any]] ?? []).compactMap { $0["card_id"] as? String }
    }

    @Test("A list is paged through by its cursor, in the order of intake, each card once")
    func pages() async throws {
        try await ServerHarness.with { (harness) async throws in
            let sent = try await self.submit(5, to: harness)
            var seen: [String] = []
            var cursor: String?
            var pages = 0
            repeat {
                let suffix = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await harness.send(RawRequest("GET", "/v1/cards?limit=2\(suffix)", token: Self.read))
                #expect(page.status == 200)
                seen += self.ids(page)
                cursor = page.json["next_cursor"] as? String
                pages += 1
            } while cursor != nil && pages < 10
            #expect(seen == sent)
            #expect(pages == 3)
        }
    }

    @Test("A list is narrowed by business number and state")
    func filters() async throws {
        try await ServerHarness.with { (harness) async throws in
            let sent = try await self.submit(3, to: harness)
            let odd = try await harness.send(RawRequest("GET", "/v1/cards?business_no=CASE-1", token: Self.read))
            #expect(self.ids(odd) == [sent[0], sent[2]])
            let held = try await harness.send(RawRequest("GET", "/v1/cards?state=held,failed", token: Self.read))
            #expect(self.ids(held).isEmpty)
            let received = try await harness.send(
                RawRequest("GET", "/v1/cards?state=held&state=received", token: Self.read)
            )
            #expect(self.ids(received).count == 3)
        }
    }

    @Test(
        "A parameter that is not known, or cannot be, is refused",
        arguments: [
            "colour=red", "limit=0", "limit=1001", "limit=x", "state=gone", "cursor=%21", "cursor=AAAA", "cursor=i-1",
            "cursor=i9999999999999999999", "business_no=",
            "limit=1&limit=2", "cursor=",
        ]
    )
    func parameters(query: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            let response = try await harness.send(RawRequest("GET", "/v1/cards?\(query)", token: Self.read))
            #expect(response.status == 422)
            #expect(response.code == "parameter_invalid")
        }
    }

    @Test("A card is shown without what is personal; revealing it needs the scope, and is written down")
    func show() async throws {
        try await ServerHarness.with { (harness) async throws in
            let id = try await self.submit(1, to: harness)[0]
            let plain = try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: Self.read))
            #expect(plain.status == 200)
            #expect((plain.json["card"] as? [String: Any])?["card_id"] as? String == id)
            #expect(plain.json["fields"] == nil)
            #expect(try await harness.store.accessLog(of: nil, after: 0, limit: 10).isEmpty)

            let refused = try await harness.send(RawRequest("GET", "/v1/cards/\(id)?reveal=true", token: Self.read))
            #expect(refused.status == 403)
            #expect(refused.code == "scope_missing")
            #expect(try await harness.store.accessLog(of: nil, after: 0, limit: 10).isEmpty)

            let request = RawRequest(
                "GET",
                "/v1/cards/\(id)?reveal=true",
                token: ServerHarness.all.reveal(),
                headers: [("Card-Why", "ticket%2012")]
            )
            #expect(try await harness.send(request).status == 200)
            let line = try #require(try await harness.store.accessLog(of: nil, after: 0, limit: 10).first)
            #expect(line.action == .show)
            #expect(line.origin.actor == "token:all GET /v1/cards/{card_id}")
            #expect(line.origin.purpose == "ticket 12")
        }
    }

    @Test("What was read from a card is revealed by its names, and only on demand")
    func reveal() async throws {
        try await ServerHarness.with { (harness) async throws in
            let id = try await self.submit(1, to: harness)[0]
            try await harness.judge(CardID(rawValue: id), name: "样本甲")
            let token = ServerHarness.all.reveal()
            let plain = try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: token))
            #expect(!plain.text.contains("样本甲"))
            let revealed = try await harness.send(RawRequest("GET", "/v1/cards/\(id)?reveal=true", token: token))
            #expect((revealed.json["fields"] as? [String: String])?["name"] == "样本甲")
            #expect(!harness.log.text.contains("样本甲"))
        }
    }

    @Test("What remote sides said of a card is shown only where it is revealed")
    func remoteWords() async throws {
        try await ServerHarness.with { (harness) async throws in
            let id = try await self.submit(1, to: harness)[0]
            try await harness.hold(CardID(rawValue: id))
            for token in [Self.read, ServerHarness.all.reveal()] {
                let plain = try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: token))
                #expect((plain.json["card"] as? [String: Any])?["reason"] as? String == "attempts_exhausted")
                #expect(plain.json["message"] == nil)
            }
            let request = RawRequest("GET", "/v1/cards/\(id)?reveal=true", token: ServerHarness.all.reveal())
            #expect(try await harness.send(request).json["message"] as? String == "specimen")
            let log = try await harness.store.accessLog(of: nil, after: 0, limit: 10)
            #expect(log.filter { $0.action == .show }.count == 1)
        }
    }

    @Test("A failed card is retried by whoever may, with the reason in the access log")
    func retry() async throws {
        try await ServerHarness.with { (harness) async throws in
            let id = try await self.submit(1, to: harness)[0]
            let early = try await harness.send(RawRequest("POST", "/v1/cards/\(id)/retry", token: Self.operate))
            #expect(early.status == 409)
            #expect(early.code == "change_refused")
            try await harness.hold(CardID(rawValue: id))
            let denied = try await harness.send(RawRequest("POST", "/v1/cards/\(id)/retry", token: Self.read))
            #expect(denied.status == 403)
            let request = RawRequest.json("POST", "/v1/cards/\(id)/retry", token: Self.operate, "{\"why\":\"again\"}")
            let response = try await harness.send(request)
            #expect(response.status == 200)
            #expect((response.json["cards"] as? [[String: Any]])?.first?["state"] as? String == "prepared")
            let line = try #require(try await harness.store.accessLog(of: nil, after: 0, limit: 10).last)
            #expect(line.action == .retry)
            #expect(line.origin.purpose == "again")
        }
    }

    @Test(
        "A decision is an object with a known word",
        arguments: [
            ("{\"as\":\"gone\"}", 422, "field_invalid"), ("{}", 422, "field_invalid"), ("{", 422, "json_invalid"),
            ("{\"as\":\"reject\",\"colour\":\"red\"}", 422, "field_unknown"), ("[]", 422, "json_invalid"),
            ("{\"as\":\"accept\"}", 409, "change_refused"),
        ]
    )
    func resolve(body: String, status: Int, code: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            let id = try await self.submit(1, to: harness)[0]
            let response = try await harness.send(
                .json("POST", "/v1/cards/\(id)/resolve", token: Self.operate, body)
            )
            #expect(response.status == status)
            #expect(response.code == code)
        }
    }

    @Test("An erased card leaves its certificate, as often as it is asked for")
    func erase() async throws {
        try await ServerHarness.with { (harness) async throws in
            let id = try await self.submit(1, to: harness)[0]
            let request = RawRequest(
                "DELETE",
                "/v1/cards/\(id)",
                token: Self.operate,
                headers: [("Card-Reason", "holder_request"), ("Card-Why", "ticket 7")]
            )
            let first = try await harness.send(request)
            #expect(first.status == 200)
            #expect(first.json["card_id"] as? String == id)
            #expect(first.json["reason"] as? String == "holder_request")
            #expect(first.json["purpose"] as? String == "ticket 7")
            let again = try await harness.send(request)
            #expect(again.body == first.body)
            let shown = try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: Self.read))
            #expect((shown.json["card"] as? [String: Any])?["state"] as? String == "erased")
        }
    }

    @Test("What an erasure says of why is bounded", arguments: [("Card-Reason", "two words"), ("Card-Why", "%")])
    func eraseRefused(name: String, value: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            let id = try await self.submit(1, to: harness)[0]
            let response = try await harness.send(
                RawRequest("DELETE", "/v1/cards/\(id)", token: Self.operate, headers: [(name, value)])
            )
            #expect(response.status == 422)
            #expect(response.code == "field_invalid")
            #expect(try await harness.store.card(CardID(rawValue: id))?.state == .received)
        }
    }

    @Test(
        "Nothing is known of a card that is not there",
        arguments: [
            ("GET", ""), ("POST", "/retry"), ("DELETE", ""),
        ]
    )
    func unknown(method: String, suffix: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            let response = try await harness.send(
                RawRequest(method, "/v1/cards/nobody\(suffix)", token: ServerHarness.all.reveal())
            )
            #expect(response.status == 404)
            #expect(response.code == "card_not_found")
        }
    }

    @Test("Runs are started by the names of the configuration, and shown")
    func runs() async throws {
        try await ServerHarness.with { (harness) async throws in
            let started = try await harness.send(
                .json("POST", "/v1/runs", token: Self.submit, "{\"source\":\"inbox\"}")
            )
            #expect(started.status == 202)
            let path = try #require(started["location"])
            let shown = try await harness.send(RawRequest("GET", path, token: Self.read))
            #expect(shown.body == started.body)
            #expect(shown.json["counts"] as? [String: Int] == ["admitted": 3, "refused": 2])
            #expect(shown.json["refusals"] as? [String: Int] == ["source_unreadable": 2])
            let unknown = try await harness.send(.json("POST", "/v1/runs", token: Self.submit, "{\"source\":\"x\"}"))
            #expect(unknown.status == 422)
            #expect(unknown.code == "source_unknown")
            let missing = try await harness.send(RawRequest("GET", "/v1/runs/none", token: Self.read))
            #expect(missing.code == "run_not_found")
        }
    }
}
