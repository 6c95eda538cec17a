import CardEngine
import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer
@testable import CardStore

/// Whether the service lives and works, its figures, and what every answer has in common.
@Suite(.serving, .timeLimit(.minutes(5))) struct HealthTests {
    private func codes(_ response: RawResponse) -> [String] {
        (response.json["reasons"] as? [[String: String]] ?? []).compactMap { $0["code"] }
    }

    @Test func `where all is well every stage says so`() async throws {
        let response = try await harness.send(RawRequest("GET", "/readyz"))
        #expect(response.status == 200)
        #expect(response.json["status"] as? String == "ready")
        let stages = try #require(response.json["stages"] as? [String: [String: Any]])
        #expect(Set(stages.keys) == ["fetch", "prepare", "verify", "deliver"])
        #expect(stages.values.allSatisfy { $0["status"] as? String == "works" })
    }

    @Test
    func `a stopped endpoint is told of, only closed intake is not ready, the process lives on`() async throws {
        let pause = EndpointPause(
            stage: .verify,
            host: "verifier:443",
            after: RemoteFailure(.stop, code: "AUTHENTICATION_ERROR", message: "the key is wrong"),
            since: SpecimenWebhook.time,
            wait: Wait(from: SpecimenWebhook.time, until: Timestamp(Date()))
        )
        try await harness.store.endpoints.pause(pause)
        harness.intake.state.withLock { $0.isFull = true }
        let response = try await harness.send(RawRequest("GET", "/readyz"))
        #expect(response.status == 503)
        #expect(response["retry-after"] == "10")
        #expect(self.codes(response) == ["queue_full"])
        #expect(!response.text.contains("verifier:443"))
        let stages = try #require(response.json["stages"] as? [String: [String: Any]])
        #expect(stages["verify"]?["status"] as? String == "stopped")
        #expect(stages["verify"]?["code"] as? String == "AUTHENTICATION_ERROR")
        #expect(stages["verify"]?["since"] as? String == "2026-01-01T00:00:00.000Z")
        #expect(stages["deliver"]?["status"] as? String == "works")
        // What people and monitoring read is the same.
        let trouble = try #require(try await harness.store.listings.issues(.ample, now: SpecimenWebhook.time).first)
        #expect(stages["verify"]?["code"] as? String == trouble.code)
        #expect(stages["verify"]?["since"] as? String == trouble.since)
        // Cards are admitted durably all the same.
        harness.intake.state.withLock { $0.isFull = false }
        while try await harness.send(RawRequest("GET", "/readyz")).status == 503 { await Task.yield() }
        #expect(try await harness.send(RawRequest("GET", "/healthz")).status == 200)
        let figures = try await harness.send(RawRequest("GET", "/metrics", token: "reader")).text
        #expect(figures.contains("\nidcard_stage_paused{stage=\"verify\"} 1\n"))
    }

    @Test func `a stage that stands still shows in readiness and figures as an endpoint that fails does`() async throws
    {
        let (store, now) = (harness.store, SpecimenWebhook.time)
        let worker = try await store.upkeep.startWorker(id: "w1", command: "serve", now: now)
        let standstill = StageStandstill(stage: .deliver, since: now)
        try await store.upkeep.heartbeat(of: worker, standstill: standstill, now: now)
        let response = try await harness.send(RawRequest("GET", "/readyz"))
        let stages = try #require(response.json["stages"] as? [String: [String: Any]])
        #expect(response.status == 200 && stages["deliver"]?["code"] as? String == "standstill")
        let figures = try await harness.send(RawRequest("GET", "/metrics", token: "reader")).text
        #expect(figures.contains("\nidcard_stage_paused{stage=\"deliver\"} 1\n"))
    }

    @Test func `asking for readiness commits nothing, and looks into the sandbox once a second`() async throws {
        let commits = ServerHarness.Mutexed(0)
        try await harness.store.write { tx in
            tx.trace { statement in if statement == "BEGIN IMMEDIATE" { commits.withLock { $0 += 1 } } }
        }
        let began = ContinuousClock.now
        for _ in 0..<20 { #expect(try await harness.send(RawRequest("GET", "/readyz")).status == 200) }
        #expect(commits.withLock { $0 } == 0)
        let seconds = Int(began.duration(to: .now).components.seconds)
        // What was found less than a second ago is said again.
        #expect((1...seconds + 1).contains(harness.intake.state.withLock { $0.looks }))
        harness.intake.state.withLock { $0.isFull = true }
        while try await harness.send(RawRequest("GET", "/readyz")).status == 200 { await Task.yield() }
    }

    @Test func `every metric has help and a type, and figures follow what happens`() async throws {
        #expect(try await harness.send(.image(Specimen.jpeg(), token: "submitter")).status == 202)
        #expect(try await harness.send(.image(Specimen.jpeg(), token: "wrong")).status == 401)
        try await harness.connected { (connection) async throws in
            try await connection.send("nonsense\r\n\r\n")
            #expect(try await connection.response()?.status == 400)
        }
        let response = try await harness.send(RawRequest("GET", "/metrics", token: "reader"))
        #expect(response["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let lines = response.text.split(separator: "\n").map(String.init)
        for expected in [
            "idcard_http_requests_total{method=\"POST\",route=\"/v1/cards\",status=\"202\"} 1",
            "idcard_http_requests_total{method=\"POST\",route=\"/v1/cards\",status=\"401\"} 1",
            "idcard_http_duration_seconds_bucket{route=\"/v1/cards\",le=\"+Inf\"} 2",
            "idcard_http_duration_seconds_count{route=\"/v1/cards\"} 2", "idcard_http_body_bytes_total 5000",
            "idcard_http_failed_authentications_total 1", "idcard_http_refused_webhooks_total 0",
            "idcard_http_refusals_total{code=\"request_malformed\"} 1", "idcard_cards{state=\"prepared\"} 1",
            "idcard_inputs_total{result=\"refused\"} 0", "idcard_cards_entered_total{state=\"delivered\"} 0",
            "idcard_cards{state=\"delivered\"} 0", "idcard_stage_paused{stage=\"verify\"} 0",
        ] { #expect(lines.contains(expected), "\(expected)") }
        #expect(lines.contains { $0.hasPrefix("idcard_http_connections ") })
        for line in lines where !line.hasPrefix("#") {
            let name = line.prefix { $0 != "{" && $0 != " " }.replacing(/_(bucket|sum|count)$/, with: "")
            #expect(lines.contains { $0.hasPrefix("# HELP \(name) ") }, "\(name)")
            #expect(lines.contains { $0.hasPrefix("# TYPE \(name) ") }, "\(name)")
        }
    }

    @Test func `a card that was delivered and then erased stays counted where it came to`() async throws {
        try await ServerHarness.with({ $0.tokens = { () throws(CodedError) in ServerHarness.tokens } }, isWorking: true)
        {
            harness in
            let sent = try await harness.send(.image(Specimen.jpeg(), token: "submitter"))
            let id = try #require(sent.json["card_id"] as? String)
            await harness.intake.ends.wait(for: 1)
            let figures = RawRequest("GET", "/metrics", token: "reader")
            #expect(try await harness.send(figures).text.contains("idcard_cards{state=\"delivered\"} 1\n"))
            #expect(try await harness.send(RawRequest("DELETE", "/v1/cards/\(id)", token: "operator")).status == 200)
            while try await harness.send(figures).text.contains("idcard_cards{state=\"erased\"} 0\n") {
                await Task.yield()
            }
            let lines = try await harness.send(figures).text.split(separator: "\n").map(String.init)
            for state in ["prepared", "verified", "delivering", "delivered", "erased"] {
                #expect(lines.contains("idcard_cards_entered_total{state=\"\(state)\"} 1"), "\(state)")
            }
            #expect(lines.contains("idcard_cards{state=\"delivered\"} 0"))
            let success = lines.first {
                $0.hasPrefix("idcard_stage_last_success_timestamp_seconds{stage=\"deliver\"} ")
            }
            let time = try #require(success?.split(separator: " ").last.flatMap { Double($0) })
            #expect(abs(time - Date().timeIntervalSince1970) < 300)
        }
    }

    @Test func `cards and cases that need a person are told by reason, a remote's own code as other`() {
        let metrics = ServerMetrics(version: "1.2.3", commit: "abc", schema: "1-def")
        var figures = StoreCounts()
        figures.attention = [.attemptsExhausted: 2, ReasonCode(rawValue: "strange"): 1, ReasonCode(rawValue: "odd"): 3]
        figures.oldest = [
            .verify: Timestamp(millisecondsSinceEpoch: 1_000), .fetch: Timestamp(millisecondsSinceEpoch: 9_000),
        ]
        figures.lastSuccess = [.deliver: Timestamp(millisecondsSinceEpoch: 1_500)]
        metrics.set(figures, now: Timestamp(millisecondsSinceEpoch: 5_000))
        let lines = metrics.text.split(separator: "\n").map(String.init)
        for expected in [
            #"idcard_cards_needing_person{reason="attempts_exhausted"} 2"#,
            #"idcard_cards_needing_person{reason="other"} 4"#, #"idcard_cases_needing_person{reason="expired"} 0"#,
            #"idcard_stage_oldest_card_age_seconds{stage="verify"} 4"#,
            #"idcard_stage_oldest_card_age_seconds{stage="fetch"} 0"#,
            #"idcard_stage_last_success_timestamp_seconds{stage="deliver"} 1.5"#,
            #"idcard_build_info{version="1.2.3",commit="abc",schema="1-def"} 1"#,
        ] { #expect(lines.contains(expected), "\(expected)") }
        // What a person has seen to is told no more.
        metrics.set(StoreCounts(), now: Timestamp(millisecondsSinceEpoch: 5_000))
        #expect(metrics.text.contains("\nidcard_cards_needing_person{reason=\"other\"} 0\n"))
        // What was told of calls stays, but for what a clock that was ahead has told.
        let success = "\nidcard_stage_last_success_timestamp_seconds{stage=\"deliver\"} "
        #expect(metrics.text.contains(success + "1.5\n"))
        metrics.set(StoreCounts(), now: Timestamp(millisecondsSinceEpoch: 1_000))
        #expect(metrics.text.contains(success + "0\n"))
    }

    @Test func `each call of a stage is counted by how it ended, and timed`() {
        let metrics = ServerMetrics()
        for (stage, ended) in [
            (Stage.prepare, FailureClass.accepted), (.prepare, .rejected), (.fetch, .transient), (.deliver, .stop),
        ] { metrics.count(.called(stage, ended, took: .milliseconds(300))) }
        let lines = metrics.text.split(separator: "\n").map(String.init)
        for expected in [
            #"idcard_stage_calls_total{stage="prepare",outcome="accepted"} 1"#,
            #"idcard_stage_calls_total{stage="prepare",outcome="rejected"} 1"#,
            #"idcard_stage_calls_total{stage="fetch",outcome="transient"} 1"#,
            #"idcard_stage_calls_total{stage="deliver",outcome="stop"} 1"#,
            #"idcard_stage_calls_total{stage="deliver",outcome="accepted"} 0"#,
            #"idcard_stage_last_success_timestamp_seconds{stage="fetch"} 0"#,
            #"idcard_stage_duration_seconds_count{stage="prepare"} 2"#,
            #"idcard_stage_duration_seconds_sum{stage="prepare"} 0.6"#,
        ] { #expect(lines.contains(expected), "\(expected)") }
    }

    @Test func `every combination of labels that are known beforehand stands there from the start, at zero`() {
        let lines = ServerMetrics().text.split(separator: "\n").map(String.init)
        var expected = [
            "idcard_http_body_bytes_total 0", "idcard_http_connections 0", "idcard_http_refused_connections 0",
            "idcard_http_failed_authentications_total 0", "idcard_http_refused_webhooks_total 0",
            "idcard_http_unavailable_tokens_total 0", "idcard_http_ignored_webhooks_total 0",
        ]
        expected += ["admitted", "duplicate", "refused", "ignored"].map { "idcard_inputs_total{result=\"\($0)\"} 0" }
        expected += CardState.allCases.map { "idcard_cards_entered_total{state=\"\($0.rawValue)\"} 0" }
        for stage in Stage.allCases {
            expected.append("idcard_stage_duration_seconds_count{stage=\"\(stage.rawValue)\"} 0")
            expected += FailureClass.allCases.map {
                "idcard_stage_calls_total{stage=\"\(stage.rawValue)\",outcome=\"\($0.rawValue)\"} 0"
            }
        }
        #expect(expected.filter { !lines.contains($0) } == [])
        // What a stranger decides on begins with nothing.
        #expect(!lines.contains { $0.hasPrefix("idcard_http_requests_total{") })
    }

    @Test func `what no operation takes is counted and logged without a path`() async throws {
        #expect(try await harness.send(RawRequest("GET", "/nothing")).status == 404)
        #expect(try await harness.send(RawRequest("PUT", "/v1/cards/some")).status == 405)
        #expect(try await harness.send(RawRequest("GET", "/v1/cards/some", token: "reader")).status == 404)
        let figures = try await harness.send(RawRequest("GET", "/metrics", token: "reader")).text
        let routes = figures.split(separator: "\n").filter { $0.hasPrefix("idcard_http_requests_total{") }
        #expect(
            Set(routes) == [
                #"idcard_http_requests_total{method="GET",route="none",status="404"} 1"#,
                #"idcard_http_requests_total{method="other",route="none",status="405"} 1"#,
                #"idcard_http_requests_total{method="GET",route="/v1/cards/{card_id}",status="404"} 1"#,
            ]
        )
        #expect(harness.log.text.contains("http.route=none"))
        #expect(!harness.log.text.contains("NotFound"))
    }

    @Test func `labels are escaped, and no more combinations are told apart than there is room for`() {
        let metrics = ServerMetrics()
        metrics.add(.refusals, ["a\"b\\c\nd"])
        #expect(metrics.text.contains("idcard_http_refusals_total{code=\"a\\\"b\\\\c\\nd\"} 1\n"))
        for number in 0..<1_000 { metrics.add(.refusals, ["\(number)"]) }
        #expect(metrics.text.contains("idcard_http_refusals_total{code=\"other\"} 501\n"))
    }

    @Test func `every answer keeps browsers and caches off, and names its request`() async throws {
        var names: Set<String> = []
        for target in ["/healthz", "/nothing", "/v1/cards"] {
            let response = try await harness.send(RawRequest("GET", target))
            #expect(response["cache-control"] == "no-store")
            #expect(response["x-content-type-options"] == "nosniff")
            #expect(response["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
            names.insert(try #require(response["request-id"]))
            if response.status >= 400 { #expect(response.json["request_id"] as? String == response["request-id"]) }
        }
        #expect(names.count == 3)
    }

    @Test func `HEAD is answered as GET is, without the content`() async throws {
        for target in ["/healthz", "/v1/cards", "/nothing"] {
            let get = try await harness.send(RawRequest("GET", target, token: "reader"))
            let head = try await harness.connected { (connection) async throws in
                try await connection.send(RawRequest("HEAD", target, token: "reader").bytes)
                let response = try #require(try await connection.response(hasContent: false))
                // What follows is the next answer, not a content.
                try await connection.send(RawRequest("GET", "/healthz").bytes)
                #expect(try await connection.response()?.status == 200)
                return response
            }
            #expect(head.status == get.status, "\(target)")
            #expect(head["content-type"] == get["content-type"], "\(target)")
        }
    }

    @Test func `a page of a listed origin may ask and read, no other`() async throws {
        try await ServerHarness.with({ $0.origins = ["https://cards.example.com"] }) { (harness) async throws in
            let asking = { (origin: String) in
                let headers = [("Origin", origin), ("Access-Control-Request-Method", "POST")]
                return RawRequest("OPTIONS", "/v1/cards", headers: headers)
            }
            let allowed = try await harness.send(asking("https://cards.example.com"))
            #expect(allowed.status == 204)
            #expect(allowed["access-control-allow-origin"] == "https://cards.example.com")
            #expect(allowed["access-control-allow-headers"]?.contains("Card-Business-No") == true)
            let other = try await harness.send(asking("https://evil.example.com"))
            #expect(other["access-control-allow-origin"] == nil)
            #expect(other.status == 405)
            let origin = [("Origin", "https://cards.example.com")]
            let read = try await harness.send(RawRequest("GET", "/v1/cards", token: "reader", headers: origin))
            #expect(read["access-control-allow-origin"] == "https://cards.example.com")
            #expect(read["access-control-expose-headers"]?.contains("Location") == true)
            #expect(read["vary"] == "Accept, Accept-Language, Origin")
        }
    }
}
