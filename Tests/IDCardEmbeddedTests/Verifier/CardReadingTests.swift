import Foundation
import IDCardTesting
import Testing

@testable import IDCardEmbedded

/// The reader against the committed pictures, as the pipeline posts them.
@Suite("Reading the drawn cards", .timeLimit(.minutes(Sanitizer.minutes(10))))
struct CardReadingTests {
    @Test("Every front's number is read, every scan's other fields too", arguments: ["cards", "accepted-oddities"])
    func fronts(folder: String) async throws {
        let cards = try FixtureCard.fixtures(below: folder).filter { $0.truth.side == "front" }
        #expect(cards.count >= 8)
        for (card, text) in zip(cards, try await readings(of: cards)) {
            let fields = try card.fields
            let front = try #require(text?.front, "\(card.testDescription) is not read as a front")
            #expect(front.number == fields.number, "\(card.testDescription)")
            #expect(text?.portrait.count == 4)
            guard card.truth.kind == "scan" else { continue }
            #expect(front.name == fields.name, "\(card.testDescription)")
            #expect(front.gender == fields.gender, "\(card.testDescription)")
            #expect(front.ethnicity == fields.ethnicity, "\(card.testDescription)")
            #expect(front.birth?.iso == fields.birth, "\(card.testDescription)")
            #expect(front.address == fields.address, "\(card.testDescription)")
        }
    }

    @Test("Every back's issuer and validity are read", arguments: ["cards", "accepted-oddities"])
    func backs(folder: String) async throws {
        let cards = try FixtureCard.fixtures(below: folder).filter { $0.truth.side == "back" }
        #expect(cards.count >= 8)
        for (card, text) in zip(cards, try await readings(of: cards)) {
            let fields = try card.fields
            let back = try #require(text?.back, "\(card.testDescription) is not read as a back")
            #expect(back.validity == fields.validity, "\(card.testDescription)")
            #expect(back.issuer == fields.issuer, "\(card.testDescription)")
            let legality = try #require(text?.legality)
            #expect(legality.idPhoto >= 0.8, "\(card.testDescription)")
        }
    }

    @Test("A photocopy is read and judged a photocopy", arguments: ["REFUSED-PHOTOCOPY", "REFUSED-PHOTOCOPY-RGB"])
    func photocopies(folder: String) async throws {
        let card = try #require(try FixtureCard.fixtures(below: "refused/\(folder)").first)
        let text = try #require(try await sharedReader.text(ofJPEG: try card.posted()))
        #expect(try text.front?.number == card.fields.number)
        #expect(text.legality.idPhoto < 0.8)
        #expect(text.legality.photocopy > max(text.legality.idPhoto, text.legality.screen))
    }

    @Test("A wrong check digit comes back as it is printed, legality and all")
    func wrongCheckDigit() async throws {
        let card = try #require(try FixtureCard.fixtures(below: "refused/REFUSED-CHECK-DIGIT").first)
        let text = try #require(try await sharedReader.text(ofJPEG: try card.posted()))
        let number = try #require(text.front?.number)
        #expect(try number == card.fields.number)
        #expect(!NumberBallot.hasValidCheck(number))
        #expect(text.legality.idPhoto >= 0.8)
    }

    @Test("A picture without a card gives no reading")
    func noCard() async throws {
        let card = try #require(try FixtureCard.fixtures(below: "refused/REFUSED-NO-CARD").first)
        #expect(try await sharedReader.text(ofJPEG: try card.posted()) == nil)
    }

    @Test("A card that stands on its head, or on its side, is read", arguments: ["3", "6", "8"])
    func turned(orientation: String) async throws {
        // Stored turned; the reader does not look at EXIF, so that it sees the picture as it is stored.
        let stored = Self.orientations.appending(path: "\(orientation).jpg")
        let cards = try FixtureCard.all(in: FixtureCard.fixtures)
        let truth = try #require(cards.first { $0.file.path == stored.path })
        let text = try await sharedReader.text(ofJPEG: [UInt8](try Data(contentsOf: stored)))
        #expect(try text?.front?.number == truth.fields.number)
    }

    private static let orientations = FixtureCard.fixtures.appending(path: "orientations")
}
