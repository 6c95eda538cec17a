import Foundation
import IDCardTesting
import Testing

@Suite("Backs whose front was refused, as a user meets them", .serialized, .timeLimit(.minutes(Sanitizer.minutes(5))))
struct ErasedFrontTests {
    /// A case whose front is a photocopy, which is refused, and whose back is good.
    private func refusedFront(_ tool: Tool) throws -> URL {
        try tool.folder(
            "photos",
            [
                "R-1/front.jpg": "refused/REFUSED-PHOTOCOPY/front.jpg",
                "R-1/back.jpg": "cards/LOAN-2026-0001/back.jpg",
            ]
        )
    }

    private func run(_ tool: Tool, _ path: URL?, _ variables: [String: String] = [:]) async throws -> Tool.Outcome {
        try await tool.run(["run", "--embedded", "--format", "json"] + (path.map { [$0.path] } ?? []), variables)
    }

    private func ledger(_ tool: Tool) throws -> [String] {
        try tool.lines(
            "ledger.jsonl",
            in: tool.home.appending(path: ".local/share/idcard-pipeline/embedded/embedded-documents")
        )
        .map(\.doctype)
    }

    /// What `cards list` says of the backs: state and reason.
    private func backs(_ tool: Tool) async throws -> [String] {
        struct Line: Decodable {
            var side: String?
            var state: String
            var reason: String?
        }
        let list = try await tool.run(["cards", "list", "--embedded", "--format", "jsonl"])
        return try list.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
            .filter { $0.side == "back" }.map { "\($0.state):\($0.reason ?? "")" }
    }

    private static let (front, back) = ("IDCARD_FRONT_APP", "IDCARD_BACK_APP")

    /// Who erases the front.
    enum Eraser: CaseIterable {
        case person, retention
    }

    @Test(
        "A back is held when its refused front is erased, and so is a later one, until a front is delivered",
        arguments: Eraser.allCases
    )
    func erased(by eraser: Eraser) async throws {
        let tool = try Tool()
        let photos = try self.refusedFront(tool)
        let refused = try await self.run(tool, photos)
        #expect(refused.status == 1, "\(refused.output) \(refused.errors)")
        let front = try #require(try refused.json().cards.first { $0.source.hasSuffix("front.jpg") })
        #expect(front.state == "rejected")
        #expect(try await self.backs(tool) == ["verified:blocked_by_front"])
        switch eraser {
        case .person:
            let erased = try await tool.run(["cards", "erase", try #require(front.cardId), "--embedded", "--yes"])
            #expect(erased.status == 0, "\(erased.errors)")
        case .retention:
            _ = try await self.run(tool, nil, ["IDCARD_RETENTION_REJECTED": "1ms"])
        }
        #expect(try await self.backs(tool) == ["held:front_erased"])
        _ = try await self.run(tool, photos)
        _ = try tool.folder("photos", ["R-1/later.jpg": "cards/LOAN-2026-0011/back.jpg"])
        let later = try await self.run(tool, photos)
        #expect(later.status == 1, "\(later.output) \(later.errors)")
        #expect(try await self.backs(tool) == ["held:front_erased", "held:front_erased"])
        #expect(try self.ledger(tool) == [], "a back was sent alone")
        _ = try tool.folder("photos", ["R-1/good.jpg": "cards/LOAN-2026-0011/front.jpg"])
        let good = try await self.run(tool, photos)
        #expect(try self.ledger(tool) == [Self.front, Self.back], "\(good.output) \(good.errors)")
        #expect(try await self.backs(tool) == ["superseded:superseded", "delivered:"])
        let check = try await tool.run(["fsck", "--embedded"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test("A back that is held for its front goes alone when a person accepts it")
    func accepted() async throws {
        let tool = try Tool()
        let refused = try await self.run(tool, try self.refusedFront(tool))
        let cards = try refused.json().cards
        let front = try #require(cards.first { $0.source.hasSuffix("front.jpg") }?.cardId)
        let back = try #require(cards.first { $0.source.hasSuffix("back.jpg") }?.cardId)
        #expect(try await tool.run(["cards", "erase", front, "--embedded", "--yes"]).status == 0)
        let words = try await tool.run(["cards", "show", back, "--embedded"])
        #expect(words.output.contains("front_erased"), "\(words.output)")
        #expect(try await tool.run(["cards", "resolve", back, "--as", "accept", "--embedded"]).status == 0)
        let run = try await self.run(tool, nil)
        #expect(run.status == 0, "\(run.output) \(run.errors)")
        #expect(try self.ledger(tool) == [Self.back])
        let check = try await tool.run(["fsck", "--embedded"])
        #expect(check.status == 0 && !check.output.contains("back_astray"), "\(check.output)")
    }

    @Test("A blocked back is held after delivery.blocked_wait, and goes by itself once a front is delivered")
    func blocked() async throws {
        let tool = try Tool()
        let photos = try self.refusedFront(tool)
        let refused = try await self.run(tool, photos, ["IDCARD_DELIVERY_BLOCKED_WAIT": "0s"])
        #expect(refused.status == 1)
        #expect(try await self.backs(tool) == ["held:front_not_delivered"])
        _ = try tool.folder("photos", ["R-1/good.jpg": "cards/LOAN-2026-0001/front.jpg"])
        _ = try await self.run(tool, photos)
        #expect(try self.ledger(tool) == [Self.front, Self.back])
    }
}
