import CardModel
import Foundation
import Testing

@testable import CardRemote

/// The parts of a form.
@Suite struct DeliveryLayoutTests {
    private func parts(
        _ members: [DeliveryMember],
        _ change: (inout DeliverySettings) -> Void = { _ in }
    ) throws -> [String] {
        var settings = makeDeliverySettings()
        change(&settings)
        return try DeliveryLayout(settings: settings).parts(for: members, token: Redacted("T")).map { part in
            switch part.content {
            case .text(let value): "\(part.name)=\(value.reveal())"
            case .image(let card, let filename, let contentType): "\(part.name)=\(card);\(filename);\(contentType)"
            }
        }
    }

    private let head = ["TOKEN=T", "USERNO=canary-user"]
    private func business(_ number: String = "LOAN-2024-0001") -> [String] {
        ["BUSINESSTYPE=LOAN_APPLY", "BUSINESSNO=\(number)"]
    }
    private func front(_ number: String = "LOAN-2024-0001") -> [String] {
        ["DOCTYPE=IDCARD_FRONT_APP", "FILE=card-\(number)-front;IDFrontImage.jpg;image/jpeg"]
    }
    private func back(_ number: String = "LOAN-2024-0001") -> [String] {
        ["DOCTYPE=IDCARD_BACK_APP", "FILE=card-\(number)-back;IDBackImage.jpg;image/jpeg"]
    }

    @Test(arguments: DeliveryLayoutKind.allCases)
    func `One card makes the six parts of the original flow in every layout`(layout: DeliveryLayoutKind) throws {
        #expect(
            try self.parts([makeMember(.front)], { $0.layout = layout }) == self.head + self.business() + self.front()
        )
        #expect(
            try self.parts([makeMember(.back)], { $0.layout = layout }) == self.head + self.business() + self.back()
        )
    }

    @Test func `An application names its number once, a batch every card's`() throws {
        let pair = [makeMember(.front), makeMember(.back)]
        #expect(
            try self.parts(pair, { $0.layout = .application })
                == self.head + self.business() + self.front() + self.back()
        )
        let batch = pair + [makeMember(.front, number: "B")]
        #expect(
            try self.parts(batch, { $0.layout = .batch })
                == self.head + self.business() + self.front() + self.business() + self.back() + self.business("B")
                + self.front("B")
        )
    }

    @Test func `Names, constants and extra fields are configuration`() throws {
        let parts = try self.parts([makeMember(.front, userNumber: nil)]) { settings in
            settings.userNumber = Redacted("configured")
            settings.form.token = "t"
            settings.form.userNumber = "u"
            settings.form.businessType = "bt"
            settings.form.businessNumber = "bn"
            settings.form.documentType = "d"
            settings.form.file = "f"
            settings.form.businessTypeValue = "CARD_APPLY"
            settings.form.frontDocumentType = "F"
            settings.form.frontFilename = "front.jpg"
            settings.form.extra = [.text("7", name: "CHANNEL"), .text("9", name: "VERSION")]
        }
        #expect(
            parts == [
                "t=T", "u=configured", "CHANNEL=7", "VERSION=9", "bt=CARD_APPLY", "bn=LOAN-2024-0001", "d=F",
                "f=card-LOAN-2024-0001-front;front.jpg;image/jpeg",
            ]
        )
    }

    @Test(arguments: [
        (DeliveryLayoutKind.single, [], "member_count"),
        (.single, [makeMember(.front), makeMember(.back)], "member_count"),
        (.application, [makeMember(.front), makeMember(.back, number: "B")], "member_mismatch"),
        (.application, [makeMember(.front), makeMember(.front)], "member_mismatch"),
        (.batch, [makeMember(.back), makeMember(.front)], "member_mismatch"),
        (.batch, [makeMember(.front), makeMember(.front)], "member_mismatch"),
        (.batch, [makeMember(.front), makeMember(.back, userNumber: "other")], "member_mismatch"),
        (.single, [makeMember(.front, userNumber: nil)], "user_no_missing"),
        (.single, [makeMember(.front, userNumber: "")], "user_no_missing"),
    ])
    func `cards not of one delivery are refused`(layout: DeliveryLayoutKind, members: [DeliveryMember], code: String) {
        let failure = #expect(throws: RemoteFailure.self) { try self.parts(members, { $0.layout = layout }) }
        #expect(failure?.failureClass == .rejected)
        #expect(failure?.code == code)
    }

    @Test func `Cards of several user accounts are refused with what to do`() {
        let members = [makeMember(.front), makeMember(.back, userNumber: "other")]
        let failure = #expect(throws: RemoteFailure.self) { try self.parts(members, { $0.layout = .application }) }
        #expect(failure?.code == "member_mismatch")
        for words in ["user_no", "delivery.layout"] { #expect(failure?.message.contains(words) == true) }
    }

    @Test func `a batch of several cards is answered card by card`() {
        for (layout, count, isBatch) in [
            (DeliveryLayoutKind.single, 1, false), (.application, 2, false), (.batch, 2, true), (.batch, 1, false),
        ] {
            let cards = (0..<count).map { (CardID(rawValue: "\($0)"), Data()) }
            let delivery = OutboundDelivery(
                idempotencyKey: "key",
                layout: layout,
                boundary: "boundary",
                parts: [],
                images: Dictionary(uniqueKeysWithValues: cards)
            )
            #expect(DeliveryShape(of: delivery) == DeliveryShape(members: count, isBatch: isBatch))
        }
    }
}
