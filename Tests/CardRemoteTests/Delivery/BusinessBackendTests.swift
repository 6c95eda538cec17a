import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardRemote

/// The backend as the engine sees it, over a real socket.
@Suite(.timeLimit(.minutes(5))) struct BusinessBackendTests {
    private let key = "8e03978e-40d5-43e8-bc93-6894a57f9324"
    private let jpeg = Data([0xFF, 0xD8, 0xFF, 0x00, 0x0D, 0x0A, 0xFF, 0xD9])

    private func delivery(
        with backend: BusinessBackend,
        _ members: [DeliveryMember] = [makeMember(.front)]
    ) async throws -> OutboundDelivery {
        try await makeDelivery(with: backend, members, key: self.key, confidential: ["欧阳甲", "某省金丝雀市样本路7号"])
    }

    /// What becomes of a front that is answered so.
    private func outcome(of reply: FaultReply) async throws -> DeliveryOutcome {
        try await withFaultServer(.reply(reply)) { _, port in
            try await withBackend(port: port) { try await $0.send(try await self.delivery(with: $0)) }
        }
    }

    @Test func `every attempt sends the same bytes and quoted key, and an unreadable answer is unknown`() async throws {
        try await withFaultServer(
            .commit({ _ in }, then: .close),
            .reply(FaultReply(body: "oops")),
            .reply(.json(#"{"RETCODE":"000000"}"#))
        ) { server, port in
            let outcomes = try await withBackend(port: port) { backend in
                #expect(backend.endpoint == "127.0.0.1:\(port)")
                let delivery = try await self.delivery(with: backend)
                var outcomes: [DeliveryOutcome] = []
                for _ in 0..<3 { outcomes.append(try await backend.send(delivery)) }
                return outcomes
            }
            #expect(outcomes.map { $0.failure?.failureClass } == [.unknown, .unknown, nil])
            #expect(outcomes.map { $0.failure?.code } == ["connection_closed", "unreadable_reply", nil])
            #expect(outcomes[2] == .accepted(alreadyExisted: false, code: "000000"))
            #expect(server.received.count == 3)
            #expect(Set(server.received.map { $0.body }).count == 1)
            let request = server.received[0]
            #expect(request.path == "/upload")
            #expect(server.received.allSatisfy { $0.header("Idempotency-Key") == "\"\(self.key)\"" })
            let text = String(decoding: request.body, as: UTF8.self)
            #expect(text.contains("name=\"FILE\"; filename=\"IDFrontImage.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"))
            let names = text.components(separatedBy: "form-data; name=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
            #expect(names == ["TOKEN", "USERNO", "BUSINESSTYPE", "BUSINESSNO", "DOCTYPE", "FILE"])
        }
    }

    @Test func `A refusal's message repeats nothing of the form or the card`() async throws {
        let body = #"{"RETCODE":"E1","RETMSG":"user canary-user token canary-token rejected, 欧阳甲 金丝雀市样本路"}"#
        let outcome = try await self.outcome(of: .json(body))
        let failure = try #require(outcome.failure)
        #expect(failure.failureClass == .rejected)
        #expect(failure.isUnlisted)
        #expect(failure.message.contains("rejected"))
        for secret in ["canary", "欧阳", "金丝雀"] { #expect(!failure.message.contains(secret)) }
        // What is left of it is somebody's free text.
        #expect(!"\(failure)".contains("rejected,"))
    }

    @Test func `A success in GBK is a success, one in a charset that is not known names the charset`() async throws {
        // 成功 by iconv.
        let body = Array(#"{"RETCODE":"0","RETMSG":""#.utf8) + [0xB3, 0xC9, 0xB9, 0xA6] + Array(#""}"#.utf8)
        func outcome(_ charset: String) async throws -> DeliveryOutcome {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=\(charset)\r\n"
            let length = "Content-Length: \(body.count)\r\n\r\n"
            return try await self.outcome(of: FaultReply(raw: Array((head + length).utf8) + body))
        }
        #expect(try await outcome("GBK") == .accepted(alreadyExisted: false, code: "0"))
        let unknown = try #require(try await outcome("x-klingon").failure)
        #expect(unknown.failureClass == .unknown && unknown.message.contains("x-klingon"))
    }

    @Test func `A batch is answered card by card`() async throws {
        let body = #"{"RETCODE":"E0","ITEMS":[{"RETCODE":"0"},{"RETCODE":"E1","RETMSG":"canary-token"}]}"#
        try await withFaultServer(.reply(.json(body))) { _, port in
            let outcome = try await withBackend(port: port, { $0.layout = .batch }) { backend in
                let members = [makeMember(.front), makeMember(.back)]
                return try await backend.send(try await self.delivery(with: backend, members))
            }
            let items = try #require(outcome.items)
            #expect(items.count == 2 && items[0] == .accepted(alreadyExisted: false, code: "0"))
            let failure = try #require(items.last?.failure)
            #expect(items.last == .rejected(failure) && failure.code == "E1")
            #expect(!failure.message.contains("canary"))
        }
    }

    @Test func `a connection that is refused applied nothing, one that breaks off may have`() async throws {
        let refused = try await withBackend { try await $0.send(try await self.delivery(with: $0)) }
        #expect(refused.failure?.failureClass == .notSent && refused.failure?.mayBeApplied == false)
        let closed = try await withFaultServer(.commit({ _ in }, then: .close)) { _, port in
            try await withBackend(port: port) { try await $0.send(try await self.delivery(with: $0)) }
        }
        #expect(closed.failure?.failureClass == .unknown && closed.failure?.mayBeApplied == true)
    }

    @Test func `A delivery that makes no request sends nothing`() async throws {
        try await withBackend { backend in
            let whole = try await self.delivery(with: backend)
            var imageless = whole
            imageless.images = [:]
            var keyless = whole
            keyless.idempotencyKey = "a\r\nb"
            var unbounded = whole
            unbounded.boundary = ""
            var codes: [String?] = []
            for broken in [imageless, keyless, unbounded] {
                let failure = try await backend.send(broken).failure
                #expect(failure?.failureClass == .rejected)
                codes.append(failure?.code)
            }
            #expect(codes == ["image_missing", "form_invalid", "form_invalid"])
        }
    }

    @Test func `A boundary depends on key and content only, and dodges a part that holds it`() async throws {
        try await withBackend { backend in
            let first = try await self.delivery(with: backend).boundary
            #expect(try await self.delivery(with: backend).boundary == first)
            let hostile = [DeliveryPart.text("x\r\n--\(first)\r\n", name: "n")]
            #expect(try backend.boundary(for: self.key, parts: hostile, images: [:]) != first)
        }
    }

    @Test func `a delivery cut short once handed over ends without an outcome, before that as not sent`() async throws {
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        try await withFaultServer(.commit({ _ in arrival.yield() }, then: .silence)) { server, port in
            try await withBackend(port: port) { backend in
                let delivery = try await self.delivery(with: backend)
                let sent = Task { try await backend.send(delivery) }
                for await _ in arrived { break }
                sent.cancel()
                await #expect(throws: CancellationError.self) { try await sent.value }
                let unsent = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await backend.send(delivery)
                }
                #expect(try await unsent.value.failure?.failureClass == .notSent)
                #expect(server.received.count == 1)
            }
        }
    }

    @Test func `a raw delivery puts texts into headers and stays raw under every later configuration`() async throws {
        try await withFaultServer(.reply(.json(#"{"RETCODE":"000000"}"#))) { server, port in
            let raw = try await withBackend(
                port: port,
                { settings in
                    settings.body = .octetStream
                    settings.token = .value(Redacted("号 1%"))
                    settings.form.frontFilename = "正面 (1).jpg"
                },
                run: { try await self.delivery(with: $0) }
            )
            let seen = Mutex<[Int64]>([])
            let outcome = try await withBackend(port: port) { backend in
                try await backend.send(raw) { sent, total in seen.withLock { $0 += [sent, total] } }
            }
            #expect(outcome == .accepted(alreadyExisted: false, code: "000000"))
            #expect(seen.withLock { $0 } == [8, 8])
            let request = server.received[0]
            #expect(request.body == Array(self.jpeg))
            #expect(request.header("Content-Type") == "application/octet-stream")
            #expect(request.header("X-TOKEN") == "%E5%8F%B7%201%25")
            #expect(request.header("X-BUSINESSNO") == "LOAN-2024-0001")
            #expect(request.header("X-DOCTYPE") == "IDCARD_FRONT_APP")
            #expect(request.header("Idempotency-Key") == "\"\(self.key)\"")
            let disposition = "attachment; filename=\"__ (1).jpg\"; filename*=UTF-8''%E6%AD%A3%E9%9D%A2%20%281%29.jpg"
            #expect(request.header("Content-Disposition") == disposition)
        }
    }

    @Test func `What makes no header, or not one image, is refused before anything is sent`() {
        let image = DeliveryPart.image(of: CardID(rawValue: "c"), name: "F", filename: "f", contentType: "image/jpeg")
        let split = DeliveryPart.image(
            of: CardID(rawValue: "c"),
            name: "F",
            filename: "a\nb",
            contentType: "image/jpeg"
        )
        let table: [[DeliveryPart]] = [
            [], [.text("v", name: "A")], [image, image], [split], [.text("v", name: "号"), image],
            [.text("v", name: "A B"), image], [.text("v", name: "A:"), image],
        ]
        for parts in table {
            let failure = #expect(throws: RemoteFailure.self) { try OctetStreamUpload.request(for: parts) }
            #expect(failure?.code == "form_invalid")
        }
    }

    @Test func `Neither settings nor backend nor delivery print secrets`() async throws {
        var settings = makeDeliverySettings()
        // A word of this test alone: a dump of the shared event loops shows what others have under way.
        settings.endpoint.proxy = Redacted("http://user:wren@p.example:3128")
        settings.userNumber = Redacted("wren-user")
        settings.token = .value(Redacted("wren-token"))
        let backend = try BusinessBackend(settings)
        let delivery = try await self.delivery(with: backend)
        var dumped = ""
        dump(settings, to: &dumped)
        dump(backend, to: &dumped)
        dump(delivery, to: &dumped)
        await backend.shutdown()
        #expect(!dumped.contains("wren"))
        #expect(!"\(settings) \(delivery)".contains("wren"))
    }
}
