import Foundation
import IDCardTesting
import Testing

@Suite(
    "Photos that a newer one replaced, as a user meets them",
    .serialized,
    .timeLimit(.minutes(Sanitizer.minutes(5)))
)
struct SupersededTests {
    /// How the older photo is asked for again.
    enum Way: CaseIterable {
        case run, copy, retry
    }

    @Test(
        "A replaced photo is named when it is sent in again, and delivered once the newer one has come to nothing",
        arguments: Way.allCases
    )
    func again(way: Way) async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/a.jpg": "cards/LOAN-2026-0001/front.jpg"])
        // The same picture in other bytes.
        let older = try Data(contentsOf: photos.appending(path: "R-1/a.jpg"))
        try (older + Data([0])).write(to: photos.appending(path: "R-1/b.jpg"))
        try await tool.servingBoth { verifier, backend in
            var configuration = RemoteConfiguration()
            // Without a user account nothing goes, so that the newer photo is still there when the older one comes again.
            configuration.delivery.removeAll { $0.hasPrefix("user_no") }
            var file = try configuration.write(for: tool, verifier: verifier, backend: backend)
            let first = try await tool.run(["run", photos.path, "--format", "json"] + file)
            #expect(first.status == 1, "\(first.output) \(first.errors)")
            let cards = try first.json().cards
            let replaced = try #require(cards.first { $0.source.hasSuffix("a.jpg") })
            let newer = try #require(cards.first { $0.source.hasSuffix("b.jpg") })
            #expect(replaced.state == "superseded" && newer.state == "verified")
            let id = try #require(replaced.cardId)
            let named = try await tool.run(["run", photos.path] + file)
            #expect(named.output.contains("a.jpg superseded: a newer photo of the same side replaced it"))
            let refused = try await tool.run(["cards", "retry", id] + file)
            #expect(refused.status != 0)
            #expect(refused.errors.contains("a newer photo of the same side replaced it"), "\(refused.errors)")
            let erased = try await tool.run(["cards", "erase", try #require(newer.cardId), "--yes"] + file)
            #expect(erased.status == 0, "\(erased.errors)")
            file = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            var command = ["run", "--format", "json"] + file
            switch way {
            case .run: command.insert(photos.path, at: 1)
            case .copy:
                let copy = try tool.folder("copies", ["R-1/c.jpg": "cards/LOAN-2026-0001/front.jpg"])
                command.insert(copy.path, at: 1)
            case .retry:
                let retried = try await tool.run(["cards", "retry", id] + file)
                #expect(retried.status == 0, "\(retried.errors)")
            }
            let last = try await tool.run(command)
            #expect(last.status == 0, "\(last.output) \(last.errors)")
            #expect(try last.json().cards.first { $0.cardId == id }?.state == "delivered")
            let check = try await tool.run(["fsck"] + file)
            #expect(check.status == 0, "\(check.output)")
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP"])
    }
}
