import Foundation
import IDCardEmbedded
import IDCardTesting
import Testing

/// The shapes of the two dialects beside FaceID v1, whose own are in `EmbeddedVerifierTests`.
@Suite("The embedded verifier in its other dialects", .timeLimit(.minutes(Sanitizer.minutes(3))))
struct DialectAnswerTests {
    private static func card(_ side: String) throws -> FixtureCard {
        try #require(try FixtureCard.fixtures(below: "cards/LOAN-2026-0001").first { $0.truth.side == side })
    }

    private func answer(
        _ dialect: EmbeddedVerifier.Dialect,
        _ card: FixtureCard,
        legality: String? = nil
    ) async throws -> VerifierClient.Answer {
        let image = try card.posted()
        let answer = try await withVerifier { client async throws in
            try await client.post(.reading(image: image, legality: legality, in: dialect), to: dialect)
        }
        #expect(answer.status == 200)
        #expect(answer.contentType == "application/json; charset=utf-8")
        let id = try #require(answer.json["request_id"] as? String)
        #expect(id.hasPrefix("1457432550,"))
        #expect(try #require(answer.json["time_used"] as? Int) >= 0)
        return answer
    }

    private func scores(_ value: Any?) throws -> [String: Double] {
        let scores = try #require(value as? [String: Double])
        #expect(abs(scores.filter { $0.key != "ID_Photo_Threshold" }.values.reduce(0, +) - 1) < 1e-9)
        return scores
    }

    private func text(_ json: [String: Any], _ key: String) throws -> String {
        let field = try #require(json[key] as? [String: Any])
        #expect(Set(field.keys) == ["result", "quality", "logic"])
        return try #require(field["result"] as? String)
    }

    private func logic(_ json: [String: Any], _ key: String) throws -> Int {
        try #require((json[key] as? [String: Any])?["logic"] as? Int)
    }

    @Test("A front in Face++ is the one card of an array", arguments: [nil, "0", "1"])
    func faceppFront(legality: String?) async throws {
        let card = try Self.card("front")
        let fields = try card.fields
        let json = try await self.answer(.faceppv1, card, legality: legality).json
        #expect(Set(json.keys) == ["request_id", "time_used", "cards"])
        let cards = try #require(json["cards"] as? [[String: Any]])
        #expect(cards.count == 1)
        let read = try #require(cards.first)
        #expect(read["type"] as? Int == 1)
        #expect(read["side"] as? String == "front")
        #expect(read["name"] as? String == fields.name)
        #expect(read["gender"] as? String == fields.gender)
        #expect(read["race"] as? String == fields.ethnicity)
        #expect(read["birthday"] as? String == fields.birth)
        #expect(read["address"] as? String == fields.address)
        #expect(read["id_card_number"] as? String == fields.number)
        #expect(read["issued_by"] == nil)
        #expect((read["legality"] != nil) == (legality == "1"))
        if legality == "1" {
            let scores = try self.scores(read["legality"])
            #expect(Set(scores.keys) == ["ID Photo", "Temporary ID Photo", "Photocopy", "Screen", "Edited"])
            #expect(scores.max { $0.value < $1.value }?.key == "ID Photo")
        }
    }

    @Test("A back in Face++ has issuer and validity")
    func faceppBack() async throws {
        let card = try Self.card("back")
        let json = try await self.answer(.faceppv1, card).json
        let read = try #require((json["cards"] as? [[String: Any]])?.first)
        #expect(Set(read.keys) == ["type", "side", "issued_by", "valid_date"])
        #expect(read["side"] as? String == "back")
        #expect(try read["issued_by"] as? String == card.fields.issuer)
        #expect(try read["valid_date"] as? String == card.fields.validity)
    }

    @Test("A front in FaceID v3 has a dictionary for each field, and legality unasked", arguments: [nil, "0"])
    func faceIDv3Front(legality: String?) async throws {
        let card = try Self.card("front")
        let fields = try card.fields
        let json = try await self.answer(.faceIDv3, card, legality: legality).json
        #expect(json["result"] as? Int == 1001)
        #expect(json["side"] as? Int == 0)
        #expect(try self.text(json, "name") == fields.name)
        #expect(try self.text(json, "gender") == fields.gender)
        #expect(try self.text(json, "nationality") == fields.ethnicity)
        #expect(try self.text(json, "address") == fields.address)
        #expect(try self.text(json, "idcard_number") == fields.number)
        let birth = try ["birth_year", "birth_month", "birth_day"].map { Int(try self.text(json, $0)) }
        #expect(birth == fields.birth?.split(separator: "-").map { Int($0) })
        #expect(json["valid_date_start"] == nil)
        let scores = try self.scores(json["legality"])
        #expect(
            Set(scores.keys)
                == ["ID_Photo", "Temporary_ID_Photo", "Photocopy", "Screen", "Edited", "ID_Photo_Threshold"]
        )
        #expect(scores["ID_Photo_Threshold"] == 0.8)
        #expect(try #require(scores["ID_Photo"]) >= 0.8)
    }

    @Test("A back in FaceID v3 has its dates in eight digits")
    func faceIDv3Back() async throws {
        let card = try Self.card("back")
        let json = try await self.answer(.faceIDv3, card).json
        #expect(json["result"] as? Int == 1001)
        #expect(json["side"] as? Int == 1)
        #expect(try self.text(json, "issued_by") == card.fields.issuer)
        #expect(try self.text(json, "valid_date_start") == card.fields.validFrom?.replacing("-", with: ""))
        #expect(try self.text(json, "valid_date_end") == card.fields.validTo?.replacing("-", with: ""))
        #expect(json["name"] == nil)
    }

    @Test("FaceID v3 calls a number with a wrong check character abnormal, and says so at the field")
    func wrongCheckCharacter() async throws {
        let card = try #require(try FixtureCard.fixtures(below: "refused/REFUSED-CHECK-DIGIT").first)
        let json = try await self.answer(.faceIDv3, card).json
        #expect(json["result"] as? Int == 1002)
        #expect(json["side"] as? Int == 0)
        #expect(try self.text(json, "idcard_number") == card.fields.number)
        #expect(try self.logic(json, "idcard_number") == 1)
        #expect(try self.logic(json, "name") == 0)
    }

    @Test("FaceID v3 calls a photocopy abnormal, and gives its fields and its scores")
    func photocopy() async throws {
        let card = try #require(try FixtureCard.fixtures(below: "refused/REFUSED-PHOTOCOPY").first)
        let json = try await self.answer(.faceIDv3, card).json
        #expect(json["result"] as? Int == 1002)
        #expect(json["side"] as? Int == 0)
        #expect(try self.text(json, "idcard_number") == card.fields.number)
        #expect(try self.logic(json, "idcard_number") == 0)
        #expect(try self.scores(json["legality"]).max { $0.value < $1.value }?.key == "Photocopy")
    }

    @Test("A picture without a card is said so in each dialect's way")
    func noCard() async throws {
        let card = try #require(try FixtureCard.fixtures(below: "refused/REFUSED-NO-CARD").first)
        let facepp = try await self.answer(.faceppv1, card, legality: "1").json
        #expect(Set(facepp.keys) == ["request_id", "time_used", "cards"])
        #expect((facepp["cards"] as? [Any])?.isEmpty == true)
        let faceID = try await self.answer(.faceIDv3, card).json
        #expect(Set(faceID.keys) == ["request_id", "time_used", "result"])
        #expect(faceID["result"] as? Int == 1002)
    }
}
