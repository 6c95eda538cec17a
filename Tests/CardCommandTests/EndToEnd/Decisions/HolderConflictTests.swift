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
        try await tool.servingBoth { verifier, backend in
            var configuration = RemoteConfiguration()
            configuration.delivery += ["layout: \(layout)", "batch_wait: 0s"]
            let file = try configuration.write(for: tool, verifier: verifier, backend: backend)
            let command = ["run", photos.path, "--format", "json"] + file
            let first = try await tool.run(command)
            #expect(first.status == 0, "\(first.output) \(first.errors)")
            _ = try tool.folder(
                "photos",
                ["R-1/second-front.jpg": .front(2), "R-1/second-back.jpg": .back(2)]
            )
            let second = try await tool.run(command)
            #expect(second.status == 1, "\(second.output) \(second.errors)")
            let cards = try second.json().cards
            let front = try #require(cards.first { $0.source.hasSuffix("second-front.jpg") })
            let back = try #require(cards.first { $0.side == "back" })
            #expect(front.state == "held" && front.reason == "holder_conflict")
            #expect(back.state == "held" && back.reason == "holder_conflict")
            #expect(try tool.ledger().count == 1, "a card was sent under another person's number")
            let ids = [try #require(front.cardId), try #require(back.cardId)]
            let resolved = try await tool.run(["cards", "resolve", ids[0], "--as", decision.rawValue] + file)
            #expect(resolved.status == 0, "\(resolved.errors)")
            let third = try await tool.run(["run", "--format", "json"] + file)
            #expect(try tool.ledger().count == (decision == .accept ? 2 : 1), "\(third.output) \(third.errors)")
            let held = try await tool.run(["cards", "list", "--state", "held", "--quiet"] + file)
            #expect(held.output.split(separator: "\n").map(String.init) == [ids[1]], "each card needs its own word")
            let accepted = try await tool.run(["cards", "resolve", ids[1], "--as", "accept"] + file)
            #expect(accepted.status == 0, "\(accepted.errors)")
            let last = try await tool.run(["run", "--format", "json"] + file)
            #expect(last.status == 0, "\(last.output) \(last.errors)")
            let check = try await tool.run(["fsck"] + file)
            #expect(check.status == 0, "\(check.output)")
        }
        let ledger = try tool.ledger()
        let (front, back) = ("IDCARD_FRONT_APP", "IDCARD_BACK_APP")
        #expect(ledger.map(\.doctype) == (decision == .accept ? [front, front, back] : [front, back]))
    }
}
