import Foundation
import IDCardEmbedded
import IDCardTesting
import Subprocess
import SystemPackage
import Testing

/// Cards nobody has seen before: drawn anew for every run.
@Suite("Reading freshly drawn cards", .timeLimit(.minutes(Sanitizer.minutes(10))))
struct FreshCardTests {
    @Test("The numbers of ten new photographs, corners displaced by 3 % and more, are read")
    func tenNewCards() async throws {
        let seed = UInt32.random(in: 1...UInt32.max)
        print("FreshCardTests: drawn with scripts/make-fixtures draw --count 10 --seed \(seed) --min-displacement 0.03")
        let folder = FileManager.default.temporaryDirectory.appending(path: "fresh-cards-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Self.draw(into: folder, seed: seed)

        let cards = try FixtureCard.all(in: folder)
        #expect(cards.count == 20)
        for (card, text) in zip(cards, try await readings(of: cards)) {
            let comment = Comment(rawValue: "\(card.testDescription) of seed \(seed)")
            #expect(try #require(card.truth.displacement) >= 0.03, comment)
            let fields = try card.fields
            if card.truth.side == "front" {
                #expect(text?.front?.number == fields.number, comment)
            } else {
                #expect(text?.back?.validity == fields.validity, comment)
            }
            #expect(try #require(text, comment).legality.idPhoto >= 0.8, comment)
        }
    }

    private static func draw(into folder: URL, seed: UInt32) async throws {
        let python = FixtureCard.project.appending(path: ".venv/bin/python3").path
        try #require(
            FileManager.default.isExecutableFile(atPath: python),
            "the tests' Python environment .venv is missing: run scripts/setup"
        )
        let result = try await Subprocess.run(
            .path(FilePath(FixtureCard.project.appending(path: "scripts/make-fixtures").path)),
            arguments: [
                "draw", "--count", "10", "--seed", "\(seed)", "--out", folder.path, "--min-displacement", "0.03",
            ],
            output: .string(limit: 1 << 16),
            error: .string(limit: 1 << 16)
        )
        try #require(result.terminationStatus.isSuccess, "scripts/make-fixtures failed: \(result.standardError)")
    }
}
