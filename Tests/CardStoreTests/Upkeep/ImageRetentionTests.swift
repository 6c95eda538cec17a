import CardModel
import Foundation
import GRDB
import Synchronization
import Testing

@testable import CardStore

/// The images of delivered cards go before their records do.
@Suite final class ImageRetentionTests: StoreSuite {
    private static let day = Duration.seconds(86_400)

    private static var terms: RetentionTerms {
        var terms = RetentionTerms()
        terms.images = Self.day
        return terms
    }

    private func drop(_ terms: RetentionTerms = ImageRetentionTests.terms, limit: Int = 500) async throws -> Int {
        try await harness.store.upkeep.dropImages(terms, limit: limit, now: harness.now)
    }

    private func images() async throws -> Int {
        try await harness.value("SELECT count(*) FROM blob WHERE kind = 'image'") ?? 0
    }

    @Test func `the image of a delivered card goes when its time is over, and nothing else of it`() async throws {
        let id = try await harness.sent("front", number: "N", .accepted)
        let held = try await harness.sent("other", number: "M", .failure(.unknown), onUnknown: .hold)
        #expect(try await drop() == 0)
        harness.pass(Self.day)
        #expect(try await drop(RetentionTerms()) == 0)
        let dropped = harness.now
        #expect(try await harness.store.upkeep.overdue(Self.terms, now: harness.now) == 1)
        #expect(try await drop() == 1)
        #expect(try await harness.store.upkeep.overdue(Self.terms, now: harness.now) == 0)
        #expect(try await drop() == 0)
        let details = try await harness.store.listings.details(of: id, for: .process)
        #expect(details.imageBytes == nil && details.imageDroppedAt == dropped)
        #expect(details.card.state == .delivered && details.reading != nil)
        #expect(try await harness.store.listings.details(of: held, for: .process).imageBytes != nil)
        #expect(try await harness.findings() == [])
        let export = try await harness.store.listings.export(id, to: StoreHarness.person, now: harness.now)
        #expect(export.image == nil && export.imageDroppedAt == dropped && export.submitted?.inputName != nil)
        // A loss of another kind is still found.
        try await harness.sent("late", number: "L", .accepted)
        try await harness.plant("DELETE FROM blob WHERE kind = 'image'")
        #expect(try await harness.findings() == ["delivered_image_missing"])
        #expect(try await harness.erase(id).count == 1)
    }

    @Test func `where a person drops images the access log names their cards`() async throws {
        let card = try await harness.sent("front", number: "N", .accepted)
        harness.pass(Self.day)
        let before = try await harness.accessLog().count
        #expect(try await harness.store.upkeep.dropImages(Self.terms, by: StoreHarness.person, now: harness.now) == 1)
        let line = try #require(try await harness.accessLog().dropFirst(before).last)
        #expect(line == ["erase", "test", "images", card.rawValue])
        #expect(try await harness.state(card) == "delivered")
        // The certificate of its erasure names the line of the erasure.
        harness.pass(Self.day)
        let certificate = try #require(try await harness.erase(card).first)
        let lines: Int64? = try await harness.value("SELECT max(number) FROM access_log WHERE action = 'erase'")
        #expect(certificate.accessNumber == lines)
        #expect(certificate.erasedAt == harness.now.description && certificate.purpose != "images")
    }

    @Test func `its bytes are gone from the files, and their room is free`() async throws {
        let bytes = String(repeating: "SPECIMEN", count: 50_000)
        try await harness.sent(bytes, number: "N", .accepted)
        // What is sealed is told by the pages it takes.
        let before: Int = try await harness.value("PRAGMA page_count") ?? 0
        harness.pass(Self.day)
        #expect(try await drop() == 1)
        let after: Int = try await harness.value("PRAGMA page_count") ?? 0
        #expect(before - after >= 400_000 / 8192)
        #expect(try await harness.value("PRAGMA freelist_count", as: Int.self) == 0)
    }

