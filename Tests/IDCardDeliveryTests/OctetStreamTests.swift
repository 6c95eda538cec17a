import Foundation
import IDCardCore
import IDCardTesting
import OutboundHTTP
import Testing

@testable import IDCardDelivery

/// Raw bodies with the texts in headers.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct OctetStreamTests {
    private let image = Data([0xFF, 0xD8, 0xFF, 0x00, 0x0D, 0x0A, 0xFF, 0xD9])

    private func headers(
        _ parts: [DeliveryPart],
        _ upload: OctetStreamUpload = OctetStreamUpload()
    ) throws -> [String] {
        try upload.request(for: parts).headers.map { "\($0.name): \($0.value)" }
    }

    private func delivery(_ parts: [DeliveryPart], boundary: String) throws -> OutboundDelivery {
        OutboundDelivery(
            idempotencyKey: "key-1",
            boundary: boundary,
            parts: parts,
            images: [CardID(rawValue: "card-front"): self.image]
        )
    }

    private func withClient<Value>(
        port: Int = 9,
        body: UploadBody = .octetStream(OctetStreamUpload()),
        _ run: (BusinessBackendClient) async throws -> Value
    ) async throws -> Value {
        let http = OutboundHTTPClient()
        let result: Result<Value, any Error>
        do {
            let configuration = BusinessBackendClient.Configuration(
                url: "http://127.0.0.1:\(port)/upload",
                timeout: .seconds(20),
                body: body
            )
            result = .success(try await run(BusinessBackendClient(configuration, http: http)))
        } catch {
            result = .failure(error)
        }
        await http.shutdown()
        return try result.get()
    }

    @Test("The parts of the layout single become headers in their order")
    func single() throws {
        let parts = try DeliveryLayout().parts(for: [makeMember(.front)], token: Redacted("canary token"))
        #expect(
            try self.headers(parts) == [
                "X-TOKEN: canary%20token", "X-USERNO: canary-user", "X-BUSINESSTYPE: LOAN_APPLY",
                "X-BUSINESSNO: LOAN-2024-0001", "X-DOCTYPE: IDCARD_FRONT_APP",
                "Content-Disposition: attachment; filename=\"IDFrontImage.jpg\"",
            ]
        )
    }

    @Test(
        "A value is visible ASCII, everything else is percent-encoded UTF-8",
        arguments: [
            ("", ""), ("~!\"#&'()*+,/:;<=>?@[\\]^`{|}", "~!\"#&'()*+,/:;<=>?@[\\]^`{|}"), ("100%", "100%25"),
            ("a b", "a%20b"),
            ("a\r\nX-Evil: 1", "a%0D%0AX-Evil:%201"), ("\t\u{0}\u{7F}", "%09%00%7F"), ("号1", "%E5%8F%B71"),
        ]
    )
    func values(value: String, encoded: String) throws {
        let parts = [
            DeliveryPart.text(value, name: "V"),
            .image(of: CardID(rawValue: "c"), name: "FILE", filename: "f", contentType: "image/jpeg"),
        ]
        #expect(try self.headers(parts)[0] == "X-V: \(encoded)")
        #expect(encoded.removingPercentEncoding == value)
    }

    @Test(
        "A file name is quoted, and one that is not ASCII comes encoded beside",
        arguments: [
            ("a.jpg", "filename=\"a.jpg\""), ("a \"b\" \\c", "filename=\"a \\\"b\\\" \\\\c\""),
            ("正面 (1).jpg", "filename=\"__ (1).jpg\"; filename*=UTF-8''%E6%AD%A3%E9%9D%A2%20%281%29.jpg"),
        ]
    )
    func filenames(filename: String, parameters: String) throws {
        let part = DeliveryPart.image(
            of: CardID(rawValue: "c"),
            name: "F",
            filename: filename,
            contentType: "image/jpeg"
        )
        #expect(try self.headers([part]) == ["Content-Disposition: attachment; \(parameters)"])
    }

    @Test("What makes no header, or not one image, is refused before anything is sent")
    func refused() throws {
        let image = DeliveryPart.image(of: CardID(rawValue: "c"), name: "F", filename: "f", contentType: "image/jpeg")
        let other = DeliveryPart.image(of: CardID(rawValue: "d"), name: "F", filename: "f", contentType: "image/jpeg")
        let split = DeliveryPart.image(
            of: CardID(rawValue: "c"),
            name: "F",
            filename: "a\nb",
            contentType: "image/jpeg"
        )
        for parts in [
            [], [.text("v", name: "A")], [image, other], [split], [.text("v", name: "号"), image],
            [.text("v", name: "A B"), image], [.text("v", name: "A:"), image],
        ] {
            let error = #expect(throws: DeliveryError.self) { try OctetStreamUpload().request(for: parts) }
            #expect(error?.code == .formInvalid)
        }
        let error = #expect(throws: DeliveryError.self) {
            try OctetStreamUpload(headerPrefix: "").request(for: [.text("v", name: ""), image])
        }
        #expect(error?.code == .formInvalid)
    }

    @Test("The settings survive being persisted in the place of a boundary, and no boundary is taken for them")
    func recipe() {
        for upload in [
            OctetStreamUpload(), OctetStreamUpload(headerPrefix: "X-Meta-", mediaType: .jpeg),
            OctetStreamUpload(headerPrefix: ""), OctetStreamUpload(headerPrefix: "a;b;"),
        ] {
            #expect(OctetStreamUpload(recipe: upload.recipe) == upload)
        }
        for text in ["", "octet-stream", "octet-stream;text/plain;X-", "octet-stream;image/jpeg", "b;image/jpeg;X-"] {
            #expect(OctetStreamUpload(recipe: text) == nil)
        }
    }

    @Test("A raw body goes with the layout single alone", arguments: DeliveryLayout.Kind.allCases)
    func layouts(kind: DeliveryLayout.Kind) throws {
        try BusinessBackendClient.Configuration(url: "http://a").check(kind)
        let raw = BusinessBackendClient.Configuration(url: "http://a", body: .octetStream(OctetStreamUpload()))
        if kind == .single { return try raw.check(kind) }
        let error = try #require(throws: DeliveryError.self) { try raw.check(kind) }
        #expect(error.code == .unsupportedLayout)
        #expect(error.message.contains("delivery.body"))
    }

    @Test("A raw delivery stays one, and a form a form, whatever the configuration has become")
    func persisted() async throws {
        let parts = try DeliveryLayout().parts(for: [makeMember(.front)], token: Redacted("t"))
        let images = [CardID(rawValue: "card-front"): self.image]
        let raw = try await self.withClient { try $0.boundary(forKey: "key-1", parts: parts, images: images) }
        let form = try await self.withClient(body: .multipart) {
            try $0.boundary(forKey: "key-1", parts: parts, images: images)
        }
        #expect(raw == "octet-stream;application/octet-stream;X-")
        guard
            case .image(self.image, contentType: "application/octet-stream") =
                try UploadRequest(self.delivery(parts, boundary: raw)).content
        else {
            Issue.record("expected a raw body")
            return
        }
        guard case .form = try UploadRequest(self.delivery(parts, boundary: form)).content else {
            Issue.record("expected a form")
            return
        }
    }

    @Test("A raw delivery without its image has no recipe")
    func imageless() async throws {
        let parts = try DeliveryLayout().parts(for: [makeMember(.back)], token: Redacted("t"))
        let error = await #expect(throws: DeliveryError.self) {
            try await self.withClient { try $0.boundary(forKey: "key-1", parts: parts, images: [:]) }
        }
        #expect(error?.code == .imageMissing)
    }

    @Test(
        "The image goes over the wire as it is, with key, type and texts in the head",
        arguments: [
            OctetStreamUpload.MediaType.octetStream, .jpeg,
        ]
    )
    func wire(type: OctetStreamUpload.MediaType) async throws {
        let server = LoopbackServer()
        defer { server.close() }
        let reply = replyText("200 OK", body: #"{"RETCODE":"000000"}"#)
        async let requests = server.answer(with: [reply, reply])
        let upload = OctetStreamUpload(headerPrefix: "X-Card-", mediaType: type)
        let outcomes = try await self.withClient(port: server.port, body: .octetStream(upload)) { client in
            let parts = try DeliveryLayout().parts(for: [makeMember(.front)], token: Redacted("号 1"))
            let images = [CardID(rawValue: "card-front"): self.image]
            let boundary = try client.boundary(forKey: "key-1", parts: parts, images: images)
            let delivery = try self.delivery(parts, boundary: boundary)
            return [await client.send(delivery), await client.send(delivery)]
        }
        #expect(outcomes == [DeliveryOutcome](repeating: .accepted(alreadyExisted: false, code: "000000"), count: 2))
        let received = await requests
        #expect(Set(received).count == 1)
        let request = received[0]
        let end = try #require(request.firstRange(of: Data("\r\n\r\n".utf8)))
        #expect(request[end.upperBound...] == self.image)
        let head = Set(String(decoding: request[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n"))
        #expect(
            head.isSuperset(of: [
                "POST /upload HTTP/1.1", "Idempotency-Key: \"key-1\"", "Content-Type: \(type.rawValue)",
                "X-Card-TOKEN: %E5%8F%B7%201", "X-Card-USERNO: canary-user", "X-Card-BUSINESSTYPE: LOAN_APPLY",
                "X-Card-BUSINESSNO: LOAN-2024-0001", "X-Card-DOCTYPE: IDCARD_FRONT_APP",
                "Content-Disposition: attachment; filename=\"IDFrontImage.jpg\"",
            ])
        )
    }
}
