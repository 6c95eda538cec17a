package import CardModel

/// The terms by which a number is decided: the configuration of deliveries, and the rules between front and back.
package struct DecidingTerms: Sendable {
    /// How cards are joined, and what happens to backs without a front.
    package var policy: CasePolicy
    /// The rules between front and back.
    package var rules: VerdictRules
    /// Whether cards without a user account may go.
    package var hasDefaultUserNumber: Bool

    package init(policy: CasePolicy, rules: VerdictRules, hasDefaultUserNumber: Bool = true) {
        (self.policy, self.rules, self.hasDefaultUserNumber) = (policy, rules, hasDefaultUserNumber)
    }
}

/// A business number with something to decide, and what the rules decided for it. It holds as long as its case has the revision
/// that was read.
package struct DeliveryProposal: Sendable {
    package let number: BusinessNumber
    /// The cards of each delivery that may be formed now; empty if only waits must be stored.
    package let groups: [[DeliveryMember]]
    fileprivate let revision: Int64
    fileprivate let decision: CaseDecision
    /// The cards that were read.
    let rows: [CardID: CardRow]
    fileprivate let pair: (front: CardID, back: CardID)?
    /// The findings of the rules about the pair.
    fileprivate let findings: [VerdictFinding]
}

/// The deliveries that are possible at one moment.
package struct DeliveryLook: Sendable {
    package var proposals: [DeliveryProposal] = []
    /// Whether deliveries that were attempted are due again.
    package var areRepeatsDue = false
}

// MARK: Proposing

extension SandboxDeliveries {
    /// Proposes deliveries; changes no card.
    ///
    /// Examines the due numbers, the highest priority first, and stops when `limit` of them have cards to send. Numbers without a
    /// card to send are proposed, too, so that their waits can be stored. The result also says whether deliveries that were
    /// attempted are due again.
    ///
    /// - Parameters:
    ///   - limit: the most numbers with cards that may go.
    ///   - excluded: numbers that this process has in progress.
    ///   - untriedOnly: whether numbers with a failed card are skipped; for while the endpoint fails.
    package func proposeDeliveries(
        limit: Int,
        excluding excluded: Set<BusinessNumber>,
        untriedOnly: Bool = false,
        terms: DecidingTerms,
        now: Timestamp
    ) async throws -> DeliveryLook {
        let untried: SQL =
            untriedOnly
            ? """
            AND NOT EXISTS (
                SELECT 1 FROM card WHERE card.number = cases.number AND card.state = \(literal: .verified) AND failed_at IS NOT NULL
            )
            """ : ""
        let over: [SQL] = [
            "SELECT number FROM cases WHERE decide_at > 0 AND decide_at <= \(now)",
            "SELECT number FROM cases WHERE decide_at > 0 AND decide_from > \(now)",
        ]
        if try await self.read(at: now, { tx in try over.contains { try tx.exists($0) } }) {
            try await self.write(at: now) { tx in
                for numbers in over {
                    let some: SQL = "\(numbers) LIMIT \(Limits.cardsPerWake)"
                    try tx.run("UPDATE cases SET decide_from = 0, decide_at = 0 WHERE number IN (\(some))")
                }
            }
        }
        return try await self.read(at: now) { tx in
            let due = try tx.values(
                """
                SELECT number FROM cases WHERE decide_at = 0 \(untried)
                ORDER BY priority DESC LIMIT \(Limits.numbersPerLook + excluded.count)
                """,
                as: BusinessNumber.self
            )
            var look = DeliveryLook(areRepeatsDue: try tx.exists("SELECT 1 \(Self.repeats(dueAt: now))"))
            var going = 0
            for number in due where !excluded.contains(number) && going < limit {
                let proposal = try DeliveryProposal(number, terms: terms, store: self.sandbox, in: tx)
                look.proposals.append(proposal)
                if !proposal.groups.isEmpty { going += 1 }
            }
            return look
        }
    }

    /// Marks the numbers whose cards wait for something that a configuration can give; changed numbers are decided before them.
    package func reconsider(
        under terms: DecidingTerms,
        limit: Int = Limits.cardsPerWake,
        now: Timestamp
    ) async throws {
        var reasons: [ReasonCode] = []
        if terms.hasDefaultUserNumber { reasons.append(.userNumberMissing) }
        if terms.policy.backWithoutFront == .send { reasons.append(.frontMissing) }
        if terms.policy.layout != .application { reasons.append(.waitsForBack) }
        guard !reasons.isEmpty else { return }
        for reason in reasons {
            var last: Int64? = -1
            while let start = last { last = try await self.reconsider(reason, after: start, limit: limit, now: now) }
        }
    }

