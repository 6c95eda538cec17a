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

    @Test("An endpoint that takes no calls is named with its cause and since when, in readiness and figures")
    func failing() async throws {
        try await ServerHarness.with { (harness) async throws in
            let card = try await harness.store.fails(3, with: "connect_refused")
            let response = try await harness.send(RawRequest("GET", "/readyz"))
            #expect(response.status == 503)
            #expect(self.reasons(response) == ["verify_failing"])
            #expect(response.text.contains("the verification service has taken no call since 1970-01-01T00:00:01"))
            #expect(response.text.contains("check verification.url"))
            let stages = try #require(response.json["stages"] as? [String: [String: String]])
            #expect(stages["verify"]?["status"] == "failing")
            #expect(stages["verify"]?["code"] == "connect_refused")
            #expect(stages["verify"]?["since"] == "1970-01-01T00:00:01.000Z")
            let figures = try await harness.send(RawRequest("GET", "/metrics", token: ServerHarness.read.reveal())).text
            #expect(figures.contains("idcard_stage_failing{stage=\"verify\"} 1\n"))
            #expect(figures.contains("idcard_stage_failing{stage=\"deliver\"} 0\n"))
            let line = figures.split(separator: "\n").first {
                $0.hasPrefix("idcard_stage_oldest_seconds{stage=\"verify\"} ")
            }
            let age = line?.split(separator: " ").last.flatMap { Double($0) }
            #expect(try #require(age) > 1_000_000_000)
            // Once it takes a call all is well, though the card still waits.
            try await harness.store.answers(card)
            #expect(try await harness.send(RawRequest("GET", "/readyz")).status == 200)
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
            let names = { (word: String) in
                lines.filter { $0.hasPrefix("# \(word) ") }.map { $0.split(separator: " ")[2] }
            }
            #expect(names("HELP") == names("TYPE"))
            #expect(names("HELP").count > 10)
        }
    }
}

extension InMemoryStore {
    /// Takes a card in whose calls to the verification service fail, one each second from the first on.
    fileprivate func fails(_ count: Int, with code: String) async throws -> CardID {
        let jpeg = Specimen.jpeg()
        let admission = Admission(
            id: CardID(rawValue: "card-1"),
            metadata: CardMetadata(businessNumber: try #require(BusinessNumber("CASE-1"))),
            sourceDigest: ContentDigest(of: jpeg),
            file: nil,
            intakeOrder: 1,
            content: .prepared(PreparedImage(jpeg: jpeg, width: 856, height: 540, digest: ContentDigest(of: jpeg)))
        )
        _ = try await self.admit(admission, now: .init(millisecondsSinceEpoch: 0))
        for number in 1...count {
            let time = Timestamp(millisecondsSinceEpoch: Int64(number) * 1000)
            try await self.conclude(
                admission.id,
                AttemptRecord(RemoteFailure(.notSent, code: code, message: "m"), startedAt: time)
            )
        }
        return admission.id
    }

    /// The service asks for a slower pace: it works.
    fileprivate func answers(_ card: CardID) async throws {
        let time = Timestamp(millisecondsSinceEpoch: 100_000)
        try await self.conclude(
            card,
            AttemptRecord(failureClass: .throttled, code: "c", httpStatus: 403, startedAt: time)
        )
    }

    private func conclude(_ card: CardID, _ attempt: AttemptRecord) async throws {
        let (time, lease) = (attempt.startedAt, attempt.startedAt.advanced(by: .seconds(60)))
        let claimed = try await self.claimPrepared(limit: 1, until: lease, now: time)
        #expect(claimed.map(\.id) == [card])
        _ = try await self.conclude(claimed[0], as: .retry(at: time, costsAttempt: false), attempt: attempt, now: time)
    }
}
