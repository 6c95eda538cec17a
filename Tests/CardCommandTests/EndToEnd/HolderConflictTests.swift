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
        "No back goes while a front of its number is in conflict; after a rejection a person decides on it, too",
        arguments: ["single", "application", "batch"],
        Decision.allCases
    )
    func backWaits(layout: String, decision: Decision) async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/first.jpg": "cards/LOAN-2026-0001/front.jpg"])
        try await tool.servingBoth { verifier, backend in
            var configuration = RemoteConfiguration()
            configuration.delivery += ["layout: \(layout)", "batch_wait: 0s"]
            let file = try configuration.write(for: tool, verifier: verifier, backend: backend)
            let command = ["run", photos.path, "--format", "json"] + file
            let first = try await tool.run(command)
            #expect(first.status == 0, "\(first.output) \(first.errors)")
            _ = try tool.folder(
                "photos",
                [
                    "R-1/second-front.jpg": "cards/LOAN-2026-0011/front.jpg",
                    "R-1/second-back.jpg": "cards/LOAN-2026-0011/back.jpg",
                ]
            )
            let second = try await tool.run(command)
            #expect(second.status == 1, "\(second.output) \(second.errors)")
            let cards = try second.json().cards
            let front = try #require(cards.first { $0.source.hasSuffix("second-front.jpg") })
            let back = try #require(cards.first { $0.side == "back" })
            #expect(front.state == "held" && front.reason == "holder_conflict")
            #expect(back.state == "verified" && back.reason == "blocked_by_conflict")
            #expect(try tool.ledger().count == 1, "the back was sent with another person's front")
            let words = try await tool.run(["run", photos.path] + file)
            #expect(words.output.contains("blocked_by_conflict: fronts of its business number"))
            let id = try #require(front.cardId)
            let resolved = try await tool.run(["cards", "resolve", id, "--as", decision.rawValue] + file)
            #expect(resolved.status == 0, "\(resolved.errors)")
            let third = try await tool.run(["run", "--format", "json"] + file)
            #expect(third.status == (decision == .accept ? 0 : 1), "\(third.output) \(third.errors)")
            if decision == .reject {
                #expect(try tool.ledger().count == 1, "the back may be that of the person who was rejected")
                let held = try await tool.run(["cards", "show", try #require(back.cardId)] + file)
                #expect(held.output.contains("holder_conflict"), "\(held.output)")
                let accepted = try await tool.run(
                    ["cards", "resolve", try #require(back.cardId), "--as", "accept"] + file
                )
                #expect(accepted.status == 0, "\(accepted.errors)")
                let fourth = try await tool.run(["run", "--format", "json"] + file)
                #expect(fourth.status == 0, "\(fourth.output) \(fourth.errors)")
            }
            let check = try await tool.run(["fsck"] + file)
            #expect(check.status == 0, "\(check.output)")
        }
        let ledger = try tool.ledger()
        let (front, back) = ("IDCARD_FRONT_APP", "IDCARD_BACK_APP")
        #expect(ledger.map(\.doctype) == (decision == .accept ? [front, front, back] : [front, back]))
    }
}
