import Foundation
import Testing

@testable import CardEmbedded

/// The reader against the committed pictures; tesseract reads two at a time.
@Suite(.timeLimit(.minutes(10))) struct CardReadingTests {
    /// It may take its time: what is asked here is what it reads, on machines that do other work as well.
    private static let reader = CardReader(tesseract: Tesseract(configuration: .init(timeLimit: .seconds(300))))

    /// Odd encodings go through the recompression first: a test of the command reads those.
    @Test func `Every card's number or validity is read, and every scan's other fields`() async throws {
        let cards = try FixtureCard.all(below: "cards")
        #expect(cards.count >= 16)
        for (card, text) in zip(cards, try await Self.readings(of: cards)) {
            let (fields, name) = (try card.fields, Comment(rawValue: card.testDescription))
            let text = try #require(text, name)
            if card.truth.side == "front" {
                let front = try #require(text.front, name)
                #expect(front.number == fields.number, name)
                guard card.truth.kind == "scan" else { continue }
                #expect(front.name == fields.name, name)
                #expect(front.gender == fields.gender, name)
                #expect(front.ethnicity == fields.ethnicity, name)
                #expect(front.birth?.hyphenated == fields.birth, name)
                #expect(front.address == fields.address, name)
            } else {
                let back = try #require(text.back, name)
                #expect(back.validity == fields.validity, name)
                #expect(back.issuer == fields.issuer, name)
                #expect(text.legality.idPhoto >= 0.8, name)
            }
        }
    }

    private static func readings(of cards: [FixtureCard]) async throws -> [CardText?] {
        try await withThrowingTaskGroup(of: (Int, CardText?).self) { group in
            var results = [CardText?](repeating: nil, count: cards.count)
            for (index, card) in cards.enumerated() {
                if index >= 2, let (done, text) = try await group.next() { results[done] = text }
                group.addTask { (index, try await Self.reader.text(ofJPEG: try card.jpeg(), edges: 48...8000)) }
            }
            for try await (done, text) in group { results[done] = text }
            return results
        }
    }

    @Test(arguments: ["REFUSED-PHOTOCOPY", "REFUSED-PHOTOCOPY-RGB"])
    func `A photocopy is read and judged a photocopy`(folder: String) async throws {
        let card = try FixtureCard.first(below: "refused/\(folder)")
        let text = try #require(try await Self.reader.text(ofJPEG: try card.jpeg(), edges: 48...8000))
        #expect(try text.front?.number == card.fields.number)
        #expect(text.legality.photocopy > max(text.legality.idPhoto, text.legality.screen))
        #expect(text.legality.idPhoto < 0.8)
    }

    @Test func `A wrong check digit comes back as it is printed`() async throws {
        let card = try FixtureCard.first(below: "refused/REFUSED-CHECK-DIGIT")
        let text = try #require(try await Self.reader.text(ofJPEG: try card.jpeg()))
        let number = try #require(text.front?.number)
        #expect(try number == card.fields.number)
        #expect(!NumberBallot.hasValidCheck(number))
    }

    @Test(arguments: ["3", "6", "8"])
    func `A card that stands on its head, or on its side, is read`(orientation: String) async throws {
        // Stored turned; the reader does not look at Exif, so that it sees the picture as it is stored.
        let card = try #require(
            try FixtureCard.all(below: "orientations").first { $0.file.lastPathComponent == "\(orientation).jpg" }
        )
        let text = try await Self.reader.text(ofJPEG: try card.stored())
        #expect(try text?.front?.number == card.fields.number)
    }
}
