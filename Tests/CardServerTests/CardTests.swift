import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardServer

/// Looking at cards, and deciding what becomes of them.
@Suite(.serving, .timeLimit(.minutes(5))) struct CardTests {
    /// Sends some cards in, and returns their ids.
    private func submit(_ marks: [String]) async throws -> [String] {
        var ids: [String] = []
        for (number, mark) in marks.enumerated() {
            let image = Specimen.jpeg(mark)
            let request = RawRequest.image(image, token: "submitter", businessNumber: "CASE-\(number % 2)")
            ids.append(try #require(try await harness.send(request).json["card_id"] as? String))
        }
        return ids
    }

    private func ids(_ response: RawResponse) -> [String] {
        (response.json["cards"] as? [[String: Any]] ?? []).compactMap { $0["card_id"] as? String }
    }

    private func state(_ response: RawResponse) -> String? {
        (response.json["cards"] as? [[String: Any]])?.first?["state"] as? String
    }

    @Test func `a list is paged through by its cursor, in the order of intake, each card once`() async throws {
        let sent = try await self.submit(["1", "2", "3", "4"])
        var seen: [String] = []
        var (cursor, pages) = (String?.none, 0)
        repeat {
            let suffix = cursor.map { "&cursor=\($0)" } ?? ""
            let page = try await harness.send(RawRequest("GET", "/v1/cards?limit=2\(suffix)", token: "auditor"))
            #expect(page.status == 200)
            seen += self.ids(page)
            cursor = page.json["next_cursor"] as? String
            pages += 1
        } while cursor != nil && pages < 10
        #expect(seen == sent)
        #expect(pages == 2)
    }

    @Test func `a list is narrowed by business number and state, and writes every key`() async throws {
        let sent = try await self.submit(["1", "2", "3"])
        let even = try await harness.send(RawRequest("GET", "/v1/cards?business_no=CASE-0", token: "auditor"))
        #expect(self.ids(even) == [sent[0], sent[2]])
        let held = try await harness.send(RawRequest("GET", "/v1/cards?state=held,failed", token: "auditor"))
        #expect(self.ids(held).isEmpty)
        let target = "/v1/cards?state=held&state=prepared"
        let received = try await harness.send(RawRequest("GET", target, token: "auditor"))
        #expect(self.ids(received).count == 3)
        #expect(Set(received.json.keys) == ["cards", "next_cursor"])
        let card = try #require((received.json["cards"] as? [[String: Any]])?.first)
        let keys: Set = ["card_id", "business_no", "side", "state", "reason", "created_at", "changed_at"]
        #expect(Set(card.keys) == keys)
    }

    @Test(arguments: [
        "colour=red", "limit=0", "limit=1001", "limit=x", "state=gone", "cursor=%21", "cursor=AAAA", "cursor=i-1",
        "cursor=i9999999999999999999", "business_no=", "limit=1&limit=2", "cursor=",
    ])
    func `a parameter that is not known, or cannot be, is refused`(query: String) async throws {
        let response = try await harness.send(RawRequest("GET", "/v1/cards?\(query)", token: "auditor"))
        #expect(response.problem == "422 parameter_invalid")
    }

    @Test(.working) func `what was read from a card is shown on demand only, with its scope`() async throws {
        let id = try await self.submit(["front"])[0]
        await harness.intake.ends.wait(for: 1)
        let plain = try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: "all"))
        #expect(plain.status == 200)
        #expect(!plain.text.contains("样本甲"))
        #expect(plain.json["fields"] is NSNull)
        #expect(plain.json["image_bytes"] as? Int == 5_000 && plain.json["image_dropped_at"] is NSNull)
        let events = plain.json["events"] as? [[String: Any]] ?? []
        #expect(events.compactMap { $0["state"] as? String }.last == "delivered")
        let refused = try await harness.send(RawRequest("GET", "/v1/cards/\(id)?reveal=true", token: "auditor"))
        #expect(refused.problem == "403 scope_missing")
        let target = "/v1/cards/\(id)?reveal=true"
        let request = RawRequest("GET", target, token: "all", headers: [("Card-Why", "ticket%2012")])
        let shown = try await harness.send(request)
        #expect((shown.json["fields"] as? [String: String])?["name"] == "样本甲")
        #expect(!harness.log.text.contains("样本甲"))
        let wrong = RawRequest("GET", target, token: "all", headers: [("Card-Why", "%")])
        #expect(try await harness.send(wrong).code == "field_invalid")
        // Who saw nothing personal is not written down, and waits for no turn to write.
        let test = AccessOrigin(actor: "test")
        let shows = Mutex<[String]>([])
        try await harness.store.listings.exportAccessLog(to: test, now: Timestamp(Date())) { lines in
            shows.withLock { $0 += lines.filter { $0.action == "reveal" }.map(\.purpose) }
        }
        #expect(shows.withLock(\.self) == ["ticket 12"])
    }

    @Test(.working) func `a message is shown, what is personal in it only where it is revealed`() async throws {
        let id = try await self.submit(["unread"])[0]
        await harness.intake.ends.wait(for: 1)
        let plain = try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: "auditor"))
        #expect((plain.json["card"] as? [String: Any])?["reason"] as? String == "NO_CARD")
        #expect(plain.json["message"] as? String == "there is no card")
        #expect(plain.json["submitted"] is NSNull && plain.json["submitter"] as? String == "submitter")
        let why = [("Card-Why", "ticket")]
        let request = RawRequest("GET", "/v1/cards/\(id)?reveal=true", token: "all", headers: why)
        let revealed = try await harness.send(request)
        #expect(revealed.json["message"] as? String == "there is no card")
        #expect((revealed.json["submitted"] as? [String: Any])?["user_no"] is NSNull)
        let retry = RawRequest("POST", "/v1/cards/\(id)/retry", token: "operator")
        #expect(try await harness.send(retry).status == 200)
        let audited = try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: "auditor"))
        let decision = (audited.json["events"] as? [[String: Any]])?.first { $0["kind"] as? String == "decision" }
        #expect((decision?["actor"] as? String)?.hasPrefix("token:operator POST") == true)
    }

    @Test func `a card that is under way is not done again, and a purpose has its length`() async throws {
        let id = try await self.submit(["front"])[0]
        let target = "/v1/cards/\(id)/retry"
        let early = try await harness.send(RawRequest("POST", target, token: "operator"))
        #expect(early.problem == "409 change_refused")
        let body = "{\"why\":\"\(String(repeating: "w", count: 201))\"}"
        #expect(try await harness.send(.json("POST", target, token: "operator", body)).code == "field_invalid")
    }

    @Test(arguments: [
        (#"{"as":"gone"}"#, "422 field_invalid"), ("{}", "422 field_invalid"), ("{", "422 json_invalid"),
        (#"{"as":"reject","colour":"red"}"#, "422 field_unknown"), ("[]", "422 json_invalid"),
        (#"{"as":"reject","as":"accept"}"#, "422 field_duplicate"), (#"{"as":"accept"}"#, "409 change_refused"),
    ])
    func `a decision is an object with a known value, each key once`(body: String, problem: String) async throws {
        let id = try await self.submit(["front"])[0]
        let response = try await harness.send(.json("POST", "/v1/cards/\(id)/resolve", token: "operator", body))
        #expect(response.problem == problem)
    }

    @Test func `an erased card leaves its certificate, as often as it is asked for`() async throws {
        let id = try await self.submit(["front"])[0]
        let headers = [("Card-Reason", "holder_conflict"), ("Card-Why", "ticket 7")]
        let target = "/v1/cards/\(id)"
        let bad = RawRequest("DELETE", target, token: "operator", headers: [("Card-Reason", "two words")])
        #expect(try await harness.send(bad).code == "field_invalid")
        let request = RawRequest("DELETE", target, token: "operator", headers: headers)
        for _ in 1...2 {
            let response = try await harness.send(request)
            #expect(response.status == 200)
            #expect(response.json["card_id"] as? String == id)
            #expect(response.json["reason"] as? String == "requested:holder_conflict")
            #expect(response.json["actor"] as? String == "token:operator DELETE /v1/cards/{card_id}")
            #expect(response.json["purpose"] as? String == "ticket 7")
        }
        #expect(try await harness.cards().map(\.state) == [.erased])
        // Its bytes are known no more.
        let again = RawRequest.image(Specimen.jpeg("front"), token: "submitter", businessNumber: "CASE-0")
        #expect(try await harness.send(again).status == 202)
    }

    @Test(.working) func `a card that is to be done again is done at once`() async throws {
        let id = try await self.submit(["unread"])[0]
        await harness.intake.ends.wait(for: 1)
        #expect(try await harness.cards().map(\.state) == [.rejected])
        let retried = try await harness.send(RawRequest("POST", "/v1/cards/\(id)/retry", token: "operator"))
        #expect(retried.status == 200)
        await harness.intake.ends.wait(for: 2)
        #expect(try await harness.cards().map(\.state) == [.rejected])
    }

    @Test(.working) func `a card that a person accepts goes on at once`() async throws {
        _ = try await self.submit(["front"])
        await harness.intake.ends.wait(for: 1)
        let foreign = RawRequest.image(Specimen.jpeg("other"), token: "all", businessNumber: "CASE-0")
        let id = try #require(try await harness.send(foreign).json["card_id"] as? String)
        let body = #"{"as":"accept","why":"ticket 3"}"#
        let accept = RawRequest.json("POST", "/v1/cards/\(id)/resolve", token: "operator", body)
        let accepted = try await harness.send(accept)
        #expect(accepted.status == 200 && self.state(accepted) == "prepared")
        await harness.intake.ends.wait(for: 2)
        #expect(try await harness.cards().map(\.state) == [.delivered, .delivered])
        #expect(try await harness.send(accept).problem == "409 change_refused")
    }

    @Test(.working) func `an erasure wakes the stages`() async throws {
        let id = try await self.submit(["front"])[0]
        await harness.intake.ends.wait(for: 1)
        // Nobody has told this process of it.
        try await harness.admit(of: "local")
        #expect(try await harness.send(RawRequest("DELETE", "/v1/cards/\(id)", token: "operator")).status == 200)
        await harness.intake.ends.wait(for: 2)
        #expect(try await harness.cards().map(\.state) == [.erased, .delivered])
    }

    @Test(arguments: [("GET", ""), ("DELETE", ""), ("POST", "/retry")])
    func `nothing is known of a card that is not there`(method: String, suffix: String) async throws {
        let response = try await harness.send(RawRequest(method, "/v1/cards/nobody\(suffix)", token: "all"))
        #expect(response.problem == "404 card_not_found")
    }

    @Test func `runs are started by the names of the configuration, listed and shown`() async throws {
        harness.intake.state.withLock { state in
            var run = RunStatus(
                id: "run-1",
                source: "inbox",
                submitter: "runner",
                state: .complete,
                startedAt: Timestamp(millisecondsSinceEpoch: 0)
            )
            run.counts = ["admitted": 3, "refused": 2]
            run.refusals = ["source_unreadable": 2]
            state.run = run
        }
        let started = try await harness.send(.json("POST", "/v1/runs", token: "runner", #"{"source":"inbox"}"#))
        #expect(started.status == 202)
        let path = try #require(started["location"])
        let shown = try await harness.send(RawRequest("GET", path, token: "runner"))
        #expect(shown.body == started.body)
        #expect(shown.json["counts"] as? [String: Int] == ["admitted": 3, "refused": 2])
        #expect(shown.json["refusals"] as? [String: Int] == ["source_unreadable": 2])
        #expect(shown.json["ended_at"] is NSNull)
        let list = try await harness.send(RawRequest("GET", "/v1/runs", token: "runner"))
        #expect((list.json["runs"] as? [[String: Any]])?.map { $0["run_id"] as? String } == ["run-1"])
        let unknown = try await harness.send(.json("POST", "/v1/runs", token: "runner", "{\"source\":\"x\"}"))
        #expect(unknown.problem == "422 source_unknown")
        #expect(try await harness.send(RawRequest("GET", "/v1/runs/none", token: "runner")).code == "run_not_found")
    }
}
