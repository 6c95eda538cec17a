import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer

/// `POST /v1/webhooks/cards`: what is accepted, and that everything else looks the same.
@Suite(.servingWebhooks, .timeLimit(.minutes(5))) struct WebhookTests {
    private func serving(
        _ configure: (inout CardServer.Configuration) -> Void,
        _ body: (ServerHarness) async throws -> Void
    ) async throws {
        try await ServerHarness.with(
            { configuration in
                configuration.webhookSecrets = try SpecimenWebhook.secrets
                configure(&configuration)
            },
            now: { SpecimenWebhook.time },
            body
        )
    }

    @Test func `an image in Base64 becomes a card of the sender that signed it`() async throws {
        let response = try await harness.send(SpecimenWebhook.image("m-1", byteCount: 200_001).request)
        #expect(response.status == 202 && response.json["state"] as? String == "prepared")
        #expect(try await harness.cards().map(\.submitter) == ["acme"])
        let second = SpecimenWebhook.image("m-2", secret: SpecimenWebhook.new).request
        #expect(try await harness.send(second).json["state"] as? String == "held")
        #expect(try await harness.cards().last?.submitter == "other")
    }

    @Test func `a webhook that is cut off is no message`() async throws {
        let bytes = SpecimenWebhook.image("m-1", byteCount: 3000).request.bytes
        let response = try await harness.connected { (connection) async throws in
            try await connection.send(bytes.dropLast(1))
            connection.finish()
            return try await connection.response()
        }
        #expect(response?.problem == "400 body_truncated")
        #expect(try await harness.cards().isEmpty)
    }

    @Test func `an image by URL is fetched later, one from elsewhere is refused at once`() async throws {
        let response = try await harness.send(SpecimenWebhook().request)
        #expect(response.status == 202 && response.json["state"] as? String == "fetching")
        let body = SpecimenWebhook.data(["business_no": "C", "image_url": "https://internal.example.org/a.jpg"])
        let refused = try await harness.send(SpecimenWebhook(id: "m-2", body: body).request)
        #expect(refused.problem == "422 image_url_refused")
        #expect(!refused.text.contains("internal.example.org"))
    }

    private static let tampered: [(what: String, webhook: SpecimenWebhook)] = {
        let right = SpecimenWebhook().request.headers.first { $0.0 == "webhook-signature" }?.1 ?? ""
        return [
            ("another secret", SpecimenWebhook(secret: Data(repeating: 9, count: 32))),
            ("another id", SpecimenWebhook(id: "msg-2", signature: right)),
            ("another time", SpecimenWebhook(timestamp: "\(SpecimenWebhook.seconds + 1)", signature: right)),
            ("another body", SpecimenWebhook(body: SpecimenWebhook.data(["business_no": "X"]), signature: right)),
            ("too old", SpecimenWebhook(timestamp: "\(SpecimenWebhook.seconds - 301)")),
            ("from the future", SpecimenWebhook(timestamp: "\(SpecimenWebhook.seconds + 301)")),
            ("no id", SpecimenWebhook(without: "webhook-id")),
            ("no time", SpecimenWebhook(without: "webhook-timestamp")),
            ("no signature", SpecimenWebhook(without: "webhook-signature")),
            ("an id with a dot", SpecimenWebhook(id: "msg.1")),
            ("a long id", SpecimenWebhook(id: String(repeating: "m", count: 257))),
            ("a time with a sign", SpecimenWebhook(timestamp: "+\(SpecimenWebhook.seconds)")),
            ("a time with a blank", SpecimenWebhook(timestamp: "\(SpecimenWebhook.seconds) 0")),
            ("an empty id", SpecimenWebhook(id: "")), ("an empty time", SpecimenWebhook(timestamp: "")),
            ("a time with a fraction", SpecimenWebhook(timestamp: "\(SpecimenWebhook.seconds).0")),
            ("an empty signature", SpecimenWebhook(signature: "")),
            ("the signature of another version", SpecimenWebhook(signature: right.replacing("v1,", with: "v2,"))),
            ("a signature without a version", SpecimenWebhook(signature: right.replacing("v1,", with: ""))),
            ("no Base64", SpecimenWebhook(signature: "v1,%%%%")),
            ("only an asymmetric signature", SpecimenWebhook(signature: "v1a,AAAA")),
            ("a short signature", SpecimenWebhook(signature: "v1,AAAA")),
            (
                "bad JSON under a wrong signature",
                SpecimenWebhook(body: Data("{".utf8), signature: "v1,\(String(repeating: "A", count: 43))=")
            ),
        ]
    }()

    @Test func `whatever is wrong has one and the same answer, and nothing is stored`() async throws {
        let reference = try await harness.send(Self.tampered[0].webhook.request)
        #expect(reference.status == 401)
        #expect(reference["www-authenticate"] == "Signature realm=\"idcard-pipeline\"")
        for (what, webhook) in Self.tampered {
            let wrong = try await harness.send(webhook.request)
            #expect(Self.comparable(wrong) == Self.comparable(reference), "\(what)")
        }
        #expect(try await harness.cards().isEmpty)
    }

    /// Everything of an answer but the name of its request and the time.
    private static func comparable(_ response: RawResponse) -> String {
        let own = response["request-id"] ?? "-"
        let headers = response.headers.filter { $0.name != "date" }.map { "\($0.name): \($0.value)" }
        return (headers.sorted() + [response.text]).joined(separator: "\n").replacingOccurrences(of: own, with: "id")
    }

    @Test func `both ends of the tolerance are within it, and a right signature is found among others`() async throws {
        let right = SpecimenWebhook().request.headers.first { $0.0 == "webhook-signature" }?.1 ?? ""
        for (what, webhook) in [
            ("the oldest", SpecimenWebhook(timestamp: "\(SpecimenWebhook.seconds - 300)")),
            ("the newest", SpecimenWebhook(id: "m-2", timestamp: "\(SpecimenWebhook.seconds + 300)")),
            ("several", SpecimenWebhook(signature: "v1a,xyz v1,\(String(repeating: "A", count: 43))= \(right)")),
        ] { #expect(try await harness.send(webhook.request).status == 202, "\(what)") }
    }

    @Test func `two sendings of one message at once do not both take it in`() async throws {
        harness.intake.gate.close()
        async let first = harness.send(SpecimenWebhook.image("m-1").request)
        await harness.intake.arrivals.wait(for: 1)
        #expect(try await harness.send(SpecimenWebhook.image("m-1").request).problem == "503 busy")
        harness.intake.gate.open()
        #expect(try await first.status == 202)
        #expect(try await harness.cards().count == 1)
    }

    private static func card(_ fields: [String: String]) -> Data {
        SpecimenWebhook.data(fields.merging(["business_no": "C"]) { $1 })
    }

    private static let malformed: [(body: Data, problem: String)] = [
        (Data("{".utf8), "422 json_invalid"), (Data("[]".utf8), "422 json_invalid"),
        (Data("{\"type\":\"card.created\"}".utf8), "422 json_invalid"),
        (card([:]), "422 image_missing"),
        (card(["image_url": "https://a.example/b", "image_base64": "AAAA"]), "422 image_missing"),
        (card(["colour": "red", "image_url": "https://a.example/b"]), "422 field_unknown"),
        (SpecimenWebhook.data(["image_url": "https://images.example.com/b"]), "422 business_no_missing"),
        (card(["image_url": "file:///etc/passwd"]), "422 image_url_invalid"),
        (card(["image_url": "https://u:w@a.example/b"]), "422 image_url_invalid"),
        (card(["image_url": "/b.jpg"]), "422 image_url_invalid"),
        (card(["image_base64": "????"]), "422 image_invalid"),
        (card(["image_base64": "AAA"]), "422 image_invalid"),
        (card(["image_base64": "QQ==QUFB"]), "422 image_invalid"),
        (card(["image_base64": "data:image/jpeg;base64"]), "422 image_invalid"),
        (card(["image_base64": ""]), "422 image_empty"),
        (card(["image_base64": "AAAA"]), "415 unsupported_format"),
        (
            Data(#"{"type":"card.created","data":{"business_no":7,"image_url":"https://a.example/b"}}"#.utf8),
            "422 json_invalid"
        ),
        (
            // Two bytes a character, one of them a quote.
            "{\"data\":{\"business_no\":\"\u{2200}\u{122}\",\"image_base64\":\"AAAA\"}}".data(using: .utf16LittleEndian)
                ?? Data(), "422 json_invalid"
        ),
        (
            Data(#"{"data":{"business_no":"A","business_\u006eo":"B","image_base64":"A"},"type":"card.created"}"#.utf8),
            "422 field_duplicate"
        ),
    ]

    @Test func `what is wrong under a right signature has a code of its own`() async throws {
        for (number, malformed) in Self.malformed.enumerated() {
            let response = try await harness.send(SpecimenWebhook(id: "m-\(number)", body: malformed.body).request)
            #expect(response.problem == malformed.problem, "\(number)")
        }
        #expect(try await harness.cards().isEmpty)
    }

    // MARK: Types

    @Test(arguments: ["ping", "card.deleted", "Card.Created"])
    func `a message of another type without an image is counted, and makes no card`(type: String) async throws {
        let bodies = [
            SpecimenWebhook.data(["business_no": "CASE-1", "reason": "withdrawn"], type: type),
            Data("{\"type\":\"\(type)\"}".utf8), Data("{\"type\":\"\(type)\",\"data\":[7]}".utf8),
            Data("{\"type\":\"\(type)\",\"data\":{\"image_url\":null,\"a\":1,\"a\":2}}".utf8),
        ]
        for (index, body) in bodies.enumerated() {
            let response = try await harness.send(SpecimenWebhook(id: "m-\(index)", body: body).request)
            #expect(response.status == 204 && response.body.isEmpty, "\(index)")
        }
        #expect(try await harness.cards().isEmpty)
        #expect(harness.metrics.text.contains("\nidcard_http_ignored_webhooks_total \(bodies.count)\n"))
    }

    @Test func `an image of another type, or a message without one, is refused, and nothing is stored`() async throws {
        let image = ["business_no": "CASE-1", "image_url": "https://images.example.com/a.jpg"]
        let data = "\"data\":{\"business_no\":\"CASE-1\",\"image_base64\":\"/9j/\"}"
        let texts = [
            "{\(data)}", "{}", "{\"data\":{}}", "{\"type\":null}", "{\"type\":\"\"}", "{\"type\":7,\(data)}",
            "{\"type\":\"ping\",\(data)}", "{\"type\":\"ping\",\(data),\"data\":{}}",
            "{\"type\":\"card.created\",\"type\":\"ping\"}",
        ]
        let bodies = [SpecimenWebhook.data(image, type: "card.deleted")] + texts.map { Data($0.utf8) }
        for (index, body) in bodies.enumerated() {
            let response = try await harness.send(SpecimenWebhook(id: "m-\(index)", body: body).request)
            #expect(response.problem == "422 webhook_type_unknown", "\(index)")
            #expect((response.json["detail"] as? String)?.contains("card.created") == true, "\(index)")
        }
        #expect(try await harness.cards().isEmpty)
    }

    // MARK: Spellings

    @Test func `the same image is read with a prefix, with line breaks and with blanks around it`() async throws {
        let image = Specimen.jpeg("spelt", byteCount: 1_000).base64EncodedString()
        let lines = stride(from: 0, to: image.count, by: 76).map { String(image.dropFirst($0).prefix(76)) }
        let spellings = [
            image, "data:image/jpeg;base64,\(image)", "DATA:;base64,\(image)", "\(image)\\n", " \\t\(image)\\r\\n ",
            lines.joined(separator: "\\r\\n"), "data:image/png;base64,\\n\(lines.joined(separator: "\\n"))\\n",
        ]
        for (index, spelling) in spellings.enumerated() {
            let body = SpecimenWebhook.data(["business_no": "CASE-1", "image_base64": spelling])
            let response = try await harness.send(SpecimenWebhook(id: "m-\(index)", body: body).request)
            #expect(response.status == 202, "\(index)")
            #expect(response.json["duplicate"] as? Bool == (index > 0), "\(index)")
        }
    }

    @Test(arguments: [
        ("/9j_AAAA", "URL"), ("/9j-AAAA", "URL"), ("/9j AAAA", "+"), ("/9j/ AAA", "+"), ("/9j/%2BAA", "character"),
        ("/9j/AAA", "cut off"), ("/9j/A===", "cut off"),
    ])
    func `what is no Base64 is named`(text: String, word: String) async throws {
        let body = SpecimenWebhook.data(["business_no": "C", "image_base64": text])
        let response = try await harness.send(SpecimenWebhook(body: body).request)
        #expect(response.problem == "422 image_invalid")
        #expect((response.json["detail"] as? String)?.contains(word) == true, "\(response.text)")
    }

    @Test func `a sender's retry, also in other JSON, gets the same card; other values are refused`() async throws {
        let image = Specimen.jpeg("m-1").base64EncodedString()
        let address = "https://images.example.com/a.jpg"
        func body(_ data: String, _ more: String = "") -> Data {
            Data("{\(more)\"data\": {\(data)}, \"type\": \"card.created\"}\n".utf8)
        }
        for (id, field, value) in [("m-1", "image_base64", image), ("m-2", "image_url", address)] {
            let plain = SpecimenWebhook.data(["business_no": "CASE-1", field: value])
            let first = try await harness.send(SpecimenWebhook(id: id, body: plain).request)
            #expect(first.status == 202)
            let image = "\"\(field)\":\"\(value.replacing("/", with: "\\/"))\""
            let anew = body("\(image), \"business_no\": \" CASE-1\", \"side\": null", "\"timestamp\": \"later\", ")
            for (body, time) in [(plain, SpecimenWebhook.seconds + 5), (anew, SpecimenWebhook.seconds)] {
                let webhook = SpecimenWebhook(id: id, timestamp: "\(time)", body: body)
                let again = try await harness.send(webhook.request)
                #expect(again.status == 202 && again["idempotent-replayed"] == "true", "\(id)")
                #expect(again.body == first.body, "\(id)")
            }
            let others = [
                body("\(image), \"business_no\": \"CASE-2\""),
                body("\(image), \"business_no\": \"CASE-1\", \"priority\": 1"),
                body("\"image_url\":\"\(address)?v=2\", \"business_no\": \"CASE-1\""),
            ]
            for other in others {
                let refused = try await harness.send(SpecimenWebhook(id: id, body: other).request)
                #expect(refused.problem == "409 webhook_id_reused", "\(id)")
            }
        }
        #expect(try await harness.cards().count == 2)
    }

    @Test func `why a webhook is not accepted stands in the log alone`() async throws {
        let refused = [
            (SpecimenWebhook(secret: Data(repeating: 9, count: 32)), "no secret made this signature"),
            (SpecimenWebhook(timestamp: "\(SpecimenWebhook.seconds + 312)"), "webhook-timestamp is 312 s ahead"),
            (SpecimenWebhook(timestamp: "\(SpecimenWebhook.seconds - 900)"), "webhook-timestamp is 900 s behind"),
            (SpecimenWebhook(without: "webhook-id"), "webhook-id is missing or malformed"),
            (SpecimenWebhook(signature: "v1a,AAAA"), "webhook-signature is missing or malformed"),
        ]
        for (number, (webhook, reason)) in refused.enumerated() {
            let response = try await harness.send(webhook.request)
            #expect(response.problem == "401 signature_invalid" && !response.text.contains(reason))
            let reasons = harness.log.text.matches(of: /webhook\.refusal=[^\n]*/).map(\.0)
            #expect(reasons.count == number + 1 && reasons[number].hasPrefix("webhook.refusal=\(reason)"))
        }
        try await ServerHarness.with { (harness) async throws in
            #expect(try await harness.send(SpecimenWebhook().request).status == 401)
            #expect(harness.log.text.contains("webhook.refusal=webhooks.secrets is empty"))
        }
    }

    @Test func `without a secret nothing is read: a client that asks before it sends is refused`() async throws {
        try await ServerHarness.with(now: { SpecimenWebhook.time }) { (harness) async throws in
            var request = SpecimenWebhook().request
            request.headers.append(("Expect", "100-continue"))
            let head = request.head
            let status = try await harness.connected { (connection) async throws -> Int? in
                try await connection.send(head)
                return try await connection.response()?.status
            }
            #expect(status == 401)
        }
    }

    @Test func `a body over the limit is refused, and the text and the image of one both count`() async throws {
        try await self.serving({
            $0.imageBytes = 90_000
            $0.bodyMemory = 1
            $0.roomWait = .zero
        }) { (harness) async throws in
            let large = try await harness.send(SpecimenWebhook.image("m-1", byteCount: 200_000).request)
            #expect(large.problem == "413 body_too_large")
            // Of 360,000 bytes a webhook of 90,000 takes 264,000 beyond the 64 KiB that are free: two do not fit.
            harness.intake.gate.close()
            async let first = harness.send(SpecimenWebhook.image("m-2", byteCount: 90_000).request)
            await harness.intake.arrivals.wait(for: 1)
            let second = try await harness.send(SpecimenWebhook.image("m-3", byteCount: 90_000).request)
            #expect(second.problem == "503 busy")
            harness.intake.gate.open()
            #expect(try await first.status == 202)
        }
    }

    /// Begins a message, and lends its connection once all of its body but the end was sent.
    private func beginning(
        _ request: RawRequest,
        on harness: ServerHarness,
        from source: String = "127.0.0.2",
        _ body: (RawConnection) async throws -> Void
    ) async throws {
        var request = request
        request.headers.append(("Expect", "100-continue"))
        try await harness.connected(from: source) { (connection) async throws in
            try await connection.send(request.head)
            #expect(try await connection.response()?.status == 100)
            try await connection.send(request.body.dropLast(10))
            try await body(connection)
        }
    }

    private static func forged(byteCount: Int) -> RawRequest {
        SpecimenWebhook.image("m-0", byteCount: byteCount, secret: Data(repeating: 9, count: 32)).request
    }

    // With images of 1,000,000 bytes 1,398,868 may be unsigned. Of such an image 1,267,800 count, of 155,000 bytes 141,200.

    @Test func `unsigned bodies that drip give way to a genuine one, and take nothing of a token's`() async throws {
        try await self.serving({
            $0.imageBytes = 1_000_000
            $0.bodyMemory = 1
            $0.connections.unsignedMemory = 1
        }) { (harness) async throws in
            try await self.beginning(Self.forged(byteCount: 155_000), on: harness) { (first) async throws in
                try await self.beginning(Self.forged(byteCount: 1_000_000), on: harness) { (second) async throws in
                    #expect(try await first.response()?.problem == "503 busy")
                    harness.intake.gate.close()
                    // All that those with a token may have.
                    let uploads = ["1", "2", "3", "4"].map { Specimen.jpeg($0, byteCount: 1_000_000) }
                    try await withThrowingTaskGroup(of: Int.self) { tasks in
                        for upload in uploads {
                            tasks.addTask { try await harness.send(.image(upload, token: "submitter")).status }
                        }
                        await harness.intake.arrivals.wait(for: 4)
                        harness.intake.gate.open()
                        for try await status in tasks { #expect(status == 202) }
                    }
                    let genuine = SpecimenWebhook.image("m-1", byteCount: 600_000).request
                    #expect(try await harness.send(genuine).status == 202)
                    let answer = try await second.response()
                    #expect(answer?.problem == "503 busy" && answer?["retry-after"] == "2")
                }
            }
        }
    }

    @Test func `of two addresses the one with more unsigned bytes gives way, though it came later`() async throws {
        try await self.serving({
            $0.imageBytes = 1_000_000
            $0.connections.unsignedMemory = 1
        }) { (harness) async throws in
            let honest = SpecimenWebhook.image("m-1", byteCount: 155_000).request
            try await self.beginning(honest, on: harness, from: "127.0.0.3") { (sender) async throws in
                try await self.beginning(Self.forged(byteCount: 1_000_000), on: harness) { (slow) async throws in
                    #expect(try await slow.response()?.problem == "503 busy")
                    try await sender.send(honest.body.suffix(10))
                    #expect(try await sender.response()?.status == 202)
                }
            }
        }
    }

    @Test func `an unsigned body has a total time, an upload with a token has none`() async throws {
        try await self.serving({
            $0.connections.bodyGrace = .seconds(2)
            $0.connections.bodyBytesPerSecond = 1
            $0.connections.unsignedBytesPerSecond = 1 << 30
        }) { (harness) async throws in
            let upload = RawRequest.image(Specimen.jpeg(byteCount: 1_000), token: "submitter").bytes
            try await harness.connected { (sender) async throws in
                // So many bytes earn more time than is needed, here as there.
                try await sender.send(upload.dropLast(100))
                try await self.beginning(Self.forged(byteCount: 1_000), on: harness) { (slow) async throws in
                    #expect(try await slow.response()?.problem == "408 body_timeout")
                }
                try await sender.send(upload.suffix(100))
                #expect(try await sender.response()?.status == 202)
            }
        }
    }

    @Test func `a sender that has signed stays where strangers give way`() async throws {
        try await self.serving({ $0.connections.connections = 1 }) { (harness) async throws in
            try await harness.connected { (sender) async throws in
                try await sender.send(SpecimenWebhook.image("m-1").request.bytes)
                #expect(try await sender.response()?.status == 202)
                let refused = try await harness.connected { try await $0.response() }
                #expect(refused?.problem == "503 connections_exhausted")
            }
        }
    }

    @Test func `secrets are 24 to 64 bytes in Base64, have names, and do not print themselves`() throws {
        for text in ["whsec_AAAA", "no base64", "a b=whsec_\(SpecimenWebhook.old.base64EncodedString())"] {
            let error = #expect(throws: CodedError.self) { try WebhookSecret(Redacted(text)) }
            #expect(error?.code.rawValue == "webhook_secret_invalid")
            #expect(error?.message.text().contains(SpecimenWebhook.old.base64EncodedString()) == false)
        }
        let secret = try WebhookSecret(Redacted(SpecimenWebhook.old.base64EncodedString()))
        #expect(secret.name == "webhook")
        let (old, new) = (SpecimenWebhook.old.base64EncodedString(), SpecimenWebhook.new.base64EncodedString())
        for text in ["\(old)", "acme=whsec_\(old)\nacme=whsec_\(new)", "webhook=whsec_\(old),b=whsec_\(new)"] {
            #expect(throws: Never.self) { try WebhookSecret.secrets(in: Redacted(text)) }
        }
        for text in ["\(old)\n\(new)", "acme=whsec_\(old),whsec_\(new)", "1-11010519491231002X=whsec_\(old)"] {
            #expect(throws: CodedError.self) { try WebhookSecret.secrets(in: Redacted(text)) }
        }
        #expect(try SpecimenWebhook.secret(SpecimenWebhook.old).name == "acme")
        var dumped = "\(secret)" + String(reflecting: secret)
        dump(secret, to: &dumped)
        #expect(!dumped.contains("AQEBAQ"))
    }
}
