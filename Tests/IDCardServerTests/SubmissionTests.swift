import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardServer

/// `POST /v1/cards`: what is taken, and what each refusal is called.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct SubmissionTests {
    private static let token = ServerHarness.submit.reveal()

    private static func form(
        image: Data = Specimen.jpeg(),
        fields: [(String, String)] = [("business_no", "CASE-1")],
        headers: [(String, String)] = []
    ) -> RawRequest {
        let texts = fields.map { (name: $0.0, filename: String?.none, bytes: Data($0.1.utf8)) }
        return .form(texts + [(name: "image", filename: "a.jpg", bytes: image)], token: Self.token, headers: headers)
    }

    @Test("A form is taken in with all its fields, and the answer names the card")
    func form() async throws {
        try await ServerHarness.with { (harness) async throws in
            let fields = [
                ("business_no", "CASE-7"), ("user_no", "u-1"), ("expected_id_number", "11010519491231002X"),
                ("expected_name", "样本甲"), ("side", "Front"), ("priority", "5"),
            ]
            let response = try await harness.send(Self.form(fields: fields))
            #expect(response.status == 202)
            let id = try #require(response.json["card_id"] as? String)
            #expect(response["location"] == "/v1/cards/\(id)")
            #expect(response.json["duplicate"] as? Bool == false)
            let metadata = try #require(harness.intake.receptions.first?.metadata)
            #expect(metadata.businessNumber.rawValue == "CASE-7")
            #expect(metadata.userNumber?.reveal() == "u-1")
            #expect(metadata.expectedIDNumber?.reveal() == "11010519491231002X")
            #expect(metadata.expectedName?.reveal() == "样本甲")
            #expect(metadata.side == .front)
            #expect(metadata.priority == 5)
        }
    }

    @Test("Header fields say what a form does not, and what they say wrongly is heard in any case")
    func formWithHeaders() async throws {
        try await ServerHarness.with { (harness) async throws in
            let headers = [("Card-Side", "back"), ("Card-User-No", "u-1")]
            #expect(try await harness.send(Self.form(headers: headers)).status == 202)
            #expect(harness.intake.receptions.last?.metadata.side == .back)
            #expect(harness.intake.receptions.last?.metadata.userNumber?.reveal() == "u-1")
            let fields = [("business_no", "CASE-2"), ("side", "front")]
            #expect(try await harness.send(Self.form(fields: fields, headers: headers)).status == 202)
            #expect(harness.intake.receptions.last?.metadata.side == .front)
            let refused = try await harness.send(Self.form(fields: fields, headers: [("Card-Side", "nonsense")]))
            #expect(refused.status == 422)
            #expect(refused.code == "field_invalid")
        }
    }

    @Test("The image of a form may come before its fields")
    func imageFirst() async throws {
        try await ServerHarness.with { (harness) async throws in
            let parts = [
                (name: "image", filename: String?("a.jpg"), bytes: Specimen.jpeg()),
                (name: "business_no", filename: nil, bytes: Data("CASE-1".utf8)),
            ]
            #expect(try await harness.send(.form(parts, token: Self.token)).status == 202)
        }
    }

    @Test("A raw body is taken in with its fields in header fields", arguments: SubmissionDesk.rawTypes.sorted())
    func raw(type: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            let request = RawRequest.image(
                Specimen.jpeg(),
                token: Self.token,
                type: type,
                headers: [("Card-Expected-Name", "%E6%A0%B7%E6%9C%AC"), ("Card-Side", "back")]
            )
            #expect(try await harness.send(request).status == 202)
            let metadata = try #require(harness.intake.receptions.first?.metadata)
            #expect(metadata.expectedName?.reveal() == "样本")
            #expect(metadata.side == .back)
        }
    }

    @Test("A chunked body is taken in as one with a length is")
    func chunked() async throws {
        try await ServerHarness.with { (harness) async throws in
            let bytes = Specimen.jpeg()
            var request = RawRequest.image(bytes, token: Self.token, headers: [("Transfer-Encoding", "chunked")])
            var body = Data()
            for start in stride(from: 0, to: bytes.count, by: 999) {
                let piece = bytes[start..<min(start + 999, bytes.count)]
                body += Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
            }
            request.body = body + Data("0\r\n\r\n".utf8)
            #expect(try await harness.send(request).status == 202)
            guard case .bytes(let source) = harness.intake.receptions.first?.source else {
                Issue.record("no bytes arrived")
                return
            }
            #expect(source.digest == ContentDigest(of: bytes))
        }
    }

    @Test("An image of 8 MiB passes through in pieces, never whole")
    func streamed() async throws {
        try await ServerHarness.with { (harness) async throws in
            let request = Self.form(image: Specimen.jpeg(byteCount: 8 << 20))
            #expect(try await harness.send(request).status == 202)
            #expect(harness.spooling.now.largestPiece <= 1 << 20)
        }
    }

    @Test("The same bytes again are the same card")
    func duplicate() async throws {
        try await ServerHarness.with { (harness) async throws in
            let first = try await harness.send(Self.form())
            let second = try await harness.send(Self.form())
            #expect(second.status == 202)
            #expect(second.json["card_id"] as? String == first.json["card_id"] as? String)
            #expect(second.json["duplicate"] as? Bool == true)
        }
    }

    @Test("Changed metadata of a card that cannot take it over is reported")
    func underway() async throws {
        try await ServerHarness.with { (harness) async throws in
            let first = try await harness.send(Self.form(fields: [("business_no", "CASE-1"), ("user_no", "a")]))
            let id = CardID(rawValue: try #require(first.json["card_id"] as? String))
            try await harness.hold(id)
            let second = try await harness.send(Self.form(fields: [("business_no", "CASE-1"), ("user_no", "b")]))
            #expect(second.status == 409)
            #expect(second.code == "card_underway")
            #expect(second["location"] == "/v1/cards/\(id)")
            // What it says already is no change.
            #expect(
                try await harness.send(Self.form(fields: [("business_no", "CASE-1"), ("user_no", "a")])).status == 202
            )
        }
    }

    private static let refusals: [(what: String, request: RawRequest, status: Int, code: String)] = [
        ("a field nobody knows", form(fields: [("business_no", "C"), ("colour", "red")]), 422, "field_unknown"),
        ("a field twice", form(fields: [("business_no", "C"), ("business_no", "C")]), 422, "field_duplicate"),
        ("no business number", form(fields: []), 422, "business_no_missing"),
        ("a blank business number", form(fields: [("business_no", "  ")]), 422, "business_no_missing"),
        (
            "a long business number", form(fields: [("business_no", String(repeating: "9", count: 65))]), 422,
            "business_no_invalid"
        ),
        (
            "a spreadsheet's number", form(fields: [("business_no", "1.23457E+15")]), 422, "business_no_invalid"
        ),
        (
            "an identity number", form(fields: [("business_no", "L-11010519491231002X")]), 422, "business_no_invalid"
        ),
        ("a hidden character", form(fields: [("business_no", "C\u{200B}")]), 422, "business_no_invalid"),
        (
            "a spreadsheet's account", form(fields: [("business_no", "C"), ("user_no", "1.23457E+15")]), 422,
            "field_invalid"
        ),
        ("a third side", form(fields: [("business_no", "C"), ("side", "top")]), 422, "field_invalid"),
        ("a priority of letters", form(fields: [("business_no", "C"), ("priority", "high")]), 422, "field_invalid"),
        (
            "a long name", form(fields: [("business_no", "C"), ("expected_name", String(repeating: "n", count: 257))]),
            422, "field_invalid"
        ),
        (
            "a control character", form(fields: [("business_no", "C"), ("user_no", "a\u{7}b")]), 422, "field_invalid"
        ),
        ("HEIC", form(image: Specimen.heic), 415, "unsupported_format_heic"),
        ("text for an image", form(image: Specimen.text), 415, "unsupported_format"),
        ("an image of no bytes", form(image: Data()), 422, "image_empty"),
        (
            "a form without image",
            .form([(name: "business_no", filename: nil, bytes: Data("C".utf8))], token: token), 422, "image_missing"
        ),
        (
            "two images",
            .form(
                [
                    (name: "image", filename: "a", bytes: Specimen.jpeg()),
                    (name: "image", filename: "b", bytes: Specimen.jpeg()),
                ],
                token: token
            ), 422, "field_duplicate"
        ),
        (
            "a field as a file",
            .form([(name: "business_no", filename: "x", bytes: Data("C".utf8))], token: token), 422, "field_invalid"
        ),
        ("a type of text", .image(Specimen.jpeg(), token: token, type: "text/plain"), 415, "media_type_unsupported"),
        ("no type", RawRequest("POST", "/v1/cards", token: token), 415, "media_type_unsupported"),
        (
            "a coded body", .image(Specimen.jpeg(), token: token, headers: [("Content-Encoding", "gzip")]), 415,
            "content_coding_unsupported"
        ),
        (
            "an unknown header field", .image(Specimen.jpeg(), token: token, headers: [("Card-Colour", "red")]), 422,
            "field_unknown"
        ),
        (
            "a header field twice", .image(Specimen.jpeg(), token: token, headers: [("Card-Business-No", "D")]), 422,
            "field_duplicate"
        ),
        (
            "a broken percent sign", .image(Specimen.jpeg(), token: token, headers: [("Card-User-No", "50%")]), 422,
            "field_invalid"
        ),
        (
            "a form without boundary", .image(Data("x".utf8), token: token, type: "multipart/form-data"), 400,
            "form_malformed"
        ),
        ("a bad key", form(headers: [("Idempotency-Key", "\"open")]), 400, "idempotency_key_malformed"),
        ("an empty key", form(headers: [("Idempotency-Key", "\"\"")]), 400, "idempotency_key_malformed"),
    ]

    @Test("Every refusal has its status and its code, and nothing is taken in", arguments: refusals.indices)
    func refused(index: Int) async throws {
        let refusal = Self.refusals[index]
        try await ServerHarness.with { (harness) async throws in
            let response = try await harness.send(refusal.request)
            #expect(response.status == refusal.status, "\(refusal.what)")
            #expect(response.code == refusal.code, "\(refusal.what)")
            #expect(response["content-type"] == "application/problem+json")
            #expect(harness.intake.receptions.isEmpty)
        }
    }

    @Test("A PNG is taken whatever it is called")
    func png() async throws {
        try await ServerHarness.with { (harness) async throws in
            #expect(try await harness.send(.image(Specimen.png, token: Self.token)).status == 202)
        }
    }

    @Test("An image over the limit is refused in a form and raw, and nothing of it is left", arguments: [true, false])
    func tooLarge(isForm: Bool) async throws {
        try await ServerHarness.with({ $0.submission.imageBytes = 100_000 }) { (harness) async throws in
            let image = Specimen.jpeg(byteCount: 100_001)
            let request = isForm ? Self.form(image: image) : .image(image, token: Self.token)
            let response = try await harness.send(request)
            #expect(response.status == 413)
            #expect(response.code == (isForm ? "image_too_large_bytes" : "body_too_large"))
            #expect(response["connection"] == "close")
            let fits = Specimen.jpeg(byteCount: 100_000)
            #expect(
                try await harness.send(isForm ? Self.form(image: fits) : .image(fits, token: Self.token)).status == 202
            )
        }
    }

    @Test("Nothing is asked of a body while intake is closed")
    func pressed() async throws {
        try await ServerHarness.with { (harness) async throws in
            harness.intake.close(.closed(ReasonCode(rawValue: "queue_full"), message: "full", retryAfter: .seconds(7)))
            let response = try await harness.send(Self.form())
            #expect(response.status == 503)
            #expect(response.code == "queue_full")
            #expect(response["retry-after"] == "7")
            #expect(harness.spooling.now.made == 0)
        }
    }

    @Test(
        "What fails in the store has a status of its own",
        arguments: [
            (StoreError.Code.diskFull, 503, "disk_space_low"), (.unavailable, 503, "store_unavailable"),
            (.corrupt, 500, "internal_error"),
        ]
    )
    func storeFails(code: StoreError.Code, status: Int, problem: String) async throws {
        try await ServerHarness.with { (harness) async throws in
            harness.intake.fail(StoreError(code, "specimen"))
            let response = try await harness.send(Self.form())
            #expect(response.status == status)
            #expect(response.code == problem)
        }
    }

    @Test("Whoever sent what, neither the log nor a refusal repeats it")
    func secrecy() async throws {
        try await ServerHarness.with { (harness) async throws in
            let name = "秘密的样本"
            let responses = [
                try await harness.send(Self.form(fields: [("business_no", "SECRET-CASE"), ("expected_name", name)])),
                try await harness.send(Self.form(fields: [("SECRET-field", "SECRET")])),
                try await harness.send(RawRequest("GET", "/v1/cards?business_no=SECRET-CASE", token: "SECRET-token")),
                try await harness.send(RawRequest("GET", "/SECRET/path", token: Self.token)),
            ]
            for response in responses { #expect(!response.text.contains("SECRET")) }
            #expect(!harness.log.text.contains("SECRET"))
            #expect(!harness.log.text.contains(name))
            #expect(harness.log.text.contains("http.route=/v1/cards"))
        }
    }
}
