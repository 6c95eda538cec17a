import CardModel
import CardStore
import Foundation
import TestSupport
import Testing

@testable import CardServer

/// What is personal is in the answer to a reveal, after its line in the access log, and in no other answer.
@Suite(.timeLimit(.minutes(2))) struct RevealTests {
    /// What nothing but a reveal may show.
    private static let canaries = ["SPECIMEN-NAME", "11010519491231002X", "file-canary.jpg", "USER-canary"]

    private func admit(_ harness: ServerHarness) async throws -> CardID {
        var metadata = CardMetadata(businessNumber: BusinessNumber(stored: "N-1"))
        metadata.expectedName = Redacted(Self.canaries[0])
        metadata.expectedIDNumber = Redacted(Self.canaries[1])
        metadata.userNumber = Redacted(Self.canaries[3])
        let id = CardID(rawValue: UUID().uuidString.lowercased())
        let image = Specimen.jpeg("canary")
        let photo = NewCard(
            id: id,
            photo: Photo(.bytes(image, ContentDigest(of: image)), name: Redacted(Self.canaries[2]), metadata: metadata),
            submitter: "clerk",
            source: nil,
            content: .received(image),
            waitsUntil: Timestamp(Date())
        )
        _ = try await harness.store.intake.admit([photo], now: Timestamp(Date()))
        return id
    }

    private func with(_ body: (ServerHarness, CardID) async throws -> Void) async throws {
        let tokens = [
            ServerHarness.token("li.na", [.review, .reveal]), ServerHarness.token("viewer", [.review, .audit]),
            ServerHarness.token("other", [.read, .reveal]),
        ]
        try await ServerHarness.with({ $0.tokens = { () throws(CodedError) in tokens } }) { harness in
            try await body(harness, self.admit(harness))
        }
    }

    private func reveals(_ harness: ServerHarness) async throws -> [String] {
        var lines: [AccessRecord] = []
        try await harness.store.listings.exportAccessLog(to: AccessOrigin(actor: "test"), now: Timestamp(Date())) {
            lines += $0
        }
        return lines.filter { ["reveal", "reveal_denied"].contains($0.action) }.map { "\($0.action) \($0.purpose)" }
    }

    @Test func `only the answer to a reveal holds an image or a value`() async throws {
        try await self.with { harness, id in
            let base64 = Data(Specimen.jpeg("canary")).base64EncodedString()
            for name in ["li.na", "viewer"] {
                let visitor = try await ConsoleVisitor(harness, as: name)
                for path in ["", "/cases", "/cases/show?no=N-1", "/cards", "/cards?business_no=N-1", "/cards/\(id)"] {
                    let answer = try await visitor.get("/console\(path)")
                    #expect(answer.status == 200, "\(path)")
                    for canary in Self.canaries + [base64, "data:image"] {
                        #expect(!answer.page.contains(canary), "\(path): \(canary)")
                    }
                }
            }
            #expect(try await self.reveals(harness).isEmpty)
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            let answer = try await visitor.post("/console/cards/\(id)/reveal", ["purpose": "T-881"])
            #expect(answer.status == 200)
            for canary in Self.canaries + [base64] { #expect(answer.page.contains(canary), "\(canary)") }
            let masking = "<noscript><meta http-equiv=\"refresh\" content=\"60; url=/console/cards/\(id)\"></noscript>"
            #expect(answer.page.contains(masking) && answer.page.contains("data-seconds=\"60\""))
            #expect(answer["content-security-policy"]?.contains("img-src 'self' data:") == true)
            #expect(answer["cache-control"] == "no-store")
            #expect(try await self.reveals(harness) == ["reveal T-881"])
        }
    }

    @Test func `without a purpose, a scope or a card nothing is shown`() async throws {
        try await self.with { harness, id in
            let target = "/console/cards/\(id)/reveal"
            let none = try await ConsoleVisitor(harness, as: "li.na").post(target, ["purpose": " "])
            let holder = try await ConsoleVisitor(harness, as: "li.na").post(target, ["purpose": "for SPECIMEN-NAME"])
            let viewer = try await ConsoleVisitor(harness, as: "viewer").post(target, ["purpose": "T-1"])
            let other = try await ConsoleVisitor(harness, as: "other").post(target, ["purpose": "T-1"])
            #expect([none, holder, viewer, other].map(\.status) == [422, 422, 403, 404])
            for answer in [none, holder, viewer, other] {
                for canary in Self.canaries.dropFirst() { #expect(!answer.page.contains(canary)) }
                #expect(!answer.page.contains("data:image"))
            }
            #expect(try await self.reveals(harness) == ["reveal_denied not given", "reveal_denied not given"])
        }
    }

    @Test func `the line is there also if the answer is cut off`() async throws {
        try await self.with { harness, id in
            let visitor = try await ConsoleVisitor(harness, as: "li.na")
            let body = Data("purpose=T-9".utf8)
            let request = RawRequest(
                "POST",
                "/console/cards/\(id)/reveal",
                headers: [
                    ("Cookie", visitor.cookie ?? ""), ("Sec-Fetch-Site", "same-origin"),
                    ("Content-Type", "application/x-www-form-urlencoded"),
                ],
                body: body
            )
            try await harness.connected { connection in
                try await connection.send(request.bytes)
                // The first bytes of the answer are enough: then the client goes away.
                _ = try await connection.response(hasContent: false)
            }
            #expect(try await self.reveals(harness) == ["reveal T-9"])
        }
    }

    @Test func `an image is given out for a purpose, which the access log keeps`() async throws {
        try await self.with { harness, id in
            let target = "/v1/cards/\(id)/image"
            let bare = try await harness.send(RawRequest("GET", target, token: "li.na"))
            #expect(bare.status == 422)
            let given = try await harness.send(
                RawRequest("GET", target, token: "li.na", headers: [("Card-Why", "T-2")])
            )
            #expect(
                given.status == 200 && given["content-type"] == "image/jpeg" && given["cache-control"] == "no-store"
            )
            #expect(given.body == Data(Specimen.jpeg("canary")))
            #expect(try await self.reveals(harness) == ["reveal T-2"])
        }
    }
}
