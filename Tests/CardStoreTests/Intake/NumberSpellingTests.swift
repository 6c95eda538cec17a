import CardModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CardStore

/// Numbers of one NFC are one case, which is shown and sent as it was first given.
@Suite final class NumberSpellingTests: StoreSuite {
    private static let spellings = ["Cr\u{E9}dit-7", "Cre\u{301}dit-7"]

    /// The number of a card, byte for byte.
    private func bytes(_ card: CardID) async throws -> [UInt8] {
        Array(try await harness.card(card).metadata.businessNumber.rawValue.utf8)
    }

    @Test(arguments: [spellings, spellings.reversed(), ["K-1", "\u{212A}-1"], ["\u{212A}-1", "K-1"]])
    func `photos under two spellings of a number are one case`(_ spellings: [String]) async throws {
        let front = try await harness.admit("front", number: spellings[0]).card
        let back = try await harness.admit("back", number: spellings[1]).card
        for card in [front, back] { #expect(try await self.bytes(card) == Array(spellings[0].utf8)) }
        let again = try await harness.admit("front", number: spellings[1])
        #expect(again.card == front && again.isDuplicate)
        let other = try await harness.admit("other", number: spellings[1], submitter: "other")
        #expect(other.reason == .submitterConflict)
        #expect(try await harness.value("SELECT count(*) FROM cases", as: Int.self) == 1)
        #expect(try await harness.findings() == [])
    }

    @Test func `lists and look-ups find a case by any spelling of its number`() async throws {
        let file = FileIdentity(path: "/front.jpg", stat())
        try await harness.admit("front", number: Self.spellings[0], file: file)
        for spelling in Self.spellings {
            let number = BusinessNumber(stored: spelling)
            var (cards, cases) = (CardFilter(), CaseFilter())
            (cards.number, cases.number) = (number, number)
            for caller in [Caller.process, Caller(subject: "local", scopes: [.read])] {
                #expect(try await harness.store.listings.cards(cards, after: 0, limit: 9, for: caller).count == 1)
                #expect(
                    try await harness.store.listings.cases(cases, after: nil, limit: 9, for: caller).cases.count == 1
                )
            }
            #expect(try await harness.store.listings.caseCards(of: number, for: .process).count == 1)
            #expect(try await harness.store.listings.count(of: .inProgress, among: [number]) == 1)
            let digest = ContentDigest(of: Data("front".utf8))
            #expect(try await harness.store.intake.knows(digest, number: number, from: "local", sentBy: "local"))
            let item = Photo(
                .file(file),
                name: Redacted("front.jpg"),
                metadata: CardMetadata(businessNumber: number)
            )
            let known = try await harness.store.intake.known([item], of: "local", now: harness.now)
            #expect(known.cards[0] != nil && known.newNumbers.isEmpty)
        }
    }
}
