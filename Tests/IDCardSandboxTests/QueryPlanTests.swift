import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// The questions asked again and again are answered by an index, whatever the size of the sandbox.
struct QueryPlanTests {
    let folder = SandboxFolder()

    private static let filtered = QuerySQL.cards(
        matching: CardQuery(states: [.held], businessNumber: BusinessNumber("CASE-1"), afterIntakeOrder: 1)
    )

    private func plan(of sql: String) async throws -> [String] {
        let store = try self.folder.open()
        return try await store.read { db in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
            statement.setUncheckedArguments([])
            return try Row.fetchAll(statement).map { $0["detail"] }
        }
    }

    @Test(
        "no question of the engine reads a whole table",
        arguments: [
            ("claim of cards", VerificationSQL.claim), ("next card", VerificationSQL.nextDue),
            ("kept reading", VerificationSQL.reading),
            ("claim of deliveries", DeliverySQL.claim), ("next delivery", DeliverySQL.nextDue),
            ("members", DeliverySQL.members), ("attempts", DeliverySQL.mayHaveBeenReceived),
            ("membership", DeliverySQL.membership), ("attempts of a delivery", DeliverySQL.attempts),
            ("reading of a card", VerificationSQL.readingOfCard),
            ("attempts of a card", OperationsSQL.mayBeAtBackend), ("members apart", OperationsSQL.isApart),
            ("card of a file", IntakeSQL.cardOfFile), ("card of bytes", IntakeSQL.cardOfContent),
            ("judged again", IntakeSQL.canBeJudgedAgain),
            ("snapshot", ApplicationSQL.snapshot), ("leased by others", ApplicationSQL.leasedElsewhere),
            ("unverified cards", ApplicationSQL.awaitsVerification), ("changes", ApplicationSQL.toBeDecided),
            ("blocked cards", ApplicationSQL.blocked), ("newer photo", IntakeSQL.isReplaced),
            ("older photos", IntakeSQL.keepReplaced),
            ("delivered front", FrontSQL.isDelivered), ("living front", FrontSQL.isAlive),
            ("erased front", FrontSQL.isRemembered), ("waiting backs", FrontSQL.waitingBacks),
            ("held backs", FrontSQL.heldBacks), ("awaited inputs", AwaitedSQL.ofNumber),
            ("an awaited input", AwaitedSQL.isKnown), ("end of an awaited input", AwaitedSQL.end),
            ("last attempt", DeliverySQL.lastAttempt), ("events", QuerySQL.events),
            ("access to a card", AccessSQL.linesOfCard),
            ("access log", AccessSQL.lines), ("list", filtered.sql),
            ("claim of received cards", ClaimSQL.claim(.received)), ("next received card", ClaimSQL.nextDue(.received)),
            ("claim of fetching cards", ClaimSQL.claim(.fetching)), ("next fetching card", ClaimSQL.nextDue(.fetching)),
            ("receipt", ReceptionSQL.receipt), ("old receipts", ReceptionSQL.hasOldReceipts),
            ("forgotten receipts", ReceptionSQL.forgetReceipts), ("piece", ReceptionSQL.pieceAt),
            ("pieces", ReceptionSQL.pieces), ("covered pieces", ReceptionSQL.dropCovered),
            ("fetch", ReceptionSQL.fetch), ("source", ReceptionSQL.hasSource), ("run", ReceptionSQL.run),
            ("open runs", ReceptionSQL.openRuns),
            ("waits of cards", ClockSQL.endWaits[0]), ("waits of deliveries", ClockSQL.endWaits[1]),
            ("changes of cards", ClockSQL.restartWaits[0]), ("changes of deliveries", ClockSQL.restartWaits[1]),
            ("leases of cards", ClockSQL.endLeases[0]), ("leases of deliveries", ClockSQL.endLeases[1]),
            ("untried card", VerificationSQL.claimUntried), ("tried card", VerificationSQL.claimTried),
            ("untried delivery", DeliverySQL.claimUntried), ("tried delivery", DeliverySQL.claimTried),
            ("failure of a card", CallSQL.ofCard), ("stopped cards", CallSQL.stopped),
            ("oldest card of a state", QuerySQL.oldest), ("cards by the beginning of an id", QuerySQL.beginning),
            ("codes of failures", CallSQL.codes), ("forgotten failures", CallSQL.forget),
            ("failures of ended cards", CallSQL.forgetEnded),
        ]
    )
    func searches(name: String, sql: String) async throws {
        let plan = try await self.plan(of: sql)
        #expect(!plan.isEmpty)
        #expect(plan.filter { $0.hasPrefix("SCAN") && $0 != "SCAN CONSTANT ROW" } == [], "\(name)")
    }

    @Test(
        "what is left to be done of erasures is asked of an index that holds nothing else",
        arguments: [
            ErasureSQL.unfinished, ErasureSQL.uncertified, ErasureSQL.sought, ErasureSQL.seek,
            ErasureSQL.concludeSought, ErasureSQL.found, ErasureSQL.needsSearch,
        ]
    )
    func erasures(sql: String) async throws {
        let plan = try await self.plan(of: sql)
        #expect(plan.contains { $0.hasPrefix("SCAN erasure USING") && $0.hasSuffix("INDEX erasure_open") }, "\(plan)")
    }

    @Test(
        "a claim walks its index in order and sorts nothing",
        arguments: [
            (VerificationSQL.claim, "card_claim"), (DeliverySQL.claim, "delivery_claim"),
            (ClaimSQL.claim(.received), "card_claim"), (ClaimSQL.claim(.fetching), "card_claim"),
            (VerificationSQL.claimUntried, "card_claim"), (DeliverySQL.claimUntried, "delivery_claim"),
        ]
    )
    func claims(sql: String, index: String) async throws {
        let plan = try await self.plan(of: sql)
        #expect(plan.contains { $0.contains(index) })
        #expect(plan.filter { $0.contains("TEMP B-TREE") } == [])
    }

    @Test("the depth of the queue is counted on an index, no further than the limit")
    func queueDepth() async throws {
        let plan = try await self.plan(of: ReceptionSQL.queueDepth)
        #expect(plan.contains("SEARCH card USING COVERING INDEX card_age (state=?)"), "\(plan)")
        #expect(plan.contains("SEARCH card USING INDEX card_verified (state=?)"), "\(plan)")
        // What is scanned is the limited list alone.
        #expect(plan.filter { $0.hasPrefix("SCAN card") } == [])
    }

    @Test(
        "what counts or lists everything reads an index, never the rows",
        arguments: [
            (ApplicationSQL.withVerifiedCards, "SEARCH card USING COVERING INDEX card_verified (state=?)"),
            (QuerySQL.stateCounts, "SCAN card USING COVERING INDEX card_age"),
        ]
    )
    func coverings(sql: String, plan: String) async throws {
        #expect(try await self.plan(of: sql) == [plan])
    }
}
