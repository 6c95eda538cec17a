import CardEmbedded
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct VerifierTests {
    @Test func `A front is answered in the shape of FaceID v1`() async throws {
        let card = try FixtureCard.first(below: "cards/LOAN-2026-0001")
        let image = try card.jpeg()
        let fields = try card.fields
        let log = LogLines()
        let form = HandWrittenForm.reading(image: image, filename: "私密.jpg", legality: "1")
        let answer = try await verifierAnswer(to: form, logger: log.logger)
        #expect(answer.status == 200)
        let json = answer.json
        #expect(json["side"] as? String == "front")
        #expect(json["name"] as? String == fields.name)
        #expect(json["gender"] as? String == fields.gender)
        #expect(json["race"] as? String == fields.ethnicity)
        #expect(json["address"] as? String == fields.address)
        #expect(json["id_card_number"] as? String == fields.number)
        let birthday = try #require(json["birthday"] as? [String: String])
        let parts = try #require(fields.birth).split(separator: "-").compactMap { Int($0) }.map { String($0) }
        #expect(birthday == ["year": parts[0], "month": parts[1], "day": parts[2]])
        let legality = try #require(json["legality"] as? [String: Double])
        #expect(legality.max { $0.value < $1.value }?.key == "ID Photo")
        try expectMark(json)
        let secrets = [fields.name, fields.number, fields.address, "test-key", "test-secret", "私密"].compactMap { $0 }
        for secret in secrets { #expect(!log.text.contains(secret)) }
    }

    @Test(arguments: EmbeddedVerifier.Dialect.allCases)
    func `A card is read in every dialect`(dialect: EmbeddedVerifier.Dialect) async throws {
        let card = try FixtureCard.first(below: "cards/LOAN-2026-0001", side: "back")
        let image = try card.jpeg()
        let answer = try await verifierAnswer(to: .reading(image: image, in: dialect), in: dialect)
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "application/json; charset=utf-8")
        #expect(answer.text.contains(try #require(try card.fields.issuer)))
    }

    @Test func `A picture without a card is a 200 without a side`() async throws {
        let image = try FixtureCard.first(below: "refused/REFUSED-NO-CARD").jpeg()
        let answer = try await verifierAnswer(to: .reading(image: image))
        #expect(answer.status == 200)
        #expect(Set(answer.json.keys) == ["request_id", "time_used"])
    }

    @Test func `A body that is no form has no arguments`() async throws {
        let answer = try await withVerifier { client async throws in
            let type = [("Content-Type", "application/json")]
            let path = EmbeddedVerifier.Dialect.faceIDv1.path
            return try await client.send(RawRequest("POST", path, headers: type, body: Data("{}".utf8)))
        }
        #expect(answer.status == 400)
        #expect(answer.error == "MISSING_ARGUMENTS: api_key")
    }

    @Test func `Another path, and any method but POST, is unknown`() async throws {
        let paths = ["/faceid/v1/ocr", "/", "/cardpp/v2/ocridcard"].map { RawRequest("POST", $0) }
        let methods = EmbeddedVerifier.Dialect.allCases.map { RawRequest("GET", $0.path) }
        try await withVerifier { client async throws in
            for request in paths + methods {
                let answer = try await client.send(request)
                #expect(answer.status == 404, "\(request.target)")
                #expect(answer.json as? [String: String] == ["error_message": "API_NOT_FOUND"])
            }
        }
    }

    @Test func `One request more than allowed at once is refused, and the next after it answered`() async throws {
        let form = HandWrittenForm.reading()
        let request = RawRequest.form(form, to: EmbeddedVerifier.Dialect.faceIDv1.path)
        try await withVerifier {
            $0.concurrency = 1
        } body: { client async throws in
            try await client.connected { (one) async throws in
                try await client.connected { (other) async throws in
                    // Which of the two is served first is not known: the refused one is answered without a body.
                    for connection in [one, other] { try await connection.send(request.head) }
                    try await withThrowingTaskGroup(of: RawResponse?.self) { group in
                        for connection in [one, other] { group.addTask { try await connection.response() } }
                        let refused = try #require(try await group.next() ?? nil)
                        #expect(refused.status == 403 && refused.error == "CONCURRENCY_LIMIT_EXCEEDED")
                        for connection in [one, other] { try? await connection.send(form.body) }
                        let served = try #require(try await group.next() ?? nil)
                        #expect(served.error == "IMAGE_ERROR_UNSUPPORTED_FORMAT: image")
                    }
                }
            }
            #expect(try await client.post(form).status == 400)
        }
    }

    @Test func `A tesseract that fails is an internal error`() async throws {
        let image = try FixtureCard.first(below: "cards/LOAN-2026-0001").jpeg()
        let script = #"if [ "$1" = --list-langs ]; then printf 'chi_sim\neng\n'; else exit 1; fi"#
        try await withProgram(script) { path in
            let answer = try await withVerifier {
                $0.tesseract.executable = path
            } body: { client async throws in
                try await client.post(.reading(image: image))
            }
            #expect(answer.status == 500)
            #expect(answer.error == "INTERNAL_ERROR")
        }
    }

    @Test func `Without tesseract the verifier does not start, and names the packages to install`() async throws {
        let error = await #expect(throws: EmbeddedError.self) {
            try await withVerifier(configure: { $0.tesseract.executable = "/nonexistent/tesseract" }, body: { _ in })
        }
        #expect(error?.code == .tesseractMissing)
        let message = try #require(error?.message)
        #expect(message.contains("tesseract-ocr ") && message.contains("tesseract-ocr-chi-sim"))
    }
}
