import Foundation
import TestSupport
import Testing

@Suite("The verdict, as manifest and configuration ask for it", .serialized, .timeLimit(.minutes(5)))
struct VerdictTests {
    /// Whom the front shows.
    private static let (number, name) = (MarkedHolder(1).number, MarkedHolder(1).name)
    /// Somebody else.
    private static let (otherNumber, otherName) = (MarkedHolder(2).number, MarkedHolder(2).name)

    private func manifest(_ number: String, _ name: String, for tool: Tool) throws -> String {
        let text = """
            path,business_no,expected_id_number,expected_name
            photos/R-1/front.jpg,R-1,\(number),\(name)
            photos/R-1/back.jpg,R-1,,
            """
        return try tool.secretFile("manifest.csv", text).path
    }

    @Test(
        "A card that is not the expected holder's is refused; with the manifest put right, it is delivered unread",
        arguments: [
            (otherNumber, name, "holder_number_mismatch"), (number, otherName, "holder_name_mismatch"),
            ("", otherName, "holder_name_mismatch"), (otherNumber, "", "holder_number_mismatch"),
        ]
    )
    func holder(number: String, name: String, reason: String) async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        try await tool.servingBoth(with: RemoteConfiguration()) { file in
            let wrong = try self.manifest(number, name, for: tool)
            let command = ["run", photos.path, "--manifest", wrong, "--format", "json"] + file
            for _ in 1...2 {
                let refused = try await tool.run(command, ends: 1)
                let front = try #require(try refused.json().cards.first { $0.source.hasSuffix("front.jpg") })
                #expect(front.state == "rejected" && front.reason == reason)
                #expect(front.message?.contains("the holder registered with") == true)
                for secret in [Self.number, Self.name, Self.otherNumber, Self.otherName] {
                    #expect(!(refused.output + refused.errors).contains(secret))
                }
            }
            #expect(try tool.ledger().isEmpty)
            _ = try self.manifest(Self.number, Self.name, for: tool)
            let right = try await tool.run(command, ends: 0)
            let front = try #require(try right.json().cards.first { $0.source.hasSuffix("front.jpg") })
            let history = try await tool.run(["cards", "show", try #require(front.cardId)] + file)
            #expect(history.output.components(separatedBy: "attempt (ok)").count == 2, "read more than once")
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    /// What a severity leads to.
    struct Consequence: Sendable {
        var severity: String
        var status: Int32
        var front: String
        var back: String
        var events: [String]
    }

    @Test(
        "A rule's severity decides whether its card is refused, held, delivered with a warning, or not asked",
        arguments: [
            Consequence(
                severity: "reject",
                status: 1,
                front: "rejected",
                back: "verified",
                events: ["rejected (under_age)"]
            ),
            Consequence(severity: "hold", status: 1, front: "held", back: "verified", events: ["held (under_age)"]),
            Consequence(
                severity: "warn",
                status: 0,
                front: "delivered",
                back: "delivered",
                events: ["warning (under_age)"]
            ),
            Consequence(severity: "off", status: 0, front: "delivered", back: "delivered", events: []),
        ]
    )
    func severity(_ consequence: Consequence) async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        var configuration = RemoteConfiguration()
        // Nobody is that old.
        configuration.others = ["verdict: {min_age: 150, severity: {under_age: \(consequence.severity)}}"]
        try await tool.servingBoth(with: configuration) { file in
            let outcome = try await tool.run(["run", photos.path, "--format", "json"] + file)
            #expect(outcome.status == consequence.status, "\(outcome.output) \(outcome.errors)")
            let cards = try outcome.json().cards
            let front = try #require(cards.first { $0.side == "front" })
            #expect(front.state == consequence.front)
            #expect(cards.first { $0.side == "back" }?.state == consequence.back)
            let words = try await tool.run(["run", photos.path] + file).output
            #expect(
                words.contains(consequence.front == "held" ? "waits_for_front" : "front_missing")
                    == (consequence.status == 1)
            )
            let history = try await tool.run(["cards", "show", try #require(front.cardId)] + file, ends: 0)
            for event in consequence.events { #expect(history.output.contains(event), "\(history.output)") }
            #expect(history.output.contains("under_age") == !consequence.events.isEmpty)
        }
        #expect(try tool.ledger().count == (consequence.status == 0 ? 2 : 0))
    }
}
