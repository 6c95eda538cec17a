import Crypto
import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardServer

/// `POST /v1/webhooks/cards`: what is accepted, and that everything else looks the same.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct WebhookTests {
    private static let old = Data(repeating: 1, count: 32)
    private static let new = Data(repeating: 2, count: 24)
    private static let time = Timestamp(millisecondsSinceEpoch: 1_760_000_000_000)
    private static let seconds = 1_760_000_000

    /// A message, signed rightly unless something is said otherwise.
    private struct Message {
        var id = "msg_1"
        var timestamp = "\(WebhookTests.seconds)"
        var body = WebhookTests.body()
        var secret = WebhookTests.old
        var signature: String?
        var without: String?

        var request: RawRequest {
            var hash = HMAC<SHA256>(key: SymmetricKey(data: self.secret))
            hash.update(data: Data("\(self.id).\(self.timestamp).".utf8) + self.body)
            let signature = self.signature ?? "v1,\(Data(hash.finalize()).base64EncodedString())"
            let headers = [
                ("webhook-id", self.id), ("webhook-timestamp", self.timestamp), ("webhook-signature", signature),
                ("Content-Type", "application/json"),
            ]
            return RawRequest(
                "POST",
                "/v1/webhooks/cards",
                headers: headers.filter { $0.0 != self.without },
                body: self.body
            )
        }
    }

    private static func body(_ data: [String: Any]? = nil) -> Data {
        let data = data ?? ["business_no": "CASE-1", "image_base64": Specimen.jpeg().base64EncodedString()]
        let body: [String: Any] = ["type": "card.taken", "timestamp": "2025-10-09T08:53:20Z", "data": data]
        // Objects of texts and numbers always become JSON.
        return (try? JSONSerialization.data(withJSONObject: body, options: [.sortedKeys])) ?? Data()
    }

    private func serving(_ body: (ServerHarness) async throws -> Void) async throws {
        try await ServerHarness.with(
            { configuration in
                configuration.webhookSecrets = [
                    try WebhookSecret("whsec_" + Self.old.base64EncodedString()),
                    try WebhookSecret(Self.new.base64EncodedString()),
                ]
            },
            now: { Self.time },
            body
        )
    }

    @Test("An image in Base64 is taken in, with what is said about it")
    func base64() async throws {
        try await self.serving { (harness) async throws in
            let image = Specimen.jpeg(byteCount: 300_001)
            let body = Self.body([
                "business_no": "CASE-9", "expected_name": "样本", "priority": 3, "side": "front",
                "image_base64": image.base64EncodedString(),
            ])
            let response = try await harness.send(Message(body: body).request)
            #expect(response.status == 202)
            let reception = try #require(harness.intake.receptions.first)
            #expect(reception.metadata.businessNumber.rawValue == "CASE-9")
            #expect(reception.metadata.priority == 3)
            guard case .bytes(let source) = reception.source else {
                Issue.record("no bytes arrived")
                return
            }
            #expect(source.digest == ContentDigest(of: image))
        }
    }

    @Test("An image is named by its address, which is fetched later")
    func address() async throws {
        try await self.serving { (harness) async throws in
            let url = "https://images.example.com/a.jpg?signature=1"
            let body = Self.body(["business_no": "CASE-1", "image_url": url])
            #expect(try await harness.send(Message(body: body).request).status == 202)
            guard case .address(let address) = harness.intake.receptions.first?.source else {
                Issue.record("no address arrived")
                return
            }
            #expect(address.url.reveal() == url)
        }
    }

    @Test("How long an address may be is for the fetcher to say")
    func longAddress() async throws {
        try await self.serving { (harness) async throws in
            let url = "https://images.example.com/a.jpg?signature=" + String(repeating: "1", count: 7000)
            let body = Self.body(["business_no": "CASE-1", "image_url": url])
            #expect(try await harness.send(Message(body: body).request).status == 202)
        }
    }

    @Test("An address that nothing is fetched from is refused at once, and nothing is stored")
    func addressRefused() async throws {
        try await self.serving { (harness) async throws in
            harness.intake.refuseAddresses(
                ImageFetcher.Refusal(
                    ReasonCode(rawValue: "fetch_host_refused"),
                    message: "name its host in fetch.hosts"
                )
            )
            let body = Self.body(["business_no": "CASE-1", "image_url": "https://images.example.com/a.jpg"])
            let response = try await harness.send(Message(body: body).request)
            #expect(response.status == 422)
            #expect(response.code == "image_url_refused")
            #expect(response.text.contains("fetch.hosts"))
            #expect(harness.intake.receptions.isEmpty)
            // The same message will do once its host is allowed.
            harness.intake.refuseAddresses(nil)
            #expect(try await harness.send(Message(body: body).request).status == 202)
        }
    }

    @Test(
        "Either secret will do while one takes the other's place, and other versions may stand beside",
        arguments: 0..<4
    )
    func rotation(index: Int) async throws {
        try await self.serving { (harness) async throws in
            var message = Message(secret: index.isMultiple(of: 2) ? Self.old : Self.new)
            if index > 1 {
                var hash = HMAC<SHA256>(key: SymmetricKey(data: message.secret))
                hash.update(data: Data("\(message.id).\(message.timestamp).".utf8) + message.body)
                message.signature = "v1a,AAAA v1,AAAA v1,\(Data(hash.finalize()).base64EncodedString())"
            }
            #expect(try await harness.send(message.request).status == 202)
        }
    }

    @Test("Other secrets take their place while the server runs")
    func reloaded() async throws {
        try await self.serving { (harness) async throws in
            try harness.server.reload(webhookSecrets: [
                try WebhookSecret(Data(repeating: 5, count: 32).base64EncodedString())
            ])
            #expect(try await harness.send(Message().request).status == 401)
            #expect(try await harness.send(Message(secret: Data(repeating: 5, count: 32)).request).status == 202)
            try harness.server.reload()
            #expect(try await harness.send(Message(id: "msg_2").request).status == 401)
        }
    }

    private static let tampered: [(what: String, message: Message)] = [
        ("another body under the signature", Message(signature: signature(of: Message(body: Data("{}".utf8))))),
        ("another id under the signature", Message(signature: signature(of: Message(id: "msg_2")))),
        ("another time under the signature", Message(signature: signature(of: Message(timestamp: "\(seconds - 1)")))),
        ("a wrong secret", Message(secret: Data(repeating: 3, count: 32))),
        ("an old time", Message(timestamp: "\(seconds - 301)")),
        ("a time ahead", Message(timestamp: "\(seconds + 61)")),
        ("no id", Message(without: "webhook-id")),
        ("no time", Message(without: "webhook-timestamp")),
        ("no signature", Message(without: "webhook-signature")),
        ("an id with a dot", Message(id: "msg.1")),
        ("a long id", Message(id: String(repeating: "m", count: 257))),
        ("a time with a sign", Message(timestamp: "+\(seconds)")),
        ("a time with a blank", Message(timestamp: "\(seconds) 0")),
        ("an empty signature", Message(signature: "")),
        ("only an asymmetric signature", Message(signature: "v1a,AAAA")),
        ("a short signature", Message(signature: "v1,AAAA")),
        (
            "bad JSON under a wrong signature",
            Message(body: Data("{".utf8), signature: "v1,\(String(repeating: "A", count: 43))=")
        ),
    ]

    private static func signature(of message: Message) -> String {
        message.request.headers.first { $0.0 == "webhook-signature" }?.1 ?? ""
    }

    @Test("Whatever is wrong has one and the same answer, and nothing is stored", arguments: tampered.indices)
    func refused(index: Int) async throws {
        try await self.serving { (harness) async throws in
            let wrong = try await harness.send(Self.tampered[index].message.request)
            let reference = try await harness.send(Message(secret: Data(repeating: 9, count: 32)).request)
            #expect(wrong.status == 401, "\(Self.tampered[index].what)")
            let (one, other) = (Self.comparable(wrong), Self.comparable(reference))
            #expect(one == other, "\(Self.tampered[index].what)")
            #expect(harness.intake.receptions.isEmpty)
            #expect(harness.spooling.now.made == 0)
        }
    }

    /// Everything of an answer but the name of its request and the time.
    private static func comparable(_ response: RawResponse) -> String {
        let own = response["request-id"] ?? "-"
        let headers = response.headers.filter { $0.name != "date" }.map { "\($0.name): \($0.value)" }
        return (headers.sorted() + [response.text]).joined(separator: "\n").replacingOccurrences(of: own, with: "id")
    }

    @Test("The ends of the tolerance are within it", arguments: [-300, 60])
    func tolerance(offset: Int) async throws {
        try await self.serving { (harness) async throws in
            #expect(try await harness.send(Message(timestamp: "\(Self.seconds + offset)").request).status == 202)
        }
    }

    @Test("A sender's retry gets the same card, another body under its id is refused")
    func replay() async throws {
        try await self.serving { (harness) async throws in
            let first = try await harness.send(Message().request)
            let second = try await harness.send(Message(timestamp: "\(Self.seconds + 5)").request)
            #expect(second.status == 202)
            #expect(second.json["card_id"] as? String == first.json["card_id"] as? String)
            let body = Self.body(["business_no": "CASE-2", "image_url": "https://images.example.com/b.jpg"])
            let third = try await harness.send(Message(body: body).request)
            #expect(third.status == 409)
            #expect(third.code == "webhook_id_reused")
            #expect(harness.intake.receptions.count == 1)
        }
    }

    private static let malformed: [(body: Data, status: Int, code: String)] = [
        (Data("{".utf8), 422, "json_invalid"), (Data("[]".utf8), 422, "json_invalid"),
        (Data("{\"type\":\"x\"}".utf8), 422, "json_invalid"),
        (body(["business_no": "C"]), 422, "image_missing"),
        (body(["business_no": "C", "image_url": "https://a.example/b", "image_base64": "AAAA"]), 422, "image_missing"),
        (body(["business_no": "C", "colour": "red", "image_url": "https://a.example/b"]), 422, "field_unknown"),
        (body(["image_url": "https://a.example/b"]), 422, "business_no_missing"),
        (body(["business_no": "C", "image_url": "file:///etc/passwd"]), 422, "image_url_invalid"),
        (body(["business_no": "C", "image_url": "https://user:word@a.example/b"]), 422, "image_url_invalid"),
        (body(["business_no": "C", "image_url": "/b.jpg"]), 422, "image_url_invalid"),
        (body(["business_no": "C", "image_base64": "????"]), 422, "image_invalid"),
        (body(["business_no": "C", "image_base64": "AAA"]), 422, "image_invalid"),
        (body(["business_no": "C", "image_base64": ""]), 422, "image_empty"),
        (body(["business_no": "C", "image_base64": "AAAA"]), 415, "unsupported_format"),
        (body(["business_no": 7, "image_url": "https://a.example/b"]), 422, "json_invalid"),
    ]

    @Test("What is wrong under a right signature has a code of its own", arguments: malformed.indices)
    func content(index: Int) async throws {
        try await self.serving { (harness) async throws in
            let malformed = Self.malformed[index]
            let response = try await harness.send(Message(body: malformed.body).request)
            #expect(response.status == malformed.status)
            #expect(response.code == malformed.code)
            #expect(harness.intake.receptions.isEmpty)
        }
    }

    @Test("Without a secret every message is refused")
    func noSecrets() async throws {
        try await ServerHarness.with(now: { Self.time }) { (harness) async throws in
            #expect(try await harness.send(Message().request).status == 401)
        }
    }

    @Test("A body over the limit, and one too many in memory, are refused before they are whole")
    func limits() async throws {
        let secret = try WebhookSecret(Self.old.base64EncodedString())
        try await ServerHarness.with(
            { configuration in
                configuration.webhookSecrets = [secret]
                configuration.submission.webhookBytes = 110_000
                configuration.submission.webhookMemoryBytes = 5_000
            },
            now: { Self.time }
        ) { (harness) async throws in
            let image = Specimen.jpeg(byteCount: 90_000).base64EncodedString()
            let large = try await harness.send(
                Message(body: Self.body(["business_no": "C", "image_base64": image])).request
            )
            #expect(large.status == 413)
            #expect(large.code == "body_too_large")
            // 64 KiB of every body count for nothing.
            let some = Specimen.jpeg(byteCount: 60_000).base64EncodedString()
            let busy = try await harness.send(
                Message(body: Self.body(["business_no": "C", "image_base64": some])).request
            )
            #expect(busy.status == 503)
            #expect(busy.code == "busy")
            #expect(try await harness.send(Message().request).status == 202)
        }
    }

    @Test("Secrets are 24 to 64 bytes in Base64, and do not print themselves")
    func secrets() throws {
        #expect(throws: ServerError.self) { try WebhookSecret("whsec_AAAA") }
        #expect(throws: ServerError.self) { try WebhookSecret("no base64") }
        let secret = try WebhookSecret(Self.old.base64EncodedString())
        #expect("\(secret)" == "<redacted>")
        #expect(String(reflecting: secret) == "<redacted>")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains(Self.old.base64EncodedString()))
    }
}
