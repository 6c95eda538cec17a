import CardModel
import Foundation
import Synchronization
import Testing

@testable import CardStore

@Suite final class ExportingTests: StoreSuite {
    private static let clerk = AccessOrigin(actor: "clerk", purpose: "request 7")

    @Test func `an export holds all that is known of a card, and is the last line of its access log`() async throws {
        let id = try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }.card
        try await harness.verify([:])
        try await harness.reopen()
        let export = try await harness.store.listings.export(id, to: Self.clerk, now: harness.now)
        #expect(export.card.metadata.expectedName?.reveal() == "SPECIMEN")
        #expect(export.submitted?.inputName == "front.jpg")
        #expect(export.reading?.fields.number?.reveal() == "11010519491231002X")
        #expect(export.steps.map(\.state) == [.prepared, .verified])
        #expect(export.image == Data("jpeg of front".utf8))
        #expect(try await harness.accessLog().last == ["export", "clerk", "request 7", id.rawValue])
        #expect(try await harness.erase(id)[0].exportCount == 1)
        let tombstone = try await harness.store.listings.export(id, to: Self.clerk, now: harness.now)
        #expect(tombstone.image == nil && tombstone.reading == nil)
    }

    @Test func `a photo that was never prepared is exported as it came; without an image there is none`() async throws {
        let foreign = try await harness.admit("front", number: "N").card
        let photo = try await harness.admit(harness.received("as it came", submitter: "other")).card
        #expect(try await harness.state(photo) == "held submitter_conflict")
        let export = try await harness.store.listings.export(photo, to: Self.clerk, now: harness.now)
        #expect(export.image == Data("as it came".utf8))
        try await harness.plant("UPDATE blob SET bytes = x'00' WHERE card = '\(foreign)'")
        #expect(try await harness.store.listings.export(foreign, to: Self.clerk, now: harness.now).image == nil)
    }

    @Test func `the access log comes page by page up to the line of its own export`() async throws {
        try await harness.plant(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
            INSERT INTO access_log (number, at, actor, action, purpose, mac) SELECT i, 0, 'a', 'show', 'p', x'00' FROM n
            """
        )
        let pages = Mutex<[[Int64]]>([])
        try await harness.store.listings.exportAccessLog(to: Self.clerk, now: harness.now) { lines in
            pages.withLock { $0.append(lines.map(\.number)) }
            // What is written meanwhile does not make it longer.
            try await harness.admit("\(lines[0].number)", number: "N")
            _ = try await harness.claim()
        }
        let numbers = pages.withLock(\.self)
        #expect(numbers.map(\.count) == [1000, 1000, 501])
        #expect(numbers.flatMap(\.self) == Array(1...2501))
        #expect(try await harness.accessLog()[2500][1] == "clerk")
    }
}
