import CardModel
import Foundation
import Testing

@testable import CardStore

/// Stages get images from memory as long as those are what the sandbox holds.
@Suite final class PreparedImageCacheTests: StoreSuite {
    /// Damages every image without anybody noticing.
    private func damageImages() async throws {
        try await harness.store.database.write { tx in _ = try tx.run("UPDATE blob SET bytes = x'00'") }
    }

    @Test func `an image that was just stored is not read again`() async throws {
        let (_, job) = try await harness.verifying("front", number: "N")
        try await self.damageImages()
        try await harness.conclude(job, side: .front, number: nil)
        #expect(try await harness.begin().map(\.outbound.images.values.first) == [job.content.jpeg])
    }

    @Test func `an image that another process made smaller is read`() async throws {
        let card = try await harness.admit("front", number: "N").card
        let smaller = StoreHarness.image("smaller")
        try await harness.store.database.write { [store = harness.store] tx in
            try store.records.put(smaller, of: card, key: CardRow.require(card, in: tx).key(store.vault), in: tx)
            try tx.run("UPDATE card SET shrunk = 1")
        }
        #expect(try await harness.claim().map(\.content) == [smaller])
    }

    @Test func `what was sent, refused or erased is forgotten`() async throws {
        let sent = try await harness.verified("sent", number: "N", .front)
        let erased = try await harness.admit("erased", number: "M").card
        let store = harness.store
        #expect([sent, erased].allSatisfy { store.preparedImages.image(of: $0, isShrunk: false) != nil })
        _ = try await harness.begin()
        _ = try await harness.erase(erased)
        #expect([sent, erased].allSatisfy { store.preparedImages.image(of: $0, isShrunk: false) == nil })
    }

    @Test func `the oldest make room for new ones, and none stays long`() {
        let (preparedImages, size) = (PreparedImageCache(), Limits.preparedImagesSize / 4)
        let image = PreparedImage(jpeg: .init(count: size), width: 1, height: 1, digest: .init(of: []))
        let cards = ["a", "b", "c", "d", "e", "f"].map(CardID.init(rawValue:))
        func kept() -> [Bool] { cards.map { preparedImages.image(of: $0, isShrunk: false) != nil } }
        for card in cards { preparedImages.insert(image, of: card, isShrunk: false) }
        #expect(kept() == [false, false, false, true, true, true])
        preparedImages.insert(image, of: cards[0], isShrunk: false)
        preparedImages.age()
        #expect(kept() == [true, false, false, false, false, false])
        preparedImages.age()
        #expect(!kept().contains(true))
    }
}
