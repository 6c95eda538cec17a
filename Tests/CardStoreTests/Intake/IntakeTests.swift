import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

@Suite final class IntakeTests: StoreSuite {
    // MARK: Submitters

    @Test func `what a sender has in the queue and held under others' numbers takes up its share`() async throws {
        try await harness.admit("a", number: "N", submitter: "owner")
        try await harness.admit("b", number: "N", submitter: "other")
        #expect(
            try await !harness.store.intake.hasReachedQueueShare(by: Caller(subject: "other", scopes: []), share: 2)
        )
        try await harness.admit("c", number: "M", submitter: "other")
        #expect(try await harness.store.intake.hasReachedQueueShare(by: Caller(subject: "other", scopes: []), share: 2))
        #expect(
            try await !harness.store.intake.hasReachedQueueShare(by: Caller(subject: "owner", scopes: []), share: 2)
        )
    }

    @Test func `a business number takes so many photos in progress, and known ones all the same`() async throws {
        func send(_ name: String) async throws {
            _ = try await harness.store.intake.admit([harness.photo(name, number: "N")], singly: true, now: harness.now)
        }
        let first = try await harness.admit("0", number: "N").card
        // What another sends under the number is no part of it.
        try await harness.admit("other", number: "N", submitter: "other")
        for index in 1..<Limits.openPhotosPerNumber { try await send("\(index)") }
        await #expect { try await send("more") } throws: { ($0 as? CodedError)?.code == .tooManyPhotos }
        try await send("5")
        try await harness.erase(first)
        try await send("more")
    }

    @Test func `another submitter's card is held before it is verified, until a person accepts it`() async throws {
        try await harness.admit("front", number: "N", submitter: "one")
        let other = try await harness.admit("other", number: "N", submitter: "two")
        #expect(other.state == .held && other.reason == .submitterConflict)
        try await harness.verify([:])
        #expect(try await harness.state(other.card) == "held submitter_conflict")
        try await harness.resolve(other.card, .accept)
        #expect(try await harness.state(other.card) == "prepared")
    }

    @Test func `a number stays its first submitter's when the card is erased`() async throws {
        let first = try await harness.admit("front", number: "N", submitter: "one")
        try await harness.erase(first.card)
        #expect(try await harness.admit("other", number: "N", submitter: "two").reason == .submitterConflict)
        #expect(try await harness.admit("third", number: "N", submitter: "one").state == .prepared)
    }

    @Test func `another submitter's same bytes are refused, in a list a mere duplicate`() async throws {
        let first = try await harness.admit("front", number: "N", submitter: "one")
        let theirs = harness.photo("front", number: "N", side: .back, submitter: "two", priority: 9)
        #expect(await code { try await harness.admit(theirs) } == .submitterConflict)
        let listed = try await harness.admit("front", number: "N", priority: 9) { $0.side = .back }
        #expect(listed.card == first.card && listed.isDuplicate)
        #expect(try await harness.card(first.card).metadata.side == nil)
        #expect(try await harness.card(first.card).metadata.priority == 0)
    }

    @Test func `a number is as urgent as the one whose number it is says, and nobody else`() async throws {
        try await harness.admit("front", number: "N", submitter: "one", priority: 2)
        try await harness.admit("other", number: "N", submitter: "two", priority: 9)
        try await harness.admit("other", number: "N", submitter: "two", priority: 9) { $0.side = .back }
        #expect(try await harness.value("SELECT priority FROM cases", as: Int.self) == 2)
        try await harness.admit("third", number: "N", submitter: "one", priority: 3)
        #expect(try await harness.value("SELECT priority FROM cases", as: Int.self) == 3)
    }

    @Test func `another submitter's photo that becomes usable is held as any other of theirs`() async throws {
        try await harness.admit("front", number: "N", submitter: "one")
        let photo = harness.photo("other", number: "N", submitter: "two", refused: StoreHarness.tooLarge)
        let outcome = try await harness.admit(photo)
        #expect(outcome.state == .rejected && outcome.reason == .sourceTooLarge)
        let again = try await harness.admit("other", number: "N", submitter: "two")
        #expect(again.card == outcome.card && again.reason == .submitterConflict)
    }

    // MARK: De-duplication

    @Test func `a refused image leaves no bytes, and is prepared when it can be used`() async throws {
        let file = try harness.file("front")
        let card = try await harness.admit(
            harness.photo("front", number: "N", file: file, refused: StoreHarness.tooLarge)
        ).card
        let details = try await harness.store.listings.reveal(card, to: StoreHarness.person, now: harness.now)
        #expect(details.card.message == "too large" && details.steps.map(\.message) == ["too large"])
        #expect(details.steps.map(\.state) == [.rejected])
        #expect(details.steps.map(\.code) == [ReasonCode.sourceTooLarge.rawValue])
        #expect(try await harness.known([file]) == [nil])
        let again = try await harness.admit("front", number: "N", file: file)
        #expect(again.card == card && again.state == .prepared)
        #expect(try await harness.known([file])[0]?.card == card)
    }

    @Test func `a file is known by path, inode, size and time under its number only`() async throws {
        let file = try harness.file("front")
        let card = try await harness.admit("front", number: "N", file: file).card
        let changes: [(inout FileIdentity) -> Void] = [
            { $0.path = Redacted("/elsewhere") }, { $0.device += 1 }, { $0.inode += 1 }, { $0.size += 1 },
            { $0.modifiedNanoseconds += 1 }, { $0.changedNanoseconds += 1 },
        ]
        for change in changes {
            var other = file
            change(&other)
            #expect(try await harness.known([other]) == [nil])
        }
        #expect(try await harness.known([file], number: "M") == [nil])
        #expect(try await harness.known([file])[0]?.card == card)
    }

    /// A photo whose bytes differ in what becomes no part of the image.
    private func rated(number: String = "N", side: CardSide? = nil) -> NewCard {
        var photo = harness.photo("front with a rating", number: number, side: side)
        photo.content = .prepared(StoreHarness.image("jpeg of front"))
        return photo
    }

    @Test func `the same prepared image of a number and side is one card, and not paid for`() async throws {
        let card = try await harness.admit("front", number: "N") { $0.side = .front }.card
        let again = try await harness.admit(rated())
        #expect(again.card == card && again.isDuplicate)
        #expect(try await harness.admit(rated(side: .back)).card != card, "one that shows both sides")
        #expect(try await harness.admit(rated(number: "M")).isDuplicate == false)
        // What came over HTTP is found out when it is prepared.
        try await harness.admit(harness.received("front with another rating"))
        let job = try #require(try await harness.claimPreparation().jobs.first)
        let image = StoreHarness.image("jpeg of front")
        let change = try await harness.conclude(job, .success(image))
        #expect(change.state == .superseded && change.reason == .duplicate)
        // Its bytes are the other card's from then on.
        var same = harness.photo("front with another rating", number: "N")
        same.content = .prepared(image)
        let known = try await harness.admit(same)
        #expect(known.card == card && known.isDuplicate)
        #expect(try await harness.claim().count == 3)
        #expect(try await harness.findings() == [])
    }

    @Test func `a file that was written again is known as its new card, and no longer as the old one`() async throws {
        let old = try harness.file("front")
        var new = old
        new.size += 1
        try await harness.admit("front", number: "N", file: old)
        let card = try await harness.admit("newer", number: "N", file: new).card
        #expect(try await harness.known([old, new]).map { $0?.card } == [nil, card])
    }

    @Test func `a copy of a photo that is here is known from then on`() async throws {
        let card = try await harness.admit("front", number: "N").card
        let copy = try harness.file("copy")
        #expect(try await harness.known([copy]) == [nil])
        try await harness.admit("front", number: "N", file: copy)
        #expect(try await harness.known([copy]).map { $0?.card } == [card])
    }

    @Test func `of admissions of equal bytes at once exactly one is new, and orders are consecutive`() async throws {
        let photos = (0..<40).map { harness.photo("front \($0 % 4)", number: "N") }
        #expect(try await harness.admitAtOnce(photos).count { !$0.isDuplicate } == 4)
        let cards = try await harness.store.listings.cards(CardFilter(), after: 0, limit: 100, for: .process)
        #expect(cards.map(\.order) == [1, 2, 3, 4])
    }

    // MARK: Room

    @Test func `the sandbox is full while so many cards are under way, whoever took them in`() async throws {
        let other = try await harness.another()
        #expect(try await harness.store.intake.isFull(depth: 4) == false)
        try await harness.admit(harness.received("received"))
        // Images that are still to be fetched are counted apart.
        try await harness.address(number: "M")
        #expect(try await harness.store.intake.hasReachedFetchingLimit(for: .process, share: 2) == false)
        #expect(try await harness.store.intake.hasReachedFetchingLimit(for: .process, share: 1))
        #expect(
            try await harness.store.intake.hasReachedFetchingLimit(for: Caller(subject: "desk", scopes: []), share: 1)
                == false
        )
        try await harness.admit(harness.photo("refused", number: "O", refused: StoreHarness.tooLarge))
        for index in 0..<3 {
            #expect(try await other.intake.isFull(depth: 4) == false)
            try await harness.admit("\(index)", number: "N\(index)")
        }
        #expect(try await other.intake.isFull(depth: 4))
        let job = try #require(try await harness.claim(1).first)
        try await harness.conclude(job, side: .front, number: nil)
        #expect(try await other.intake.isFull(depth: 4) == false)
        try other.close()
    }

    @Test func `nothing is counted while too few were taken in since the oldest card under way`() async throws {
        for index in 0..<5 { try await harness.admit("\(index)", number: "N\(index)") }
        for job in try await harness.claim(3) { try await harness.conclude(job, side: .front, number: nil) }
        let mayHold = try await harness.store.database.read { [store = harness.store] tx in
            try (1...4).map { try store.intake.mayHold($0, in: tx) }
        }
        #expect(mayHold == [true, true, false, false])
    }
}

extension StoreHarness {
    /// Makes a file beside the sandbox and says what tells it apart.
    func file(_ name: String) throws -> FileIdentity {
        let path = "\(self.folder)/\(name).jpg"
        try Data(name.utf8).write(to: URL(filePath: path))
        var status = stat()
        try #require(stat(path, &status) == 0)
        return FileIdentity(path: path, status)
    }
}