    /// Marks the numbers of a page of cards that wait for a reason, each once: another process may decide them by other terms.
    ///
    /// - Returns: the order of the last of them; `nil` if there are no more.
    private func reconsider(_ reason: ReasonCode, after order: Int64, limit: Int, now: Timestamp) async throws -> Int64?
    {
        let waiting: SQL = """
            SELECT number, intake_order FROM card WHERE state = \(literal: .verified) AND reason = \(reason)
            AND intake_order > \(order) ORDER BY intake_order LIMIT \(limit)
            """
        let cards = try await self.read { tx in
            try tx.rows(waiting) { (number: try $0.next(BusinessNumber.self), order: try $0.next(Int64.self)) }
        }
        guard !cards.isEmpty else { return nil }
        let own: SQL = "number IN \(list: cards.map(\.number)) AND (decide_at IS NULL OR decide_at > \(now))"
        if try await self.read({ tx in try tx.exists("SELECT 1 FROM cases WHERE \(own)") }) {
            try await self.write(at: now) { tx in
                try tx.run("UPDATE cases SET decide_from = \(now), decide_at = \(now) WHERE \(own)")
            }
        }
        return cards.last?.order
    }

    /// When the next number must be decided; `nil` if none must.
    package func nextDecision(now: Timestamp) async throws -> Timestamp? {
        try await self.read { tx in
            if try tx.exists("SELECT 1 FROM cases WHERE decide_at IS NOT NULL AND decide_from > \(now)") { return now }
            return try tx.value("SELECT min(decide_at) FROM cases WHERE decide_at IS NOT NULL")
        }
    }

    /// Stores which cards are held, rejected or superseded, and which wait, for numbers that have no card to send now. A number
    /// that has changed since it was read stays due.
    ///
    /// - Returns: the cards whose state changed.
    @discardableResult
    package func decide(_ proposals: [DeliveryProposal], now: Timestamp) async throws -> [CardChange] {
        try await self.write(at: now, locking: proposals.map(\.number)) { tx in
            try proposals.flatMap {
                try $0.isCurrent(in: tx) ? try $0.apply(forming: [], by: self.sandbox, in: tx) : []
            }
        }
    }
}

extension DeliveryProposal {
    /// Reads a case, and decides by its cards.
    init(_ number: BusinessNumber, terms: DecidingTerms, store: Sandbox, in tx: Transaction) throws {
        let rows = try Self.rows(of: number, in: tx)
        let known = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        let (snapshot, revision) = try Self.snapshot(of: number, rows, terms: terms, store: store, in: tx)
        let pair = CaseRules.pair(in: snapshot)
        var findings: [VerdictFinding] = []
        if let pair, let front = known[pair.front], let back = known[pair.back] {
            findings = try store.deliveries.pairFindings(front: front, back: back, rules: terms.rules, in: tx)
        }
        let decision = CaseRules.decide(snapshot, pairFindings: findings, policy: terms.policy, now: tx.now)
        let groups = decision.ready.map { ids in ids.compactMap { known[$0].flatMap(store.deliveries.member) } }
        self.init(
            number: number,
            groups: groups,
            revision: revision,
            decision: decision,
            rows: known,
            pair: pair,
            findings: findings
        )
    }

    /// The cards of a number that the rules know.
    static func rows(of number: BusinessNumber, in tx: Transaction) throws -> [CardRow] {
        // While one card awaits verification nothing goes, so one of them is enough.
        let own: SQL = "WHERE card.number = \(number) AND card.state IN"
        var rows = try CardRow.all("\(own) \(literals: .verified, .delivering, .held)", in: tx)
        rows += try CardRow.all("\(own) (\(literal: .delivered)) AND \(PhotoAge.isNewestDelivered(of: number))", in: tx)
        rows += try CardRow.all(
            "\(own) \(literals: .fetching, .received, .prepared) AND card.beside IS NULL LIMIT 1",
            in: tx
        )
        // A back alone waits as long as a front needs a person.
        if rows.contains(where: { $0.anySide == .back }),
            !rows.contains(where: { $0.anySide == .front && !$0.isIgnored })
        {
            let front: SQL = "coalesce(card.side, card.expected_side) = \(CardSide.front)"
            let open: SQL = "\(SandboxListings.needsPerson) AND reason <> \(ReasonCode.rejectedByOperator)"
            rows += try CardRow.all("\(own) \(literals: .rejected, .failed) AND \(front) AND \(open) LIMIT 1", in: tx)
        }
        return rows.sorted { $0.order < $1.order }
    }

