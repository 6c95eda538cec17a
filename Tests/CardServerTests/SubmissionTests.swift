import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer
@testable import CardStore

/// `POST /v1/cards`: what is taken, and what each refusal is called.
@Suite(.serving, .timeLimit(.minutes(5))) struct SubmissionTests {
    private static let token = "submitter"

    private static func form(
        image: Data = Specimen.jpeg(),
        fields: [(String, String)] = [("business_no", "CASE-1")],
        headers: [(String, String)] = []
    ) -> RawRequest {
        let texts = fields.map { (name: $0.0, filename: String?.none, bytes: Data($0.1.utf8)) }
        return .form(texts + [(name: "image", filename: "a.jpg", bytes: image)], token: Self.token, headers: headers)
    }

    @Test func `a form is taken in with all its fields, and its card is durable when 202 comes`() async throws {
        let fields = [
            ("business_no", "CASE-7"), ("user_no", "u-1"), ("expected_id_number", "11010519491231002X"),
            ("expected_name", "样本甲"), ("side", "Front"), ("priority", "5"),
        ]
        let response = try await harness.send(Self.form(fields: fields))
        #expect(response.status == 202)
        let id = try #require(response.json["card_id"] as? String)
        #expect(response["location"] == "/v1/cards/\(id)")
        #expect(response.json["duplicate"] as? Bool == false)
        #expect(response.json["state"] as? String == "prepared")
        let card = try #require(try await harness.cards().first)
        #expect(card.id.rawValue == id)
        #expect(card.submitter == "submitter")
        let expected = CardMetadata(
            businessNumber: try #require(BusinessNumber("CASE-7")),
            userNumber: Redacted("u-1"),
            expectedIDNumber: Redacted("11010519491231002X"),
            expectedName: Redacted("样本甲"),
            side: .front,
            priority: 5
        )
        #expect(card.metadata == expected)
    }

    @Test func `header fields say what a form does not, what they say wrongly is refused in any case`() async throws {
        let headers = [("Card-Side", "back"), ("Card-User-No", "u-1")]
        #expect(try await harness.send(Self.form(headers: headers)).status == 202)
        let first = try #require(try await harness.cards().last?.metadata)
        #expect(first.side == .back && first.userNumber?.reveal() == "u-1")
        let fields = [("business_no", "CASE-2"), ("side", "front")]
        #expect(try await harness.send(Self.form(fields: fields, headers: headers)).status == 202)
        #expect(try await harness.cards().last?.metadata.side == .front)
        let refused = try await harness.send(Self.form(fields: fields, headers: [("Card-Side", "nonsense")]))
        #expect(refused.problem == "422 field_invalid")
    }

    @Test func `the image of a form may come before its fields, with a file name in any bytes`() async throws {
        var parts = [
            (name: "image", filename: String?("GBK-NAME.jpg"), bytes: Specimen.jpeg()),
            (name: "business_no", filename: nil, bytes: Data("CASE-1".utf8)),
        ]
        var request = RawRequest.form(parts, token: Self.token)
        // 正面 in GBK, as curl on a Chinese Windows sends it.
        let range = try #require(request.body.firstRange(of: Data("GBK-NAME".utf8)))
        request.body.replaceSubrange(range, with: [0xD5, 0xFD, 0xC3, 0xE6])
        #expect(try await harness.send(request).status == 202)
        parts[0].filename = ""
        #expect(try await harness.send(.form(parts, token: Self.token)).status == 202)
    }

    @Test(arguments: [
        "image/jpeg", "image/jpg", "image/pjpeg", "image/png", "image/*", "IMAGE/JPEG; x=y",
        "application/octet-stream", "binary/octet-stream",
    ])
    func `a bare body of any image type is taken in, with its fields in header fields`(type: String) async throws {
        let request = RawRequest.image(
            Specimen.jpeg(),
            token: Self.token,
            type: type,
            headers: [("Card-Expected-Name", "%E6%A0%B7%E6%9C%AC"), ("Card-Side", "back")]
        )
        #expect(try await harness.send(request).status == 202)
        let metadata = try #require(try await harness.cards().first?.metadata)
        #expect(metadata.expectedName?.reveal() == "样本")
        #expect(metadata.side == .back)
    }

    @Test func `a chunked body is the same card as one with a length`() async throws {
        let bytes = Specimen.jpeg()
        var request = RawRequest.image(bytes, token: Self.token, headers: [("Transfer-Encoding", "chunked")])
        var body = Data()
        for start in stride(from: 0, to: bytes.count, by: 999) {
            let piece = bytes[start..<min(start + 999, bytes.count)]
            body += Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
        }
        request.body = body + Data("0\r\n\r\n".utf8)
        #expect(try await harness.send(request).status == 202)
        #expect(try await harness.send(.image(bytes, token: Self.token)).json["duplicate"] as? Bool == true)
    }

    @Test func `the same bytes again are the same card; another submitter's word changes nothing`() async throws {
        let first = try await harness.send(Self.form())
        let second = try await harness.send(Self.form())
        #expect(second.status == 202)
        #expect(second.json["card_id"] as? String == first.json["card_id"] as? String)
        #expect(second.json["duplicate"] as? Bool == true)
        let foreign = RawRequest.image(Specimen.jpeg(), token: "all", headers: [("Card-User-No", "theirs")])
        #expect(try await harness.send(foreign).problem == "409 submitter_conflict")
        #expect(try await harness.cards().map(\.metadata.userNumber) == [nil])
    }

    @Test func `two persons of a branch have its cards in common, and each their own requests`() async throws {
        let key = [("Idempotency-Key", "\"1\"")]
        var ids: [String] = []
        for person in ["wang", "li"] {
            let answer = try await harness.send(.image(Specimen.jpeg(person), token: person, headers: key))
            #expect(answer.status == 202 && answer.json["duplicate"] as? Bool == false)
            ids.append(try #require(answer.json["card_id"] as? String))
        }
        #expect(Set(ids).count == 2)
        for id in ids {
            for person in ["wang", "li"] {
                #expect(try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: person)).status == 200)
            }
            #expect(try await harness.send(RawRequest("GET", "/v1/cards/\(id)", token: "reader")).status == 404)
        }
        #expect(try await harness.cards().map(\.submitter) == ["branch", "branch"])
        let senders: SQL = "SELECT sent_by FROM card ORDER BY intake_order"
        let stored = try await harness.store.database.read { try $0.values(senders, as: String.self) }
        #expect(stored == ["wang", "li"])
    }

    @Test func `a token of the submitter of lists learns nothing of another's card`() async throws {
        _ = try await harness.send(Self.form())
        let answer = try await harness.send(.image(Specimen.jpeg(), token: "as-local"))
        #expect(answer.problem == "409 submitter_conflict")
        #expect(answer.json["card_id"] == nil && answer.json["state"] == nil && answer["location"] == nil)
        // Its own cards are those of lists and watched folders.
        #expect(
            try await harness.send(.image(Specimen.jpeg("own"), token: "as-local", businessNumber: "OWN-1")).status
                == 202
        )
        #expect(try await harness.cards().map(\.submitter).sorted() == ["local", "submitter"])
    }

    @Test(.working) func `changed metadata amends a card, and one that cannot take it over is reported`() async throws {
        let request = { Self.form(fields: [("business_no", "CASE-1"), ("user_no", $0)]) }
        let first = try await harness.send(request("a"))
        await harness.intake.ends.wait(for: 1)
        let second = try await harness.send(request("b"))
        #expect(second.problem == "409 card_underway")
        #expect(second["location"] == first["location"])
        // What it says already is no change.
        #expect(try await harness.send(request("a")).status == 202)
    }

    private static let refusals: [(request: RawRequest, problem: String)] = [
        (form(fields: [("business_no", "C"), ("colour", "red")]), "422 field_unknown"),
        (form(fields: [("business_no", "C"), ("business_no", "C")]), "422 field_duplicate"),
        (form(fields: []), "422 business_no_missing"),
        (form(fields: [("business_no", "  ")]), "422 business_no_missing"),
        (form(fields: [("business_no", String(repeating: "9", count: 65))]), "422 business_no_invalid"),
        (form(fields: [("business_no", "1.23457E+15")]), "422 business_no_invalid"),
        (form(fields: [("business_no", "L-11010519491231002X")]), "422 business_no_invalid"),
        (form(fields: [("business_no", "C\u{200B}")]), "422 business_no_invalid"),
        (form(fields: [("business_no", "C"), ("user_no", "1.23457E+15")]), "422 field_invalid"),
        (form(fields: [("business_no", "C"), ("side", "top")]), "422 field_invalid"),
        (form(fields: [("business_no", "C"), ("priority", "high")]), "422 field_invalid"),
        (form(fields: [("business_no", "C"), ("user_no", "a\u{7}b")]), "422 field_invalid"),
        (form(image: Specimen.heic), "415 unsupported_format_heic"),
        (form(image: Specimen.text), "415 unsupported_format"),
        (form(image: Data("hello".utf8)), "415 unsupported_format"),
        (form(image: Data()), "422 image_empty"),
        (.form([(name: "business_no", filename: nil, bytes: Data("C".utf8))], token: token), "422 image_missing"),
        (
            .form(["a", "b"].map { (name: "image", filename: $0, bytes: Specimen.jpeg()) }, token: token),
            "422 field_duplicate"
        ),
        (.form([(name: "business_no", filename: "x", bytes: Data("C".utf8))], token: token), "422 field_invalid"),
        (.image(Specimen.jpeg(), token: token, type: "text/plain"), "415 media_type_unsupported"),
        (RawRequest("POST", "/v1/cards", token: token), "415 media_type_unsupported"),
        (
            .image(Specimen.jpeg(), token: token, headers: [("Content-Encoding", "gzip")]),
            "415 content_coding_unsupported"
        ),
        (.image(Specimen.jpeg(), token: token, headers: [("Card-Colour", "red")]), "422 field_unknown"),
        (.image(Specimen.jpeg(), token: token, headers: [("Card-Business-No", "D")]), "422 field_duplicate"),
        (.image(Specimen.jpeg(), token: token, headers: [("Card-User-No", "50%")]), "422 field_invalid"),
        (.image(Data("x".utf8), token: token, type: "multipart/form-data"), "400 form_malformed"),
        (form(headers: [("Idempotency-Key", "\"open")]), "400 idempotency_key_malformed"),
        (form(headers: [("Idempotency-Key", "\"\"")]), "400 idempotency_key_malformed"),
    ]

    @Test func `every refusal has its status and its code, and nothing is taken in`() async throws {
        for (index, refusal) in Self.refusals.enumerated() {
            let response = try await harness.send(refusal.request)
            #expect(response.problem == refusal.problem, "\(index)")
            #expect(response["content-type"] == "application/problem+json")
        }
        #expect(try await harness.cards().isEmpty)
    }

    @Test func `a refusal names the field and the one remedy, and no value that came`() async throws {
        try await ServerHarness.with({ $0.requiresUserNumber = true }) { (harness) async throws in
            let image = Specimen.jpeg()
            let cases: [(request: RawRequest, code: String, words: [String])] = [
                (Self.form(fields: []), "business_no_missing", ["business_no", "Card-Business-No"]),
                (.image(image, token: Self.token, businessNumber: nil), "business_no_missing", ["Card-Business-No"]),
                (Self.form(), "user_no_missing", ["user_no", "Card-User-No"]),
                (Self.form(fields: [("colour", "red")]), "field_unknown", ["colour is unknown", "business_no"]),
                (Self.form(fields: [("110105194912", "x")]), "field_unknown", ["A field is unknown", "business_no"]),
                (
                    .image(image, token: Self.token, headers: [("Card-Colour", "red")]), "field_unknown",
                    ["card-colour is unknown", "Card-Business-No"]
                ),
                (
                    .json("POST", "/v1/cards/x/resolve", token: "operator", #"{"as":"seen","because":"x"}"#),
                    "field_unknown", ["because is unknown", "as, message, reason, why"]
                ),
                (
                    .json("POST", "/v1/cards/x/resolve", token: "operator", #"{"as":7}"#), "json_invalid",
                    ["as is not a string", "\"as\": \"…\""]
                ),
                (.json("POST", "/v1/runs", token: "runner", "[]"), "json_invalid", ["{\"source\": \"…\"}"]),
            ]
            for (request, code, words) in cases {
                let response = try await harness.send(request)
                #expect(response.code == code)
                let detail = try #require(response.json["detail"] as? String, "\(code)")
                for word in words { #expect(detail.contains(word), "\(detail)") }
                #expect(!detail.contains("red") && !detail.contains("1101"))
            }
        }
    }

    @Test(arguments: [true, false])
    func `an image over the limit is refused in a form and bare, one at the limit is taken`(isForm: Bool) async throws {
        try await ServerHarness.with({ $0.imageBytes = 100_000 }) { (harness) async throws in
            let image = Specimen.jpeg(byteCount: 100_001)
            let response = try await harness.send(isForm ? Self.form(image: image) : .image(image, token: Self.token))
            #expect(response.status == 413)
            #expect(response.code == (isForm ? "image_too_large_bytes" : "body_too_large"))
            #expect(response["connection"] == "close")
            let fits = Specimen.jpeg(byteCount: 100_000)
            let taken = try await harness.send(isForm ? Self.form(image: fits) : .image(fits, token: Self.token))
            #expect(taken.status == 202)
        }
    }

    @Test func `all bodies have a bound, a sender has a share of it, and small requests find room`() async throws {
        try await ServerHarness.with({
            $0.imageBytes = 100_000
            $0.bodyMemory = 400_000
            $0.roomWait = .zero
        }) { (harness) async throws in
            harness.intake.gate.close()
            let requests = (1...12).map {
                RawRequest.image(Specimen.jpeg("\($0)", byteCount: 100_000), token: Self.token)
            }
            // Each counts as 34,464 bytes beyond the 64 KiB that are free, so 11 fit.
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for request in requests.dropLast() { tasks.addTask { try await harness.send(request).status } }
                await harness.intake.arrivals.wait(for: 11)
                let large = try await harness.send(requests[11])
                #expect(large.problem == "503 busy")
                #expect(large["retry-after"] == "2")
                tasks.addTask { try await harness.send(.image(Specimen.jpeg("small"), token: Self.token)).status }
                await harness.intake.arrivals.wait(for: 12)
                harness.intake.gate.open()
                for try await status in tasks { #expect(status == 202) }
            }
            #expect(try await harness.send(requests[11]).status == 202)
        }
    }

    @Test(arguments: [
        ("zh-CN,zh;q=0.9,en;q=0.8", true), ("en-US,en;q=0.9,zh;q=0.1", false), ("fr, zh;q=0.1, *;q=0.5", true),
        ("zh;q=0", false), ("", false), (";", false), ("zh,;", true), (";;q=1", false), ("zh-TW", true), ("*", false),
    ])
    func `a problem is told in the language that the client likes best`(languages: String, isChinese: Bool)
        async throws
    {
        let headers = [("Accept-Language", languages)]
        let response = try await harness.send(
            RawRequest("GET", "/v1/cards?colour=1", token: "reader", headers: headers)
        )
        #expect(response.problem == "422 parameter_invalid")
        let title = try #require(response.json["title"] as? String)
        let detail = try #require(response.json["detail"] as? String)
        let hasChinese = { (text: String) in text.contains { $0 >= "一" && $0 <= "龥" } }
        #expect(hasChinese(title) == isChinese && hasChinese(detail) == isChinese)
        #expect(response["vary"] == "Accept, Accept-Language")
    }

    @Test func `nothing is asked of a body while the queue is full`() async throws {
        harness.intake.state.withLock { $0.isFull = true }
        let response = try await harness.send(Self.form())
        #expect(response.problem == "503 queue_full")
        #expect(response["retry-after"] == "5")
    }

    @Test func `nothing is taken in while the disk is nearly full`() async throws {
        try await ServerHarness.with({ $0.intakeFreeSpace = .max }) { (harness) async throws in
            #expect(try await harness.send(Self.form()).problem == "503 disk_space_low")
            #expect(try await harness.cards().isEmpty)
        }
    }

    @Test func `neither the log nor a refusal repeats what was sent`() async throws {
        let name = "秘密的样本"
        let responses = [
            try await harness.send(Self.form(fields: [("business_no", "SECRET-CASE"), ("expected_name", name)])),
            try await harness.send(Self.form(fields: [("SECRET-1", "SECRET")])),
            try await harness.send(RawRequest("GET", "/v1/cards?business_no=SECRET-CASE", token: "SECRET-token")),
            try await harness.send(RawRequest("GET", "/SECRET/path", token: Self.token)),
        ]
        for response in responses { #expect(!response.text.contains("SECRET")) }
        #expect(!harness.log.text.contains("SECRET"))
        #expect(!harness.log.text.contains(name))
        #expect(harness.log.text.contains("http.route=/v1/cards"))
    }
}
