import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// What is kept in memory of the cards under way, and when it is not.
struct RecentCardsTests {
    private static func image(_ byteCount: Int) -> PreparedImage {
        let jpeg = Data(repeating: 7, count: byteCount)
        return PreparedImage(jpeg: jpeg, width: 8, height: 8, digest: ContentDigest(of: jpeg))
    }

    private static func sealed(_ number: Int) -> RecentCards.SealedText {
        RecentCards.SealedText(column: "card.user_number", bytes: Data([UInt8(number)]))
    }

    private static func card(_ number: Int) -> CardID { CardID(rawValue: "card-\(number)") }

    @Test("The oldest make room, and what is larger than all the room is not kept")
    func room() {
        let recent = RecentCards(limit: 100)
        for number in 1...3 { recent.keep(Self.image(40), of: Self.card(number), isShrunk: false) }
        #expect((1...3).map { recent.image(of: Self.card($0)) != nil } == [false, true, true])
        recent.keep(Self.image(101), of: Self.card(2), isShrunk: true)
        #expect((1...3).map { recent.image(of: Self.card($0)) != nil } == [false, false, true])
        recent.keep(Self.image(60), of: Self.card(4), isShrunk: false)
        #expect((3...4).map { recent.image(of: Self.card($0)) != nil } == [true, true])
    }

    @Test("Many come and go, and the room stays the same")
    func many() {
        let recent = RecentCards(limit: 100)
        for number in 1...10_000 {
            recent.keep(Self.image(10), of: Self.card(number), isShrunk: false)
            if number % 3 == 0 { recent.forget([Self.card(number)]) }
        }
        let kept = (1...10_000).filter { recent.image(of: Self.card($0)) != nil }
        // Of the last fifteen every third was dropped, and ten have room.
        #expect(kept == (9986...10_000).filter { $0 % 3 != 0 })
    }

    @Test("An image from before the card was made smaller is dropped; what was noted goes with it")
    func shrunk() {
        let recent = RecentCards(limit: 100)
        recent.keep(Self.image(10), of: Self.card(1), isShrunk: false)
        recent.note([Redacted("word")], of: Self.card(1))
        recent.expect(Self.card(1), isShrunk: false)
        #expect(recent.confidential(of: Self.card(1)) == [Redacted("word")])
        recent.expect(Self.card(1), isShrunk: true)
        #expect(recent.image(of: Self.card(1)) == nil)
        #expect(recent.confidential(of: Self.card(1)) == nil)
    }

    @Test("What a sealed value holds is known while the image is, and for eight values at most")
    func opened() {
        let recent = RecentCards(limit: 100)
        recent.note(Redacted("early"), in: Self.sealed(0), of: Self.card(1))
        #expect(recent.text(in: Self.sealed(0), of: Self.card(1)) == nil)
        recent.keep(Self.image(10), of: Self.card(1), isShrunk: false)
        for number in 1...9 { recent.note(Redacted("\(number)"), in: Self.sealed(number), of: Self.card(1)) }
        let known = (1...9).map { recent.text(in: Self.sealed($0), of: Self.card(1))?.reveal() }
        #expect(known == (1...8).map(String.init) + [nil])
        #expect(recent.text(in: Self.sealed(1), of: Self.card(2)) == nil)
        let elsewhere = RecentCards.SealedText(column: "card.expected_name", bytes: Data([1]))
        #expect(recent.text(in: elsewhere, of: Self.card(1)) == nil, "it was sealed for another column")
        recent.forget([Self.card(1)])
        #expect(recent.text(in: Self.sealed(1), of: Self.card(1)) == nil)
    }

    @Test("Once a card is delivered or erased nothing of it is in memory")
    func ended() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        let delivery = try await store.beginSampleDelivery()
        let member = try #require(delivery.members.first)
        #expect(store.recent.image(of: member) != nil)
        _ = try await store.conclude(
            delivery.id,
            as: .delivered(code: "0000"),
            attempt: AttemptRecord(failureClass: .accepted, code: "0000", httpStatus: 200, startedAt: .second(4)),
            number: 1,
            now: .second(5)
        )
        #expect(store.recent.image(of: member) == nil)
    }
}
