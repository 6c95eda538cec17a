import CardEmbedded
import Foundation
import TestSupport
import Testing

/// Printed names that have the verifier fail: the table in the page *Remotes*, row by row.
@Suite(.timeLimit(.minutes(3))) struct TestNameTests {
    private static func form(_ file: String) throws -> HandWrittenForm {
        let card = try #require(try FixtureCard.all(below: "test-names").first { $0.file.lastPathComponent == file })
        return .reading(image: try card.jpeg(), legality: "1")
    }

    @Test func `the name 样本故障 is answered with 503, each time`() async throws {
        for _ in 1...2 {
            let answer = try await verifierAnswer(to: try Self.form("failure.jpg"))
            #expect(answer.status == 503 && answer.text == "Service Unavailable")
        }
    }

    @Test func `the name 样本缓慢 is read, after a while`() async throws {
        let answer = try await withVerifier {
            $0.slowTime = .seconds(5)
        } body: { client async throws in
            try await client.post(Self.form("slow.jpg"))
        }
        // Reading alone takes a fraction of it.
        #expect(answer.status == 200 && answer.json["name"] as? String == "样本缓慢")
        #expect(try #require(answer.json["time_used"] as? Int) >= 5_000)
    }

    @Test(arguments: [("photocopy.jpg", "Photocopy"), ("screen.jpg", "Screen")])
    func `the names 样本复印 and 样本翻拍 are scored as what they say`(file: String, score: String) async throws {
        let answer = try await verifierAnswer(to: Self.form(file))
        let legality = try #require(answer.json["legality"] as? [String: Double])
        #expect(answer.status == 200 && legality[score] == 1 && legality["ID Photo"] == 0)
    }
}
