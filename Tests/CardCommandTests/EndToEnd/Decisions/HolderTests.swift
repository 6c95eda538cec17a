import Foundation
import TestSupport
import Testing

/// Cards of another person than the one who is expected, or who was there first, as a user meets them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HolderTests {
    @Test func `a card of another holder is refused, and delivered unread once that is put right`() async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        let (holder, other) = (MarkedHolder(1), MarkedHolder(2))
        func manifest(_ expected: String) throws -> String {
            let rows = ["path,business_no,expected_id_number,expected_name", "photos/R-1/front.jpg,R-1,\(expected)"]
            let lines = rows + ["photos/R-1/back.jpg,R-1,,"]
            return try tool.secretFile("manifest.csv", lines.joined(separator: "\n")).path
        }
        try await tool.servingBoth { file in
            let command = ["run", photos.path, "--manifest", try manifest("\(other.number),\(other.name)")]
            for _ in 1...2 {
                let refused = try await tool.run(command + ["--format", "json"] + file, ends: 1)
                let front = try #require(try refused.json().cards.first { $0.source.hasSuffix("front.jpg") })
                #expect(front.state == "rejected" && front.reason == "holder_number_mismatch")
                #expect(front.message?.contains("is not the expected one; photograph the holder's own card") == true)
                for secret in [holder.number, holder.name, other.number, other.name] {
                    #expect(!(refused.output + refused.errors).contains(secret))
                }
            }
            #expect(try tool.ledger().isEmpty)
            _ = try manifest("\(holder.number),\(holder.name)")
            let right = try await tool.run(command + ["--format", "json"] + file, ends: 0)
            let front = try #require(try right.json().cards.first { $0.source.hasSuffix("front.jpg") })
            let history = try await tool.run(["cards", "show", try #require(front.cardId)] + file)
            #expect(history.output.components(separatedBy: "attempt (ok)").count == 2, "read more than once")
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    @Test(arguments: ["warn", "hold"])
    func `a back that another city issued is told, or held if set so; one of the same city is not`(
        severity: String
    ) async throws {
        let tool = try Tool()
        // The front is of Nanjing, the back of Chengdu; its dates fit the holder.
        let photos = try tool.folder(
            "photos",
            [
                "R-1/front.jpg": "cards/LOAN-2026-0008/front.jpg", "R-1/back.jpg": "cards/LOAN-2026-0006/back.jpg",
                "R-2/front.jpg": "cards/LOAN-2026-0001/front.jpg", "R-2/back.jpg": "cards/LOAN-2026-0001/back.jpg",
            ]
        )
        let command = ["run", photos.path, "--embedded", "--documents", tool.documents.path, "--format", "json"]
        // The default is to warn.
        let set = severity == "warn" ? [:] : ["IDCARD_VERDICT_SEVERITY_ISSUER_ELSEWHERE": severity]
        let cards = try await tool.run(command, set, ends: severity == "warn" ? 0 : 1).json().cards
        for card in cards where card.source.hasSuffix("back.jpg") {
            let isOther = card.source.hasSuffix("R-1/back.jpg")
            #expect(card.state == (isOther && severity == "hold" ? "held" : "delivered"))
            #expect(card.reason == (isOther && severity == "hold" ? "issuer_elsewhere" : nil))
            let shown = try await tool.run(["cards", "show", try #require(card.cardId), "--embedded"], ends: 0).output
            #expect(shown.contains("warning (issuer_elsewhere)") == (isOther && severity == "warn"), "\(shown)")
            #expect(shown.contains("the issuing authority on the back") == isOther, "\(shown)")
        }
        #expect(cards.count == 4)
    }

    @Test(arguments: ["accept", "reject", "holder"])
    func `of fronts of two persons one goes if accepted, or without the wrong one`(decision: String) async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/first.jpg": .front(1)])
        // Each way of the decision in another layout.
        let configuration = RemoteConfiguration(
            more: ["batch_wait: 0s", "layout: \(decision == "accept" ? "batch" : "application")"]
        )
        try await tool.servingBoth(with: configuration) { file in
            let command = ["run", photos.path, "--format", "json"] + file
            try await tool.run(command, ends: 0)
            _ = try tool.folder("photos", ["R-1/second-front.jpg": .front(2), "R-1/second-back.jpg": .back(2)])
            let cards = try await tool.run(command, ends: 1).json().cards.filter { $0.source.contains("second") }
            #expect(cards.map(\.side) == ["back", "front"])
            #expect(cards.map(\.state) == ["held", "held"])
            #expect(cards.map(\.reason) == ["holder_conflict", "holder_conflict"])
            #expect(try tool.ledger().count == 1, "a card was sent under another person's number")
            let (back, front) = (try #require(cards.first?.cardId), try #require(cards.last?.cardId))
            let before = try await tool.run(["cards", "show", front] + file, ends: 0).output
            #expect(before.contains("  shows person 2 of the case\n") && before.contains("\n  compared with: "))
            #expect(before.contains("\n    \(back)  held        back   R-1  holder_conflict\n"), "\(before)")
            let resolve = ["cards", "resolve", front, "--as", decision, "--why", "looked\n  R-2  delivered"]
            let decided = try await tool.run(resolve + file, ends: 0).output
            #expect(decided.contains("\(back.suffix(8))  verified") == (decision != "accept"), "\(decided)")
            // What a person wrote passes for no line of ours.
            let shown = try await tool.run(["cards", "show", front, "--reveal"] + file, ends: 0)
            #expect(shown.lines.contains { $0.contains("looked") && $0.contains("R-2  delivered") }, "\(shown.output)")
            let third = try await tool.run(["run", "--format", "json"] + file)
            #expect(try tool.ledger().count == (decision == "holder" ? 3 : 2), "\(third.output) \(third.errors)")
            let held = try await tool.run(["cards", "list", "--state", "held", "--quiet"] + file)
            // Without the wrong front no dispute is left.
            #expect(held.output == (decision == "accept" ? back + "\n" : ""))
            if decision == "accept" {
                try await tool.run(["cards", "resolve", back, "--as", "accept"] + file, ends: 0)
                try await tool.run(["run"] + file, ends: 0)
            }
            try await tool.run(["fsck"] + file, ends: 0)
        }
        let fronts = Array(repeating: "IDCARD_FRONT_APP", count: decision == "reject" ? 1 : 2)
        #expect(try tool.ledger().map(\.doctype) == fronts + ["IDCARD_BACK_APP"])
    }

    @Test func `without the wrong one of two fronts the other one and the back go by themselves`() async throws {
        let tool = try Tool()
        let photos = try tool.folder(
            "photos",
            ["R-1/a-front.jpg": .front(1), "R-1/b-front.jpg": .front(2), "R-1/c-back.jpg": .back(2)]
        )
        try await tool.servingBoth { file in
            let first = try await tool.run(["run", photos.path, "--format", "json"] + file, ends: 1).json()
            #expect(first.cards.map(\.reason) == Array(repeating: "holder_conflict", count: 3))
            let wrong = try #require(first.cards.first { $0.source.hasSuffix("a-front.jpg") }?.cardId)
            let list = try await tool.run(["cases", "show", "R-1"] + file, ends: 0).output
            #expect(list.contains(", shows person 1 of the case\n") && list.contains(", shows person 2 of the case\n"))
            try await tool.run(["cards", "resolve", wrong, "--as", "reject"] + file, ends: 0)
            try await tool.run(["run", photos.path] + file, ends: 0)
            let states = try await tool.run(["cards", "list", "--state", "delivered", "--quiet"] + file, ends: 0).lines
            #expect(Set(states) == Set(first.cards.compactMap(\.cardId)).subtracting([wrong]))
            try await tool.run(["fsck"] + file, ends: 0)
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }
}
