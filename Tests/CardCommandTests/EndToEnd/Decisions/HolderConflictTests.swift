import Foundation
import TestSupport
import Testing

@Suite("Fronts of different persons, as a user meets them", .serialized, .timeLimit(.minutes(5)))
struct HolderConflictTests {
    /// What a person decides about the second person's front, and what is then delivered.
    enum Decision: String, CaseIterable {
        case accept, reject
    }

    @Test(
        "Once fronts named two persons nothing goes before a person accepts that very card",
        arguments: ["single", "application", "batch"],
        Decision.allCases
    )
    func held(layout: String, decision: Decision) async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/first.jpg": .front(1)])
        var configuration = RemoteConfiguration()
        configuration.delivery += ["layout: \(layout)", "batch_wait: 0s"]
        try await tool.servingBoth(with: configuration) { file in
            let command = ["run", photos.path, "--format", "json"] + file
            try await tool.run(command, ends: 0)
            _ = try tool.folder(
                "photos",
                ["R-1/second-front.jpg": .front(2), "R-1/second-back.jpg": .back(2)]
            )
            let second = try await tool.run(command, ends: 1)
            let cards = try second.json().cards
            let front = try #require(cards.first { $0.source.hasSuffix("second-front.jpg") })
            let back = try #require(cards.first { $0.side == "back" })
            #expect(front.state == "held" && front.reason == "holder_conflict")
            #expect(back.state == "held" && back.reason == "holder_conflict")
            #expect(try tool.ledger().count == 1, "a card was sent under another person's number")
            let ids = [try #require(front.cardId), try #require(back.cardId)]
            try await tool.run(["cards", "resolve", ids[0], "--as", decision.rawValue] + file, ends: 0)
            let third = try await tool.run(["run", "--format", "json"] + file)
            #expect(try tool.ledger().count == (decision == .accept ? 2 : 1), "\(third.output) \(third.errors)")
            let held = try await tool.run(["cards", "list", "--state", "held", "--quiet"] + file)
            #expect(held.output.split(separator: "\n").map(String.init) == [ids[1]], "each card needs its own word")
            try await tool.run(["cards", "resolve", ids[1], "--as", "accept"] + file, ends: 0)
            try await tool.run(["run", "--format", "json"] + file, ends: 0)
            try await tool.run(["fsck"] + file, ends: 0)
        }
        let ledger = try tool.ledger()
        let (front, back) = ("IDCARD_FRONT_APP", "IDCARD_BACK_APP")
        #expect(ledger.map(\.doctype) == (decision == .accept ? [front, front, back] : [front, back]))
    }
}
