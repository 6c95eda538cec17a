import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import OutboundHTTP
import Testing

@testable import IDCardDelivery

/// The client as the engine sees it, over a real socket.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct BusinessBackendClientTests {
    private let key = "8e03978e-40d5-43e8-bc93-6894a57f9324"
    private let jpeg = Data([0xFF, 0xD8, 0xFF, 0x00, 0xFF, 0xD9])

    private func withClient<Value>(
        port: Int,
        timeout: Duration = .seconds(20),
        _ run: (BusinessBackendClient) async throws -> Value
    ) async throws -> Value {
        let http = OutboundHTTPClient()
        do {
            let configuration = BusinessBackendClient.Configuration(
                url: "http://127.0.0.1:\(port)/upload",
                timeout: timeout
            )
            let value = try await run(BusinessBackendClient(configuration, http: http))
            await http.shutdown()
            return value
        } catch {
            await http.shutdown()
            throw error
        }
    }

    private func delivery(with client: BusinessBackendClient) throws -> OutboundDelivery {
        let member = try makeMember(.front)
        let parts = try DeliveryLayout().parts(for: [member], token: Redacted("canary-token"))
        let images = [member.card: self.jpeg]
        return OutboundDelivery(
            idempotencyKey: self.key,
            boundary: try client.boundary(forKey: self.key, parts: parts, images: images),
            parts: parts,
            images: images,
            confidential: [Redacted("欧阳甲"), Redacted("某省金丝雀市样本路7号")]
        )
    }

    @Test("Every attempt sends the same bytes under the same quoted key, and an unreadable answer is unknown")
    func attempts() async throws {
        let server = LoopbackServer()
        defer { server.close() }
        async let requests = server.answer(
            with: ["", replyText("200 OK", body: "oops"), replyText("200 OK", body: #"{"RETCODE":"000000"}"#)]
        )
        let outcomes = try await self.withClient(port: server.port) { client in
            let delivery = try self.delivery(with: client)
            var outcomes: [DeliveryOutcome] = []
            for _ in 0..<3 { outcomes.append(await client.send(delivery)) }
            return outcomes
        }
        #expect(outcomes.map { $0.failure?.failureClass } == [.unknown, .unknown, nil])
        #expect(outcomes.map { $0.failure?.code } == ["connection_closed", "unreadable_reply", nil])
        #expect(outcomes[2] == .accepted(alreadyExisted: false, code: "000000"))
        let received = await requests
        #expect(received.count == 3)
        #expect(Set(received).count == 1)
        let text = String(decoding: received[0], as: UTF8.self)
        #expect(text.hasPrefix("POST /upload HTTP/1.1\r\n"))
        #expect(text.contains("\r\nIdempotency-Key: \"\(self.key)\"\r\n"))
        #expect(text.contains("name=\"FILE\"; filename=\"IDFrontImage.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"))
        let names = text.components(separatedBy: "form-data; name=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(names == ["TOKEN", "USERNO", "BUSINESSTYPE", "BUSINESSNO", "DOCTYPE", "FILE"])
    }

    @Test("A refusal's message repeats nothing of the form or the card")
    func canary() async throws {
        let server = LoopbackServer()
        defer { server.close() }
        let body = #"{"RETCODE":"E1","RETMSG":"user canary-user token canary-token rejected, 欧阳甲 金丝雀市样本路"}"#
        async let requests = server.answer(with: [replyText("200 OK", body: body)])
        let outcome = try await self.withClient(port: server.port) { client in
            await client.send(try self.delivery(with: client))
        }
        #expect(await requests.count == 1)
        #expect(outcome.failure?.failureClass == .rejected)
        #expect(outcome.failure?.message.contains("rejected") == true)
        for secret in ["canary", "欧阳", "金丝雀"] { #expect(!"\(outcome)".contains(secret)) }
    }

    @Test("A refused connection has sent nothing")
    func refused() async throws {
        let server = LoopbackServer()
        server.close()
        let outcome = try await self.withClient(port: server.port) { client in
            await client.send(try self.delivery(with: client))
        }
        #expect(outcome.failure?.failureClass == .notSent)
        #expect(outcome.failure?.code == "connect_refused")
    }

    @Test("A delivery cancelled before it was sent costs no attempt")
    func cancelled() async throws {
        let outcome = try await self.withClient(port: 9) { client in
            let delivery = try self.delivery(with: client)
            return await withTaskGroup(of: DeliveryOutcome.self) { group in
                group.cancelAll()
                group.addTask { await client.send(delivery) }
                return await group.next()
            }
        }
        #expect(outcome?.failure?.failureClass == .notSent)
        #expect(outcome?.failure?.code == "cancelled")
    }

    @Test("A delivery whose image is missing, or whose key is no header, sends nothing")
    func broken() async throws {
        let outcomes = try await self.withClient(port: 9) { client in
            var imageless = try self.delivery(with: client)
            imageless.images = [:]
            var keyless = try self.delivery(with: client)
            keyless.idempotencyKey = "a\r\nb"
            var unbounded = try self.delivery(with: client)
            unbounded.boundary = ""
            return [await client.send(imageless), await client.send(keyless), await client.send(unbounded)]
        }
        #expect(outcomes.map { $0.failure?.code } == ["image_missing", "form_invalid", "form_invalid"])
        #expect(outcomes.map { $0.failure?.failureClass } == [.rejected, .rejected, .rejected])
    }

    @Test("A boundary depends on key and content only, and dodges a part that holds it")
    func boundary() async throws {
        let (first, again, dodged) = try await self.withClient(port: 9) { client in
            let delivery = try self.delivery(with: client)
            let first = delivery.boundary
            let hostile = [DeliveryPart.text("x\r\n--\(first)\r\n", name: "n")]
            return (
                first, try self.delivery(with: client).boundary,
                try client.boundary(forKey: self.key, parts: hostile, images: [:])
            )
        }
        #expect(first == again)
        #expect(first != dodged)
    }

    @Test("A batch is answered card by card")
    func batch() async throws {
        let server = LoopbackServer()
        defer { server.close() }
        let body = #"{"RETCODE":"E0","ITEMS":[{"RETCODE":"0"},{"RETCODE":"E1","RETMSG":"canary-token"}]}"#
        async let requests = server.answer(with: [replyText("200 OK", body: body)])
        let outcome = try await self.withClient(port: server.port) { client in
            let members = try [makeMember(.front), makeMember(.back)]
            let parts = try DeliveryLayout(.batch).parts(for: members, token: Redacted("canary-token"))
            let images = [members[0].card: self.jpeg, members[1].card: self.jpeg]
            let boundary = try client.boundary(forKey: self.key, parts: parts, images: images)
            return await client.send(
                OutboundDelivery(idempotencyKey: self.key, boundary: boundary, parts: parts, images: images)
            )
        }
        #expect(await requests.count == 1)
        guard case .items(let items) = outcome, items.count == 2, case .rejected(let failure) = items[1] else {
            Issue.record("expected two items")
            return
        }
        #expect(items[0] == .accepted(alreadyExisted: false, code: "0"))
        #expect(failure.code == "E1")
        #expect(!"\(outcome)".contains("canary"))
    }

    @Test("An encryption that cannot be used is refused at the start")
    func invalidEncryption() async throws {
        let http = OutboundHTTPClient()
        let encryption = ReplyEncryption(key: Redacted("canary-short"))
        let error = #expect(throws: DeliveryError.self) {
            try BusinessBackendClient(.init(url: "http://127.0.0.1:9", replyEncryption: encryption), http: http)
        }
        await http.shutdown()
        #expect(error?.code == (ReplyCipher.isSupported ? .invalidEncryption : .unsupportedEncryption))
        #expect(error.map { "\($0)".contains("canary") } == false)
    }

    @Test("A URL that nothing can be sent to is refused with its key's name")
    func invalidURL() async throws {
        let http = OutboundHTTPClient()
        let error = #expect(throws: DeliveryError.self) { try BusinessBackendClient(.init(url: "nowhere"), http: http) }
        await http.shutdown()
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("delivery.url") == true)
    }
}