    /// What the rules see of a number, and its revision then.
    static func snapshot(
        of number: BusinessNumber,
        _ rows: [CardRow],
        terms: DecidingTerms,
        store: Sandbox,
        in tx: Transaction
    ) throws -> (CaseSnapshot, revision: Int64) {
        var (revision, isDisputed): (Int64, Bool) = (0, false)
        var (delivered, rejectedOrder): ([CardSide: PhotoAge], Int64?) = ([:], nil)
        let columns: SQL = "revision, disputed, rejected_order, \(PhotoAge.deliveredColumns)"
        try tx.forEach("SELECT \(columns) FROM cases WHERE number = \(number)") { row in
            (revision, isDisputed, rejectedOrder) = (try row.next(), try row.next(), try row.next())
            for side in CardSide.allCases { delivered[side] = try PhotoAge(&row) }
        }
        let isDecided: SQL = "number = \(number) AND state = \(literal: .verified) AND \(Decision.holdsCard)"
        let decided = try tx.values("SELECT id FROM card WHERE \(isDecided)", as: CardID.self)
        let cards = rows.map { row in
            var card = row.bare
            // Held until a person's decision is carried out or withdrawn.
            if decided.contains(row.id) { (card.state, card.reason) = (.held, nil) }
            return card
        }
        var snapshot = CaseSnapshot(cards: cards, isDisputed: isDisputed, delivered: delivered)
        snapshot.rejectedOrder = rejectedOrder
        for row in rows where !terms.hasDefaultUserNumber && row.state == .verified {
            // A card that cannot be unsealed may go, so that forming its delivery fails it.
            guard let card = try? row.card(store.vault) else { continue }
            if card.metadata.userNumber?.reveal().isEmpty ?? true { snapshot.withoutAccount.insert(row.id) }
        }
        return (snapshot, revision)
    }

    /// Whether the case has the revision that was read.
    func isCurrent(in tx: Transaction) throws -> Bool {
        try tx.exists("SELECT 1 FROM cases WHERE number = \(self.number) AND revision = \(self.revision)")
    }

    /// Stores the decision, and raises the revision of the case.
    ///
    /// - Parameter formed: the cards that go into a delivery in the same transaction; others that may go stay due.
    /// - Returns: the cards whose state changed.
    func apply(forming formed: [CardID], by store: Sandbox, in tx: Transaction) throws -> [CardChange] {
        var moves = self.decision.superseded.map { ($0, self.replacement(of: $0, by: $1)) }
        moves += self.decision.held.map { ($0, Transition(.held, $1.reason, $1.message)) }
        moves += self.decision.rejected.map { ($0, Transition(.rejected, $1.reason, $1.message)) }
        try self.logFindings(by: store, in: tx)
        let changes = try moves.compactMap { id, transition in
            try self.rows[id].map { try store.records.move($0, transition, in: tx) }
        }
        for (id, finding) in self.decision.rejected where finding.reason == .rejectedByOperator {
            if let row = self.rows[id] { _ = try store.decisions.forgetHolder(of: row, in: tx) }
        }
        for (id, reason) in self.decision.waiting where self.rows[id]?.reason != reason {
            try tx.run(
                """
                UPDATE card SET reason = \(reason), message = NULL, seen = 0 WHERE id = \(id) AND state = \(literal: .verified)
                """
            )
            try store.records.log(Transition(.verified, reason), from: .verified, of: id, sealed: nil, in: tx)
        }
        tx.changed.insert(self.number)
        let others = self.decision.ready.joined().contains { !formed.contains($0) }
        let next = others ? Timestamp(millisecondsSinceEpoch: 0) : self.decision.reconsiderAt
        let from = next.map { min($0, tx.now) }
        try tx.run(
            """
            UPDATE cases SET revision = revision + 1, decide_from = \(from), decide_at = \(next) WHERE number = \(self.number)
            """
        )
        return changes
    }

    private func replacement(of card: CardID, by newer: CardID?) -> Transition {
        guard self.decision.passedOver.contains(card) else {
            let message = newer.map(Message.cardSuperseded) ?? .cardSupersededUnnamed
            return Transition(.superseded, .superseded, message)
        }
        let message = newer.map { Message.cardTakenEarlier($0, not: card) } ?? .cardTakenEarlierUnnamed(card)
        return Transition(.superseded, .takenEarlier, message)
    }

    /// Stores, once for each pair, which cards were compared and the warnings about them.
    private func logFindings(by store: Sandbox, in tx: Transaction) throws {
        guard let pair, let back = self.rows[pair.back], !self.findings.isEmpty else { return }
        let isNew = try tx.run(
            """
            UPDATE card SET compared_with = \(pair.front)
            WHERE id = \(pair.back) AND (compared_with IS NULL OR compared_with <> \(pair.front))
            """
        )
        guard isNew == 1 else { return }
        for warning in self.findings where warning.severity == .warn {
            try store.stages.logWarning(warning, of: back, in: back.state, in: tx)
        }
    }
}

extension SandboxDeliveries {
    /// Compares the two sides of a number by their readings; a reading that cannot be unsealed is not compared.
    fileprivate func pairFindings(
        front: CardRow,
        back: CardRow,
        rules: VerdictRules,
        in tx: Transaction
    ) throws -> [VerdictFinding] {
        guard let one = try CardRecords.nilIfUnreadable({ try self.records.storedReading(of: front, in: tx) }),
            let other = try CardRecords.nilIfUnreadable({ try self.records.storedReading(of: back, in: tx) })
        else { return [] }
        // One image is both sides only if it shows several cards, and then both readings have others. The digests of the
        // images that were read are compared: the image of a delivered front may be deleted.
        let bothShowSeveral = !one.reading.others.isEmpty && !other.reading.others.isEmpty
        return rules.judgePair(
            front: one.reading,
            back: other.reading,
            identicalImages: bothShowSeveral && one.image == other.image
        )
    }
}
