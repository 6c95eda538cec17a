import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardServer

/// Whether the service lives and works, and what every answer has in common.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct HealthTests {
    private func reasons(_ response: RawResponse) -> [String] {
        (response.json["reasons"] as? [[String: String]] ?? []).compactMap { $0["code"] }
    }

    @Test("All is well: every stage says so")
    func ready() async throws {
        try await ServerHarness.with { (harness) async throws in
            let response = try await harness.send(RawRequest("GET", "/readyz"))
            #expect(response.status == 200)
            #expect(response.json["status"] as? String == "ready")
            let stages = try #require(response.json["stages"] as? [String: [String: String]])
            #expect(Set(stages.keys) == Set(Stage.allCases.map(\.rawValue)))
            #expect(stages.values.allSatisfy { $0["status"] == "working" })
        }
    }

    @Test("A stage that stopped says why, and so does intake that is closed; the process lives on")
    func notReady() async throws {
        try await ServerHarness.with { (harness) async throws in
            let pause = StagePause(
                code: "AUTHENTICATION_ERROR",
                message: "the key is wrong",
                since: Timestamp(millisecondsSinceEpoch: 1_760_000_000_000)
            )
            try await harness.store.setPause(pause, of: .verify)
            harness.intake.close(.closed(ReasonCode(rawValue: "queue_full"), message: "full", retryAfter: .seconds(5)))
            let response = try await harness.send(RawRequest("GET", "/readyz"))
            #expect(response.status == 503)
            #expect(response["retry-after"] == "10")
            #expect(self.reasons(response) == ["verify_paused", "queue_full"])
            let stages = try #require(response.json["stages"] as? [String: [String: String]])
            #expect(stages["verify"]?["status"] == "paused")
            #expect(stages["verify"]?["code"] == "AUTHENTICATION_ERROR")
            #expect(stages["deliver"]?["status"] == "working")
            #expect(try await harness.send(RawRequest("GET", "/healthz")).status == 200)
        }
    }

    @Test("What the store finds wrong with itself is a reason, and so is that it cannot tell")
    func findings() async throws {
        let words = "the disk of the sandbox failed to store data durably"
        try await ServerHarness.with(findings: { [words] }) { (harness) async throws in
            let response = try await harness.send(RawRequest("GET", "/readyz"))
            #expect(response.status == 503)
            #expect(self.reasons(response) == ["store_unsound"])
            #expect(response.text.contains(words))
        }
        try await ServerHarness.with(findings: { throw StoreError(.unavailable, "gone") }) { (harness) async throws in
            let response = try await harness.send(RawRequest("GET", "/readyz"))
            #expect(response.status == 503)
            #expect(self.reasons(response) == ["store_unavailable"])
        }
    }

    @Test("Every answer keeps caches and browsers off, and has a name", arguments: ["/healthz", "/v1/cards", "/none"])
    func headers(path: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            let response = try await harness.send(RawRequest("GET", path))
            #expect(response["cache-control"] == "no-store")
            #expect(response["x-content-type-options"] == "nosniff")
            #expect(response["content-security-policy"]?.contains("default-src 'none'") == true)
            let id = try #require(response["request-id"])
            #expect(id.utf8.count == 36)
            #expect(harness.log.text.contains("request.id=\(id)"))
        }
    }

    @Test("A page of an origin on the list may send cards in, others may not")
    func crossOrigin() async throws {
        let origin = "https://desk.example.com"
        try await ServerHarness.with({ $0.origins = [origin] }) { (harness) async throws in
            let asked = [("Access-Control-Request-Method", "POST")]
            let preflight = try await harness.send(
                RawRequest("OPTIONS", "/v1/cards", headers: [("Origin", origin)] + asked)
            )
            #expect(preflight.status == 204)
            #expect(preflight["access-control-allow-origin"] == origin)
            #expect(preflight["access-control-allow-headers"]?.contains("Authorization") == true)
            let stranger = try await harness.send(
                RawRequest("OPTIONS", "/v1/cards", headers: [("Origin", "https://evil.example.com")] + asked)
            )
            #expect(stranger.status == 405)
            #expect(stranger["access-control-allow-origin"] == nil)
            let sent = try await harness.send(
                .image(Specimen.jpeg(), token: ServerHarness.submit.reveal(), headers: [("Origin", origin)])
            )
            #expect(sent.status == 202)
            #expect(sent["access-control-allow-origin"] == origin)
            #expect(sent["vary"] == "Origin")
        }
    }

    @Test("Figures are shown as Prometheus reads them")
    func figures() async throws {
        try await ServerHarness.with { (harness) async throws in
            try await harness.send(.image(Specimen.jpeg(), token: ServerHarness.submit.reveal()))
            try await harness.send(RawRequest("GET", "/v1/cards/secret-name", token: "wrong"))
            let response = try await harness.send(RawRequest("GET", "/metrics", token: ServerHarness.read.reveal()))
            #expect(response["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = response.text.split(separator: "\n").map(String.init)
            let accepted = "idcard_http_requests_total{method=\"POST\",route=\"/v1/cards\",status=\"202\"} 1"
            #expect(lines.contains(accepted))
            #expect(
                lines.contains(
                    "idcard_http_requests_total{method=\"GET\",route=\"/v1/cards/{card_id}\",status=\"401\"} 1"
                )
            )
            #expect(lines.contains("idcard_http_failed_authentications_total 1"))
            #expect(lines.contains("idcard_http_body_bytes_total 5000"))
            #expect(lines.contains("idcard_cards{state=\"received\"} 1"))
            #expect(lines.contains("idcard_stage_paused{stage=\"verify\"} 0"))
            #expect(lines.contains("idcard_http_duration_seconds_count{route=\"/v1/cards\"} 1"))
            #expect(!response.text.contains("secret-name"))
        }
    }
}
