import CardEngine
import CardModel
import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import CardInput
@testable import CardStore

/// Photos that come into a watched folder in another order than they were taken.
@Suite(.timeLimit(.minutes(5))) struct PhotoTimeTests {
    @Test func `of 40 photos that come within seconds, the one of each case that was taken last is sent last`()
        async throws
    {
        let sandbox = try await StoredPhotos()
        let watching = try Watching(pipeline: sandbox.pipeline())
        var random = SeededRandom(seed: 40)
        let photos = (0..<40).map { (number: "R-\($0 % 10)", taken: 1_699_000_000 + $0 * 300) }.shuffled(using: &random)
        try await watching.run(afterScans: 1) { _ in
            for (index, photo) in photos.enumerated() {
                try bring(photo.number, taken: photo.taken, to: watching.folder)
                await watching.reports.wait(forPlaced: index + 1)
                let pause = Duration.milliseconds(Int.random(in: 0...2_000, using: &random))
                sandbox.pass(pause)
                if index % 7 == 6 { try await sandbox.deliver() }
            }
        }
        try await sandbox.deliver()
        let sent = sandbox.sent
        for number in Set(photos.map(\.number)) {
            let times = sent.filter { $0.hasPrefix(number + " ") }.compactMap { Int($0.split(separator: " ")[1]) }
            #expect(times == times.sorted() && times.last == photos.filter { $0.number == number }.map(\.taken).max())
        }
        let cards = try await sandbox.store.listings.cards(CardFilter(), after: 0, limit: 100, for: .process)
        let skipped = cards.filter { $0.reason == .takenEarlier }
        #expect(cards.count == 40 && cards.count { $0.state == .delivered } + skipped.count == 40)
        #expect(skipped.count > 5 && skipped.allSatisfy { $0.notice == .line })
        for card in skipped {
            #expect(card.message?.text().contains("idcard-pipeline cards retry \(card.id)") == true)
        }
        // A person wants one of them.
        let chosen = try #require(skipped.first)
        try await sandbox.store.decisions.decide(chosen.id, .retry, by: AccessOrigin(actor: "test"), now: sandbox.now)
        try await sandbox.deliver()
        #expect(sandbox.sent.last?.hasPrefix("\(chosen.metadata.businessNumber) ") == true)
        #expect(try await sandbox.store.listings.cards([chosen.id], for: .process).map(\.state) == [.delivered])
    }

    /// Moves a photo into a case with the time that it was taken.
    private func bring(_ number: String, taken: Int, to folder: TemporaryFolder) throws {
        let name = "\(taken).jpg"
        try folder.write("out/" + name, bytes: Listing.jpegStart + Array("\(number) \(taken)".utf8))
        try folder.setTime("out/" + name, taken)
        try folder.makeFolder("in/" + number)
        try #require(rename(folder["out/" + name], folder["in/\(number)/\(name)"]) == 0)
    }

    @Test func `a photo that is passed over once it is in done goes on to failed, with what goes with it`()
        async throws
    {
        let watching = try Watching(photos: ["in/LOAN-1/front.jpg"])
        try watching.folder.write("in/LOAN-1/front.jpg.json", text: #"{"user_no": "u-1"}"#)
        try watching.photo("in/failed/LOAN-1/front.jpg", 7)
        try await watching.run(afterPlaced: 1) { watch in
            let status = try FilePath(watching.folder["in/done/LOAN-1/front.jpg"]).status(followingLinks: false)
            let file = FileIdentity(path: watching.folder["in/LOAN-1/front.jpg"], status)
            let error = CodedError(.takenEarlier, .input, "another one was taken later")
            for _ in 0..<2 { await watch.writeNote(error, card: CardID(rawValue: "c"), beside: [file], moving: true) }
        }
        let moved = "failed/LOAN-1/front-2.jpg"
        #expect(watching.files() == [moved, moved + ".failed.json", moved + ".json", "failed/LOAN-1/front.jpg"])
        #expect(try watching.note("in/\(moved).failed.json")["code"] == "taken_earlier")
    }
}