    @Test func `the same photo still finds its card, and needs no image`() async throws {
        let id = try await harness.sent("front", number: "N", .accepted)
        harness.pass(Self.day)
        #expect(try await drop() == 1)
        let number = BusinessNumber(stored: "N")
        #expect(
            try await harness.store.intake.knows(
                ContentDigest(of: Data("front".utf8)),
                number: number,
                from: "local",
                sentBy: "local"
            )
        )
        let again = try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        #expect(again.card == id && again.isDuplicate && again.state == .delivered)
        // Other source bytes, and the same prepared image.
        var photo = harness.photo("edited", number: "N")
        photo.content = .prepared(StoreHarness.image("jpeg of front"))
        #expect(try await harness.admit(photo).card == id)
        #expect(try await images() == 0)
    }

    @Test(arguments: ["the same", "another"])
    func `a back is compared with a front whose image is gone`(picture: String) async throws {
        let front = CardReading(side: .front, fields: CardFields(name: "SPECIMEN", number: "11010519491231002X"))
        let back = CardReading(side: .back, fields: CardFields(issuer: "SPECIMEN"))
        func admit(_ side: CardSide, _ bytes: String) async throws -> CardID {
            var photo = harness.photo("\(side) \(bytes)", number: "N", side: side)
            photo.content = .prepared(StoreHarness.image(bytes))
            let card = try await harness.admit(photo).card
            let job = try #require(try await harness.claim().first)
            var reading = side == .front ? front : back
            reading.others = [side == .front ? back : front]
            try await harness.conclude(job, reading)
            return card
        }
        _ = try await admit(.front, "the same")
        try await harness.deliverAll()
        harness.pass(Self.day)
        #expect(try await drop() == 1)
        let card = try await admit(.back, picture)
        try await harness.deliverAll()
        #expect(try await harness.state(card) == (picture == "another" ? "delivered" : "rejected sides_identical"))
    }

    @Test func `a person who wants it sent again learns that there is no image`() async throws {
        let id = try await harness.sent("front", number: "N", .accepted)
        harness.pass(Self.day)
        #expect(try await drop() == 1)
        for change in [{ try await self.harness.retry(id) }, { try await self.harness.resolve(id, .resend) }] {
            let error = await #expect(throws: CodedError.self) { try await change() }
            #expect(error?.code == .cardConflict)
            #expect(error?.message.text().contains("its image is no longer stored") == true)
        }
    }

    @Test func `a cut-off keeps the image, or notes that it is gone`() async throws {
        try await harness.sent("front", number: "N", .accepted)
        harness.pass(Self.day)
        try await harness.plant(
            """
            CREATE TRIGGER cut_off BEFORE UPDATE OF image_dropped_at ON card BEGIN SELECT RAISE(ABORT, 'cut off'); END
            """
        )
        await #expect(throws: (any Error).self) { try await self.drop() }
        #expect(try await images() == 1)
        try await harness.plant("DROP TRIGGER cut_off")
        #expect(try await harness.findings() == [])
        #expect(try await drop() == 1)
    }

    @Test func `a thousand cards go in small transactions, and none is looked at twice`() async throws {
        try await harness.sent("front", number: "N", .accepted)
        try await harness.plant(
            """
            WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO card (id, state, number, submitter, sent_by, intake_order, priority, waits_until, created_at, changed_at)
            SELECT 'c-' || i, 'delivered', 'N', 'local', 'local', i + 100, 0, 0, 0, changed_at FROM n, card;
            INSERT INTO blob (card, kind, start, bytes) SELECT id, 'image', 0, zeroblob(9000) FROM card WHERE id LIKE 'c-%'
            """
        )
        harness.pass(Self.day)
        let largest = Mutex((now: 0, ever: 0))
        try await harness.store.database.withWriter { connection in
            connection.trace { event in
                guard case .statement(let statement) = event else { return }
                largest.withLock { count in
                    if statement.sql.hasPrefix("BEGIN") { count.now = 0 }
                    if statement.sql.hasPrefix("DELETE FROM blob") { count.now += 1 }
                    count.ever = max(count.ever, count.now)
                }
            }
        }
        #expect(try await drop() == 500)
        #expect(try await drop() == 500)
        #expect(try await drop() == 0)
        #expect(try await images() == 0)
        #expect(largest.withLock(\.ever) == Limits.cardsPerErasure)
        let query = try #require(Self.terms.imagesExpired(limit: 5, now: harness.now))
        let plan = try await harness.store.database.read { tx in
            try tx.rows("EXPLAIN QUERY PLAN \(query)") { row in
                for _ in 0..<3 { _ = try row.next(Int64.self) }
                return try row.next(String.self)
            }
        }
        #expect(plan.count == 1 && plan[0].contains("card_image_age (state=? AND changed_at<?)"))
    }

    @Test func `a clock that has jumped deletes no image`() async throws {
        try await harness.sent("front", number: "N", .accepted)
        harness.pass(.seconds(30 * 86_400))
        #expect(try await drop() == 0)
        #expect(try await images() == 1)
    }
}
