import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// A business number that names a person.
@Suite final class PersonalNumberTests: StoreSuite {
    private static let number = "LOAN-7 白丽芳"

    private func front(_ bytes: String = "front", verdict: Verdict = .accepted) async throws -> CardID {
        let card = try await harness.admit(bytes, number: Self.number).card
        try await self.judge(card, verdict)
        return card
    }

    private func judge(_ card: CardID, _ verdict: Verdict = .accepted) async throws {
        let job = try #require(try await harness.claim().first { $0.card.id == card })
        let fields = CardFields(name: "白丽芳", number: "11010519491231002X")
        try await harness.conclude(job, CardReading(side: .front, fields: fields), verdict)
    }

    private func files(holding text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: harness.folder).filter { name in
            let bytes = FileManager.default.contents(atPath: "\(harness.folder)/\(name)")
            return bytes?.range(of: Data(text.utf8)) != nil
        }
    }

    @Test func `what is under it waits for a person, who says that it is right`() async throws {
        let front = try await front(verdict: .held(VerdictRule.legalityLow.reason, message: "look at it"))
        let back = try await harness.verified("back", number: Self.number, .back)
        #expect(try await harness.state(front) == "held business_no_personal")
        #expect(try await harness.begin().isEmpty)
        await #expect(throws: CodedError.self) { try await harness.retry(front) }
        try await harness.resolve(front, .accept)
        // The number came first; what else holds the card is judged by the stored reading.
        let job = try #require(try await harness.claim().first)
        #expect(job.attempt == nil)
        let reading = CardReading(side: .front, fields: CardFields(name: "白丽芳", number: "11010519491231002X"))
        try await harness.conclude(job, reading, .held(VerdictRule.legalityLow.reason, message: "look at it"))
        #expect(try await harness.state(front) == "held legality_low")
        try await harness.resolve(front, .accept)
        try await harness.deliverAll()
        for card in [front, back] { #expect(try await harness.state(card) == "delivered") }
        // Later photos of the case ask nobody.
        let later = try await self.front("later")
        #expect(try await harness.card(later).state == .verified)
        #expect(try await harness.findings() == [])
    }

    @Test func `an expected name in it holds the photo before it is verified, and so does a folder`() async throws {
        let named = try await harness.admit("a", number: Self.number) { $0.expectedName = Redacted("白丽芳") }.card
        var photo = harness.photo("b", number: "LOAN-8 补件")
        photo.hasPersonalFolder = true
        let folder = try await harness.admit(photo).card
        for card in [named, folder] { #expect(try await harness.state(card) == "held business_no_personal") }
        #expect(try await harness.claim().isEmpty)
        try await harness.resolve(folder, .accept)
        #expect(try await harness.claim().map(\.card.id) == [folder])
    }

    @Test func `it is returned for another number, which ends the case`() async throws {
        let front = try await front()
        let back = try await harness.verified("back", number: Self.number, .back)
        await #expect(throws: CodedError.self) { try await harness.resolve(front, .retake) }
        try await harness.store.decisions.decide(
            front,
            .retake,
            because: .number,
            by: StoreHarness.person,
            now: harness.now
        )
        #expect(try await harness.state(front) == "rejected retake_number")
        #expect(try await harness.state(back) == "rejected rejected_by_operator")
        let list = try await harness.store.listings.cases(CaseFilter(), after: nil, limit: 10, for: .process).cases
        #expect(list.map(\.state) == [.rejected] && list.map(\.cause) == ["retake_number"])
        #expect(list.map(\.message) == [RetakeReason.number.code.meaningByPerson])
        let late = try await harness.admit("late", number: Self.number).card
        #expect(try await harness.state(late) == "held case_rejected")
        #expect(try await harness.findings() == [])
    }

    @Test func `it is erased with its last card, and what comes under it is known`() async throws {
        let file = FileIdentity(path: "/photos/\(Self.number)/front.jpg", stat())
        let front = try await harness.admit("front", number: Self.number, file: file).card
        try await judge(front)
        let back = try await harness.verified("back", number: Self.number, .back)
        try await harness.resolve(front, .accept)
        try await judge(front)
        try await harness.deliverAll()
        try await harness.erase(front)
        #expect(try !files(holding: "白丽芳").isEmpty, "one card is left")
        try await harness.erase(back)
        #expect(try files(holding: "白丽芳") == [])
        #expect(try await harness.findings() == [])
        // The same file is erased; its bytes at another place, and others, wait for a person.
        #expect(try await harness.known([file], number: Self.number)[0]?.state == .erased)
        let copy = try await harness.admit("front", number: Self.number).card
        #expect(try await harness.state(copy) == "held business_no_personal")
        #expect(try files(holding: "白丽芳") == [])
        let filter = CaseFilter(number: BusinessNumber(stored: Self.number))
        let list = try await harness.store.listings.cases(filter, after: nil, limit: 10, for: .process).cases
        #expect(list.map(\.businessNo.isDigest) == [true] && list.map(\.state) == [.decide])
        // A person lets it go, under the number as it was given.
        try await harness.resolve(copy, .accept)
        try await judge(copy)
        #expect(
            try await harness.proposed(StoreHarness.terms).flatMap(\.groups).flatMap(\.self).map(\.givenNumber) == [
                Redacted(Self.number)
            ]
        )
        #expect(try await harness.findings() == [])
    }

    @Test func `any number is erased on demand`() async throws {
        let card = try await harness.admit("front", number: "LOAN-9").card
        try await harness.store.upkeep.erase(
            [card],
            because: .requested,
            withNumber: true,
            by: StoreHarness.person,
            now: harness.now
        )
        #expect(try files(holding: "LOAN-9") == [])
        #expect(
            try await harness.state(try await harness.admit("other", number: "LOAN-9").card)
                == "held business_no_personal"
        )
    }

    @Test func `a backup of before brings it back neither in rows nor to be sent`() async throws {
        let scene = try await RestoreScene()
        let harness = scene.harness
        let card = try await harness.admit("front", number: Self.number).card
        try await scene.backUpAgain()
        let job = try #require(try await harness.claim().first { $0.card.id == card })
        try await harness.conclude(job, CardReading(side: .front, fields: CardFields(name: "白丽芳")))
        let later = try await harness.admit("later", number: Self.number).card
        try await harness.erase(card)
        try await harness.erase(later)
        try await scene.closeAndRestore()
        #expect(try await harness.state(card) == "erased requested")
        let numbers: SQL = "SELECT group_concat(number) FROM (SELECT number FROM cases UNION SELECT number FROM card)"
        #expect(try await harness.value(numbers, as: String.self)?.contains("白丽芳") == false)
        let again = try await harness.admit("front", number: Self.number).card
        #expect(try await harness.state(again) == "held business_no_personal")
        #expect(try await harness.findings() == [])
    }
}
