import CardModel
import Foundation
import Testing

@testable import CardStore

@Suite struct IntakeTests {
    // MARK: Submitters

    @Test func `another submitter's card is held before it is verified, until a person accepts it`() async throws {
        let harness = try await StoreHarness()
        try await harness.admit("front", number: "N", submitter: "one")
        let other = try await harness.admit("other", number: "N", submitter: "two")
        #expect(other.state == .held)
        #expect(other.reason == .submitterConflict)
        try await harness.verify([:])
        #expect(try await harness.state(other.card) == "held submitter_conflict")
        try await harness.resolve(other.card, .accept)
        #expect(try await harness.state(other.card) == "prepared")
    }

    @Test func `another submitter's held card is invisible to the rules`() async throws {
        let harness = try await StoreHarness()
        let front = try await harness.verified("front", number: "N", .front)
        try await harness.admit("newer", number: "N", side: .front, submitter: "two")
        #expect(try await harness.proposals() == [[front]])
    }

    @Test func `a number stays its first submitter's when the card is erased`() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.admit("front", number: "N", submitter: "one")
        try await harness.erase(first.card)
        #expect(try await harness.admit("other", number: "N", submitter: "two").reason == .submitterConflict)
        #expect(try await harness.admit("third", number: "N", submitter: "one").state == .prepared)
    }

    @Test func `another submitter's same bytes are a duplicate and change nothing`() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.admit("front", number: "N", submitter: "one")
        let again = try await harness.admit("front", number: "N", side: .back, submitter: "two", priority: 9)
        #expect(again.card == first.card && again.isDuplicate)
        #expect(try await harness.card(first.card).metadata.side == nil)
        #expect(try await harness.card(first.card).metadata.priority == 0)
    }

    @Test func `another submitter's photo that becomes usable is held as any other of theirs`() async throws {
        let harness = try await StoreHarness()
        try await harness.admit("front", number: "N", submitter: "one")
        let refusal = CodedError(.sourceTooLarge, .input, "too large")
        let refused = harness.photo("other", number: "N", submitter: "two", refused: refusal)
        let outcome = try await harness.store.admit([refused], now: harness.now)[0]
        #expect(outcome.state == .rejected && outcome.reason == .sourceTooLarge)
        let again = try await harness.admit("other", number: "N", submitter: "two")
        #expect(again.card == outcome.card)
        #expect(again.reason == .submitterConflict)
    }

    // MARK: De-duplication

    @Test func `a refused image leaves no bytes, and is prepared when it can be used`() async throws {
        let harness = try await StoreHarness()
        let file = try harness.file("front")
        let refusal = CodedError(.sourceTooLarge, .input, "too large")
        let refused = harness.photo("front", number: "N", file: file, refused: refusal)
        let card = try await harness.store.admit([refused], now: harness.now)[0].card
        let number = BusinessNumber(stored: "N")
        #expect(try await harness.known([file], number: number) == [nil])
        let again = try await harness.store.admit([harness.photo("front", number: "N", file: file)], now: harness.now)[
            0
        ]
        #expect(again.card == card && again.state == .prepared)
        #expect(try await harness.known([file], number: number)[0]?.card == card)
    }

    @Test func `a file is known by path, inode, size and time under its number only`() async throws {
        let harness = try await StoreHarness()
        let file = try harness.file("front")
        let card = try await harness.store.admit([harness.photo("front", number: "N", file: file)], now: harness.now)[0]
            .card
        var changes = Array(repeating: file, count: 5)
        changes[0].path = Redacted("/elsewhere")
        changes[1].device += 1
        changes[2].inode += 1
        changes[3].size += 1
        changes[4].modifiedNanoseconds += 1
        let number = BusinessNumber(stored: "N")
        #expect(try await harness.known(changes, number: number) == [nil, nil, nil, nil, nil])
        #expect(try await harness.known([file], number: BusinessNumber(stored: "M")) == [nil])
        #expect(try await harness.known([file], number: number)[0]?.card == card)
    }

    @Test func `an erased card is not brought back by the same file`() async throws {
        let harness = try await StoreHarness()
        let file = try harness.file("front")
        let card = try await harness.store.admit([harness.photo("front", number: "N", file: file)], now: harness.now)[0]
            .card
        try await harness.erase(card)
        #expect(try await harness.known([file], number: BusinessNumber(stored: "N"))[0]?.state == .erased)
    }

    @Test func `of admissions of equal bytes at once exactly one is new, and orders are consecutive`() async throws {
        let harness = try await StoreHarness()
        let photos = (0..<40).map { harness.photo("front \($0 % 4)", number: "N") }
        let (store, now) = (harness.store, harness.now)
        let outcomes = try await withThrowingTaskGroup(of: AdmissionOutcome.self) { group in
            for photo in photos { group.addTask { try await store.admit([photo], now: now)[0] } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { !$0.isDuplicate } == 4)
        let cards = try await store.cards(CardFilter(), after: 0, limit: 100)
        #expect(cards.map(\.order) == [1, 2, 3, 4])
    }

    // MARK: Amendments

    @Test func `what is said of a prepared card is taken over, and what is not said stays`() async throws {
        let harness = try await StoreHarness()
        let card = try await harness.admit("front", number: "N", priority: 2).card
        let said = harness.photo("front", number: "N", side: .back, priority: 9) { $0.userNumber = Redacted("U") }
        _ = try await harness.store.admit([said], now: harness.now)
        try await harness.admit("front", number: "N")
        let metadata = try await harness.card(card).metadata
        #expect(metadata.side == .back && metadata.priority == 9 && metadata.userNumber == Redacted("U"))
        #expect(try await harness.value("SELECT priority FROM application", as: Int.self) == 9)
    }

    @Test(arguments: [true, false])
    func `a judged card is judged again from its stored reading if the verdict may differ`(differs: Bool) async throws {
        let harness = try await StoreHarness()
        let card = try await harness.verified("front", number: "N", .front)
        let again = harness.photo("front", number: "N") {
            if differs { $0.expectedName = Redacted("SPECIMEN") } else { $0.userNumber = Redacted("U") }
        }
        _ = try await harness.store.admit([again], now: harness.now)
        #expect(try await harness.state(card) == (differs ? "prepared" : "verified"))
        let jobs = try await harness.claim()
        #expect(jobs.map(\.card.id) == (differs ? [card] : []))
        #expect(jobs.allSatisfy { $0.attempt == nil && $0.reading != nil })
    }

    @Test func `a card that waits for a user account goes on once its sender names one`() async throws {
        let harness = try await StoreHarness()
        var terms = StoreHarness.terms
        terms.hasDefaultUserNumber = false
        let card = try await harness.verified("front", number: "N", .front)
        #expect(try await harness.begin(terms).isEmpty)
        #expect(try await harness.state(card) == "verified user_no_missing")
        #expect(try await harness.proposals(terms) == [])
        let again = harness.photo("front", number: "N") { $0.userNumber = Redacted("U") }
        _ = try await harness.store.admit([again], now: harness.now)
        #expect(try await harness.proposals(terms) == [[card]])
    }

    @Test func `a card that waits under one configuration is decided again under that of the next process`()
        async throws
    {
        let harness = try await StoreHarness()
        var terms = StoreHarness.terms
        terms.hasDefaultUserNumber = false
        let card = try await harness.verified("front", number: "N", .front)
        _ = try await harness.begin(terms)
        try await harness.killWorker()
        #expect(try await harness.proposals() == [[card]])
    }

    @Test func `what its sender puts right while it is verified has it judged again, without a second call`()
        async throws
    {
        let harness = try await StoreHarness()
        let card = try await harness.admit("front", number: "N").card
        let job = try #require(try await harness.claim().first)
        let again = harness.photo("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        _ = try await harness.store.admit([again], now: harness.now)
        #expect(try await harness.claim().isEmpty)
        try await harness.conclude(job, side: .front, number: nil)
        #expect(try await harness.state(card) == "prepared")
        let second = try #require(try await harness.claim().first)
        #expect(second.attempt == nil && second.card.metadata.expectedName == Redacted("SPECIMEN"))
        try await harness.conclude(second, side: .front, number: nil)
        #expect(try await harness.state(card) == "verified")
    }

    @Test(arguments: ["rejected by a person", "delivering", "delivered", "held", "erased"])
    func `nothing amends a card that is`(_ state: String) async throws {
        let harness = try await StoreHarness()
        let (card, job) = try await harness.delivering("front", number: "N")
        switch state {
        case "delivered": try await harness.conclude(job, .accepted)
        case "held", "rejected by a person": try await harness.conclude(job, .failure(.unknown), onUnknown: .hold)
        case "erased": try await harness.plant("UPDATE card SET state = 'erased'")
        default: break
        }
        if state == "rejected by a person" { try await harness.resolve(card, .reject) }
        let before = try await harness.state(card)
        let again = harness.photo("front", number: "N", side: .back, priority: 9)
        #expect(try await harness.store.admit([again], now: harness.now)[0].isDuplicate)
        #expect(try await harness.state(card) == before)
        let metadata: Int? = try await harness.value("SELECT priority FROM card")
        #expect(metadata == 0)
    }

    @Test func `a card that a rule holds is judged again by what its submitter says now`() async throws {
        let harness = try await StoreHarness()
        let card = try await harness.admit("front", number: "N").card
        let job = try #require(try await harness.claim().first)
        let verdict = Verdict.held(.legalityLow, message: "look at it")
        let key = ReadingKey(imageDigest: job.image.digest, provider: "test", parameters: "")
        try await harness.store.conclude(
            job,
            with: .judged(CardReading(side: .front, fields: CardFields()), key: key, Judgement(verdict)),
            now: harness.now
        )
        #expect(try await harness.state(card) == "held legality_low")
        let other = harness.photo("front", number: "N", submitter: "two") { $0.expectedName = Redacted("SPECIMEN") }
        _ = try await harness.store.admit([other], now: harness.now)
        #expect(try await harness.state(card) == "held legality_low")
        let again = harness.photo("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        _ = try await harness.store.admit([again], now: harness.now)
        #expect(try await harness.state(card) == "prepared")
        #expect(try await harness.claim().map(\.attempt) == [nil])
    }

    @Test(arguments: ["submitter_conflict", "holder_conflict"])
    func `a card of which is in doubt whose it is takes new metadata over, and waits on for a person`(
        _ reason: String
    ) async throws {
        let harness = try await StoreHarness()
        try await harness.admit("first", number: "N", submitter: "one")
        let card = try await harness.admit("front", number: "N", submitter: "two").card
        try await harness.plant("UPDATE card SET reason = '\(reason)' WHERE id = '\(card)'")
        let again = harness.photo("front", number: "N", submitter: "two") { $0.expectedName = Redacted("SPECIMEN") }
        _ = try await harness.store.admit([again], now: harness.now)
        #expect(try await harness.state(card) == "held \(reason)")
        #expect(try await harness.card(card).metadata.expectedName == Redacted("SPECIMEN"))
    }

    @Test(arguments: ["retcode_unlisted", "restored"])
    func `nothing amends a card that is held for`(_ reason: String) async throws {
        let harness = try await StoreHarness()
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failure(.rejected, isUnlisted: true))
        try await harness.plant("UPDATE card SET reason = '\(reason)'")
        let again = harness.photo("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        _ = try await harness.store.admit([again], now: harness.now)
        #expect(try await harness.state(card) == "held \(reason)")
        #expect(try await harness.card(card).metadata.expectedName == nil)
    }

    @Test func `a card that the backend refused goes again when its sender puts it right`() async throws {
        let harness = try await StoreHarness()
        let (card, job) = try await harness.delivering("front", number: "N")
        try await harness.conclude(job, .failure(.rejected))
        let again = harness.photo("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        _ = try await harness.store.admit([again], now: harness.now)
        #expect(try await harness.state(card) == "prepared")
    }

    @Test func `a damaged card does not stop the list that names it again`() async throws {
        let harness = try await StoreHarness()
        let card = try await harness.admit("front", number: "N").card
        try await harness.plant("UPDATE card SET metadata = x'00'")
        let outcomes = try await harness.store.admit(
            [harness.photo("front", number: "N", priority: 3), harness.photo("back", number: "N")],
            now: harness.now
        )
        #expect(outcomes[0].card == card && outcomes[1].state == .prepared)
    }

    // MARK: Room

    @Test func `the sandbox is full while so many cards are under way, whoever took them in`() async throws {
        let harness = try await StoreHarness()
        let other = try await harness.another()
        #expect(try await harness.store.isFull(depth: 3) == false)
        for index in 0..<3 {
            #expect(try await other.isFull(depth: 3) == false)
            try await harness.admit("\(index)", number: "N\(index)")
        }
        #expect(try await other.isFull(depth: 3))
        let job = try #require(try await harness.claim(1).first)
        try await harness.conclude(job, side: .front, number: nil)
        #expect(try await other.isFull(depth: 3) == false)
        try other.close()
    }

    @Test func `nothing is counted while too few were taken in since the oldest card under way`() async throws {
        let harness = try await StoreHarness()
        for index in 0..<5 { try await harness.admit("\(index)", number: "N\(index)") }
        for job in try await harness.claim(3) { try await harness.conclude(job, side: .front, number: nil) }
        let mayHold = try await harness.store.database.read { [store = harness.store] tx in
            try (1...4).map { try store.mayHold($0, in: tx) }
        }
        #expect(mayHold == [true, true, false, false])
    }

    // MARK: Superseded

    @Test(arguments: ["delivered", "rejected", "prepared", "erased"])
    func `a superseded photo comes back only when no newer one of its side may go`(_ newer: String) async throws {
        let harness = try await StoreHarness()
        let older = try await harness.verified("older", number: "N", .front)
        let next = try await harness.verified("newer", number: "N", .front)
        let job = try #require(try await harness.begin().first)
        #expect(try await harness.state(older) == "superseded superseded")
        switch newer {
        case "delivered": try await harness.conclude(job, .accepted)
        case "erased":
            try await harness.conclude(job, .accepted)
            try await harness.erase(next)
        case "prepared":
            try await harness.conclude(job, .failure(.rejected))
            try await harness.retry(next)
        default: try await harness.conclude(job, .failure(.rejected))
        }
        let comesBack = newer == "rejected"
        if !comesBack { await #expect(throws: CodedError.self) { try await harness.retry(older) } }
        try await harness.admit("older", number: "N")
        #expect(try await harness.state(older) == (comesBack ? "prepared" : "superseded superseded"))
    }
}

extension StoreHarness {
    /// Makes a file beside the sandbox and says what tells it apart.
    func file(_ name: String) throws -> FileIdentity {
        let path = "\(self.folder)/\(name).jpg"
        try Data(name.utf8).write(to: URL(filePath: path))
        var status = stat()
        try #require(stat(path, &status) == 0)
        return FileIdentity(path: path, status)
    }
}
