import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// A photo that another submitter sent under the same number is not there for the one who sends it now.
@Suite final class OtherSubmitterTests: StoreSuite {
    /// The number is the owner's, and the other one's photo of it is held.
    private func conflict(_ bytes: String = "photo") async throws -> CardID {
        try await harness.admit("first", number: "N", submitter: "owner")
        let other = try await harness.admit(bytes, number: "N", submitter: "other")
        #expect(other.reason == .submitterConflict)
        return other.card
    }

    @Test func `the owner's image by URL is a card of its own, whatever becomes of another's same one`() async throws {
        let other = try await conflict()
        let message = harness.message("m1", from: "owner")
        let card = try await harness.admit(message).card
        try await harness.fetch("photo", of: card)
        #expect(try await harness.state(card) == "received")
        try await harness.resolve(other, .reject)
        let again = try await harness.admit(message)
        #expect(again.card == card && again.isReplay && again.state == .received)
        try await harness.prepare("jpeg of photo")
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.findings() == [])
    }

    @Test func `the owner's image is a card of its own though another's looks the same prepared`() async throws {
        let other = try await conflict()
        let card = try await harness.admit(harness.received("the same pixels", submitter: "owner")).card
        try await harness.prepare("jpeg of photo")
        #expect(try await harness.state(card) == "prepared")
        let listed = try await harness.admit(harness.photo("photo", number: "N", submitter: "owner"))
        #expect(listed.card == card && listed.isDuplicate)
        // Who sent it first still finds its own.
        #expect(try await harness.admit("photo", number: "N", submitter: "other").card == other)
    }

    @Test(arguments: ["bytes", "pixels"])
    func `an image that is let in and the owner's already is no second card, and names none`(
        _ same: String
    ) async throws {
        let owners = try await harness.admit("photo", number: "N", submitter: "owner").card
        let message = harness.message("m1", from: "other")
        let card = try await harness.admit(message).card
        #expect(try await harness.state(card) == "held submitter_conflict")
        try await harness.resolve(card, .accept)
        try await harness.fetch(same == "bytes" ? "photo" : "the same pixels", of: card)
        if same == "pixels" { try await harness.prepare("jpeg of photo") }
        #expect(try await harness.state(card) == "superseded duplicate")
        let text = try #require(try await harness.card(card).message?.text())
        #expect(!text.contains(owners.rawValue))
        let again = try await harness.admit(message)
        #expect(again.card == card && again.isReplay)
        #expect(try await harness.state(owners) == "prepared")
    }

    @Test func `a list of this machine finds another's same image by URL, as it finds its bytes`() async throws {
        let owners = try await harness.admit("photo", number: "N", submitter: "owner").card
        let card = try await harness.address().card
        try await harness.resolve(card, .accept)
        try await harness.fetch("photo", of: card)
        #expect(try await harness.state(card) == "superseded duplicate")
        let listed = try await harness.address()
        #expect(listed.card == owners && listed.isDuplicate)
    }
}

extension StoreHarness {
    /// A message of a webhook that names an image by URL.
    func message(_ name: String, from submitter: String, of address: String = "front") -> NewCard {
        var photo = self.photo("remote", number: "N", submitter: submitter)
        photo.source = nil
        photo.content = .remote(Self.address(address))
        photo.receipt = Receipt(kind: .webhook, name: name, request: ContentDigest(of: Data(name.utf8)))
        photo.isOfRequest = true
        return photo
    }

    /// The host of a card's address sends bytes.
    func fetch(_ bytes: String, of card: CardID? = nil) async throws {
        let job = try #require(try await self.claimFetching().jobs.first { card == nil || $0.card.id == card })
        try await self.storeChunk(bytes, at: 0, of: job, byteCount: bytes.utf8.count)
        try await self.conclude(job, .fetched)
    }

    /// The one received source becomes an image.
    func prepare(_ image: String) async throws {
        let job = try #require(try await self.claimPreparation().jobs.first)
        try await self.conclude(job, .success(Self.image(image)))
    }
}
