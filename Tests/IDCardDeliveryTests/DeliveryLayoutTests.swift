import Foundation
import IDCardCore
import Testing

@testable import IDCardDelivery

/// Makes a member with an invented business number.
func makeMember(_ side: CardSide, userNumber: String? = "canary-user") throws -> DeliveryMember {
    DeliveryMember(
        card: CardID(rawValue: "card-\(side.rawValue)"),
        side: side,
        businessNumber: try #require(BusinessNumber("LOAN-2024-0001")),
        userNumber: userNumber.map(Redacted.init)
    )
}

/// The parts of a form.
struct DeliveryLayoutTests {
    private let token = Redacted("canary-token")

    private func described(_ parts: [DeliveryPart]) -> [String] {
        parts.map { part in
            switch part.content {
            case .text(let value): "\(part.name)=\(value.reveal())"
            case .image(let card, let filename, let contentType): "\(part.name)=\(card);\(filename);\(contentType)"
            }
        }
    }

    @Test(
        "The layout single has the six parts of the original flow in order",
        arguments: [
            (CardSide.front, "IDCARD_FRONT_APP", "IDFrontImage.jpg"), (.back, "IDCARD_BACK_APP", "IDBackImage.jpg"),
        ]
    )
    func single(side: CardSide, documentType: String, filename: String) throws {
        let parts = try DeliveryLayout().parts(for: [makeMember(side)], token: self.token)
        #expect(
            self.described(parts) == [
                "TOKEN=canary-token", "USERNO=canary-user", "BUSINESSTYPE=LOAN_APPLY", "BUSINESSNO=LOAN-2024-0001",
                "DOCTYPE=\(documentType)", "FILE=card-\(side.rawValue);\(filename);image/jpeg",
            ]
        )
    }

    @Test("Names and constants are configuration")
    func names() throws {
        var names = FormNames()
        names.token = "t"
        names.userNumber = "u"
        names.businessType = "bt"
        names.businessNumber = "bn"
        names.documentType = "d"
        names.file = "f"
        names.businessTypeValue = "CARD_APPLY"
        names.frontDocumentType = "F"
        names.frontFilename = "front.jpg"
        let parts = try DeliveryLayout(names: names).parts(for: [makeMember(.front)], token: self.token)
        #expect(
            self.described(parts) == [
                "t=canary-token", "u=canary-user", "bt=CARD_APPLY", "bn=LOAN-2024-0001", "d=F",
                "f=card-front;front.jpg;image/jpeg",
            ]
        )
    }

    @Test("A card without user number takes the configured one", arguments: [nil, ""])
    func configuredUser(own: String?) throws {
        let layout = try DeliveryLayout(userNumber: Redacted("configured"))
        let parts = try layout.parts(for: [makeMember(.front, userNumber: own)], token: self.token)
        #expect(self.described(parts)[1] == "USERNO=configured")
    }

    @Test("Without any user number there is no form, and the remedy is named")
    func missingUser() throws {
        let layout = try DeliveryLayout()
        let error = try #require(throws: DeliveryError.self) {
            try layout.parts(for: [makeMember(.front, userNumber: nil)], token: self.token)
        }
        #expect(error.code == .userNumberMissing)
        #expect(error.message.contains("delivery.user_no"))
    }

    @Test("The layout single holds exactly one card", arguments: [0, 2])
    func memberCount(count: Int) throws {
        let members = try [makeMember(.front), makeMember(.back)].prefix(count)
        let error = try #require(throws: DeliveryError.self) {
            try DeliveryLayout().parts(for: Array(members), token: self.token)
        }
        #expect(error.code == .memberCount)
    }

    @Test("Parts do not print their values")
    func redaction() throws {
        let layout = try DeliveryLayout(userNumber: Redacted("canary-configured"))
        let parts = try layout.parts(for: [makeMember(.front)], token: self.token)
        var dumped = ""
        dump(parts, to: &dumped)
        for text in ["\(parts)", "\(layout)", String(reflecting: layout), dumped] {
            #expect(!text.contains("canary"))
        }
    }
}
