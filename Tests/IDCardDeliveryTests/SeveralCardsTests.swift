import Foundation
import IDCardCore
import MultipartForm
import OutboundHTTP
import Testing

@testable import IDCardDelivery

/// Forms with several cards.
struct SeveralCardsTests {
    private let token = Redacted("canary-token")

    private func member(
        _ card: String,
        _ side: CardSide,
        number: String = "LOAN-1",
        user: String? = "user-1"
    ) throws -> DeliveryMember {
        DeliveryMember(
            card: CardID(rawValue: card),
            side: side,
            businessNumber: try #require(BusinessNumber(number)),
            userNumber: user.map(Redacted.init)
        )
    }

    /// The body of a delivery as it goes over the wire, with the boundary `b`.
    private func body(_ parts: [DeliveryPart]) throws -> String {
        let cards = parts.compactMap { if case .image(let card, _, _) = $0.content { card } else { nil } }
        let delivery = OutboundDelivery(
            idempotencyKey: "k",
            boundary: "b",
            parts: parts,
            images: Dictionary(uniqueKeysWithValues: cards.map { ($0, Data("<\($0)>".utf8)) })
        )
        guard case .form(let form) = try UploadRequest(delivery).content else { return "" }
        var reader = try form.makeReader()
        var bytes: [UInt8] = []
        while let chunk = try reader.read(upTo: 1000) { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func text(_ name: String, _ value: String) -> String {
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
    }

    private func file(_ card: String, _ filename: String) -> String {
        "--b\r\nContent-Disposition: form-data; name=\"FILE\"; filename=\"\(filename)\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\n<\(card)>\r\n"
    }

    @Test("An application has the common parts once, byte for byte")
    func application() throws {
        let layout = try DeliveryLayout(.application)
        let parts = try layout.parts(for: [member("f", .front), member("b", .back)], token: self.token)
        let expected =
            self.text("TOKEN", "canary-token") + self.text("USERNO", "user-1")
            + self.text("BUSINESSTYPE", "LOAN_APPLY") + self.text("BUSINESSNO", "LOAN-1")
            + self.text("DOCTYPE", "IDCARD_FRONT_APP") + self.file("f", "IDFrontImage.jpg")
            + self.text("DOCTYPE", "IDCARD_BACK_APP") + self.file("b", "IDBackImage.jpg") + "--b--\r\n"
        #expect(try self.body(parts) == expected)
        #expect(DeliveryShape(of: parts) == DeliveryShape(members: 2, isBatch: false))
    }

    @Test("A batch has TOKEN and USERNO once and the rest for each card, byte for byte")
    func batch() throws {
        let layout = try DeliveryLayout(.batch)
        let members = try [
            self.member("1", .front), self.member("2", .front, number: "LOAN-2"), self.member("3", .back),
            self.member("4", .back, number: "LOAN-3"),
        ]
        let parts = try layout.parts(for: members, token: self.token)
        func card(_ card: String, _ number: String, isFront: Bool) -> String {
            self.text("BUSINESSTYPE", "LOAN_APPLY") + self.text("BUSINESSNO", number)
                + self.text("DOCTYPE", isFront ? "IDCARD_FRONT_APP" : "IDCARD_BACK_APP")
                + self.file(card, isFront ? "IDFrontImage.jpg" : "IDBackImage.jpg")
        }
        let expected =
            self.text("TOKEN", "canary-token") + self.text("USERNO", "user-1") + card("1", "LOAN-1", isFront: true)
            + card("2", "LOAN-2", isFront: true) + card("3", "LOAN-1", isFront: false)
            + card("4", "LOAN-3", isFront: false) + "--b--\r\n"
        #expect(try self.body(parts) == expected)
        #expect(DeliveryShape(of: parts) == DeliveryShape(members: 4, isBatch: true))
    }

    @Test("With one card all layouts are the same form", arguments: [CardSide.front, .back])
    func oneCard(side: CardSide) throws {
        let parts = try DeliveryLayout.Kind.allCases.map { kind in
            try DeliveryLayout(kind).parts(for: [self.member("c", side)], token: self.token)
        }
        #expect(Set(parts).count == 1)
        #expect(DeliveryShape(of: parts[0]) == .single)
    }

    @Test("The configured account joins cards that name none with those that name the same")
    func commonAccount() throws {
        let layout = try DeliveryLayout(.batch, userNumber: Redacted("user-1"))
        let members = try [
            self.member("1", .front, user: nil), self.member("2", .front, number: "LOAN-2"),
            self.member("3", .front, number: "LOAN-3", user: ""),
        ]
        #expect(try layout.parts(for: members, token: self.token)[1] == .text("user-1", name: "USERNO"))
    }

    /// Members that do not go together, and why.
    struct Company: CustomTestStringConvertible {
        let testDescription: String
        let kind: DeliveryLayout.Kind
        let code: DeliveryError.Code
        /// Card, side, business number and account of each.
        let members: [(String, CardSide, String, String?)]
    }

    @Test(
        "Cards that do not go together are refused, without naming anything of theirs",
        arguments: [
            Company(testDescription: "none", kind: .application, code: .memberCount, members: []),
            Company(testDescription: "none", kind: .batch, code: .memberCount, members: []),
            Company(
                testDescription: "three in an application",
                kind: .application,
                code: .memberCount,
                members: [("1", .front, "A", "u"), ("2", .back, "A", "u"), ("3", .back, "A", "u")]
            ),
            Company(
                testDescription: "more than a batch may hold",
                kind: .batch,
                code: .memberCount,
                members: (0..<4).map { ("\($0)", .front, "A\($0)", "u") }
            ),
            Company(
                testDescription: "two business numbers",
                kind: .application,
                code: .memberMismatch,
                members: [("1", .front, "canary-A", "u"), ("2", .back, "canary-B", "u")]
            ),
            Company(
                testDescription: "two fronts",
                kind: .application,
                code: .memberMismatch,
                members: [("1", .front, "A", "u"), ("2", .front, "A", "u")]
            ),
            Company(
                testDescription: "the back first",
                kind: .application,
                code: .memberMismatch,
                members: [("1", .back, "A", "u"), ("2", .front, "A", "u")]
            ),
            Company(
                testDescription: "the back first",
                kind: .batch,
                code: .memberMismatch,
                members: [("1", .back, "A", "u"), ("2", .front, "B", "u"), ("3", .front, "A", "u")]
            ),
            Company(
                testDescription: "one card twice",
                kind: .batch,
                code: .memberMismatch,
                members: [("1", .front, "A", "u"), ("1", .front, "A", "u")]
            ),
            Company(
                testDescription: "two accounts",
                kind: .batch,
                code: .memberMismatch,
                members: [("1", .front, "A", "canary-1"), ("2", .front, "B", "canary-2")]
            ),
            Company(
                testDescription: "two accounts",
                kind: .application,
                code: .memberMismatch,
                members: [("1", .front, "A", "canary-1"), ("2", .back, "A", "canary-2")]
            ),
            Company(
                testDescription: "one without account",
                kind: .batch,
                code: .userNumberMissing,
                members: [("1", .front, "A", "u"), ("2", .front, "B", nil)]
            ),
        ]
    )
    func company(company: Company) throws {
        let layout = try DeliveryLayout(company.kind, maximumBatchMembers: 3)
        let members = try company.members.map { try self.member($0.0, $0.1, number: $0.2, user: $0.3) }
        let error = try #require(throws: DeliveryError.self) { try layout.parts(for: members, token: self.token) }
        #expect(error.code == company.code)
        #expect(!"\(error)".contains("canary"))
    }

    @Test("A layout tells how many cards it holds")
    func maximum() throws {
        #expect(try DeliveryLayout(.single).maximumMembers == 1)
        #expect(try DeliveryLayout(.application).maximumMembers == 2)
        #expect(try DeliveryLayout(.batch, maximumBatchMembers: 50).maximumMembers == 50)
        let error = #expect(throws: DeliveryError.self) { try DeliveryLayout(.batch, maximumBatchMembers: 0) }
        #expect(error?.code == .memberCount)
    }

    @Test("Every part needs a name")
    func emptyName() {
        let paths = [\FormNames.token, \.userNumber, \.businessType, \.businessNumber, \.documentType, \.file]
        for path in paths {
            var names = FormNames()
            names[keyPath: path] = ""
            let nameless = names
            let error = #expect(throws: DeliveryError.self) { try DeliveryLayout(names: nameless) }
            #expect(error?.code == .formInvalid)
        }
    }
}
