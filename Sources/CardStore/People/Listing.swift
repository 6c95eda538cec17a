package import CardModel
import Foundation
import Glibc

/// Which cards are listed.
package struct CardFilter: Hashable, Sendable {
    /// Their states; empty for all.
    package var states: [CardState] = []
    /// Their reason, or the remote's code.
    package var reason: String?
    package var number: BusinessNumber?
    /// Why they need a person; empty for all cards.
    package var attention: [CardAttention] = []
    /// The name of their submitter; `nil` for all.
    package var submitter: String?
    /// Whether the list includes cards that are only fetched to see whether the photo of another card was retaken.
    package var includesFetchedAgain = false

    /// Lists every card.
    package init() {}

    /// Whether a card is listed: the rule of ``CardStore/conditions(_:)`` for a card that was read.
    func matches(_ row: CardRow) -> Bool {
        let need = CardNotice(row.state, row.reason, isSeen: row.isSeen, isRetaken: row.isRetaken)
        return (self.includesFetchedAgain || row.beside == nil)
            && (self.number.map { $0.key == row.number.key } ?? true)
            && (self.submitter.map { $0 == row.submitter } ?? true)
            && (self.states.isEmpty || self.states.contains(row.state))
            && (self.reason.map { [row.reason?.rawValue, row.remoteCode].contains($0) } ?? true)
            && (self.attention.isEmpty || self.attention.contains { need == .attention($0) })
    }
}

/// A card with everything that is known of it, for the person who looks at it.
package struct CardDetails: Sendable {
    package var card: Card
    /// The name of the input as a person gave it.
    package var inputName: Redacted<String>?
    /// What the verifier read.
    package var reading: CardReading?
    /// The size of the prepared image in bytes.
    package var imageBytes: Int?
    /// When retention deleted the image.
    package var imageDroppedAt: Timestamp?
    /// Its history, oldest first.
    package var events: [CardEvent]
    /// Calls to outside services on its behalf, oldest first.
    package var attempts: [AttemptRecord]
    /// Its last event, which a page that shows it has seen.
    package var lastEvent: Int64
    /// The actions that the caller may not do, with the reason; others are allowed.
    package var actions: [DecisionAction: CodedError]
    /// A decision about it that waits for a second person; `nil` for a caller who sees its own cards only.
    package var proposal: Decision?
    /// The decisions about it, and the accesses to personal values, oldest first; none for a caller who sees its own cards only.
    package var decisions: [AccessRecord]
    /// When it is attempted next by itself, if a time is set.
    package var nextAttempt: Timestamp?
    /// The `Idempotency-Key` of the delivery that it is, or was last, a member of.
    package var deliveryKey: String?
    /// The cards of its case, and itself, in the order of their intake.
    package var caseCards: [CaseMember]
    /// The submitter of the first card of its number, and since when, if it is another one and the caller sees all cards.
    package var owner: (submitter: String, since: Timestamp?)?
}

/// Something that happened to a card.
package struct CardEvent: Hashable, Sendable {
    package var at: Timestamp
    /// The state after it.
    package var state: CardState
    package var reason: ReasonCode?
    package var remoteCode: String?
    /// The reason in a sentence.
    package var message: Message?
}

/// A call to an outside service.
package struct AttemptRecord: Hashable, Sendable {
    package var stage: Stage
    /// The delivery, for `deliver`.
    package var delivery: DeliveryID?
    package var startedAt: Timestamp
    /// When it ended; `nil` while it is in progress.
    package var endedAt: Timestamp?
    package var failureClass: FailureClass?
    /// The remote's code, or ours.
    package var code: String?
}

// MARK: Listing

extension CardStore {
    /// Lists cards in the order of their intake, page by page.
    ///
    /// - Parameters:
    ///   - filter: which cards.
    ///   - last: the intake order of the last card of the page before; `nil` for the first page.
    ///   - newestFirst: whether the order is reversed.
    ///   - limit: the most cards of the page.
    ///   - caller: the caller, which sees only its own cards unless its scopes reach further.
    package func cards(
        _ filter: CardFilter,
        after last: Int64?,
        newestFirst: Bool = false,
        limit: Int,
        for caller: Caller
    ) async throws -> [Card] {
        var filter = filter
        if let own = caller.submitter(for: .show) { filter.submitter = own }
        return try await self.read { [filter] tx in
            let rows = try filter.number.map {
                try Self.cards(of: $0, filter, after: last, newestFirst: newestFirst, limit: limit, in: tx)
            }
            return try (rows ?? Self.cards(filter, after: last, newestFirst: newestFirst, limit: limit, in: tx))
                .map { $0.shown(self.vault) }
        }
    }

    private static func cards(
        _ filter: CardFilter,
        after last: Int64?,
        newestFirst: Bool,
        limit: Int,
        in tx: Transaction
    )
        throws -> [CardRow]
    {
        let range = Self.range(after: last, newestFirst: newestFirst)
        let page: SQL = "ORDER BY \(range.order) LIMIT \(min(limit, Limits.pageSize))"
        let pages: [SQL] = Self.conditions(filter).map { condition in
            "SELECT * FROM (SELECT intake_order FROM card WHERE \(range.after) AND \(condition) \(page)) AS page"
        }
        let orders: SQL = "SELECT intake_order FROM (\(SQL.joined(pages, by: " UNION "))) AS page \(page)"
        return try CardRow.all("WHERE card.intake_order IN (\(orders)) ORDER BY card.\(range.order)", in: tx)
    }

    /// A number has few cards, while a submitter or a reason may have all of them: they are filtered here.
    private static func cards(
        of number: BusinessNumber,
        _ filter: CardFilter,
        after last: Int64?,
        newestFirst: Bool,
        limit: Int,
        in tx: Transaction
    ) throws -> [CardRow] {
        var (found, last, isMore): ([CardRow], Int64?, Bool) = ([], last, true)
        while isMore, found.count < limit {
            let range = Self.range(after: last, newestFirst: newestFirst)
            let own: SQL = "WHERE card.number = \(first: number) AND \(range.after)"
            let rows = try CardRow.all("\(own) ORDER BY card.\(range.order) LIMIT \(Limits.pageSize)", in: tx)
            found += rows.filter(filter.matches)
            (last, isMore) = (rows.last?.order, rows.count == Limits.pageSize)
        }
        return Array(found.prefix(limit))
    }

    private static func range(after last: Int64?, newestFirst: Bool) -> (after: SQL, order: SQL) {
        newestFirst
            ? ("intake_order < \(last ?? .max)", "intake_order DESC") : ("intake_order > \(last ?? 0)", "intake_order")
    }

    /// Conditions that together select the cards of a filter without a number, each card once; an index gives the cards of a
    /// condition in order.
    static func conditions(_ filter: CardFilter) -> [SQL] {
        var own: [SQL] = []
        if let submitter = filter.submitter { own.append("submitter = \(submitter)") }
        // No client got the id of a card that may be deleted again.
        var conditions = [SQL.joined(own + [filter.includesFetchedAgain ? "1 = 1" : "beside IS NULL"], by: " AND ")]
        func split(_ pieces: [SQL]) { conditions = conditions.flatMap { one in pieces.map { "\(one) AND \($0)" } } }
        let needs = CardAttention.allCases.filter(filter.attention.contains)
        if !needs.isEmpty { split(needs.flatMap(Self.conditions)) }
        // Without a state, the index of a submitter gives the order of each state.
        let isBySubmitter = filter.submitter != nil && filter.reason == nil
        let isAny = filter.states.isEmpty && isBySubmitter
        let states = CardState.allCases.filter { isAny || filter.states.contains($0) }
        // A reason selects fewer cards than states.
        let state: SQL = filter.reason == nil ? "state" : "state || ''"
        if !states.isEmpty { split(states.map { "\(state) = \(literal: $0)" }) }
        if let reason = filter.reason {
            split(["reason = \(reason)", "remote_code = \(reason) AND reason IS DISTINCT FROM \(reason)"])
        }
        return conditions
    }

    // The rule of `CardNotice`, as SQL.
    static func conditions(_ attention: CardAttention) -> [SQL] {
        let pieces: [SQL]
        switch attention {
        case .decide:
            let reasons = ReasonCode.needingAttention.sorted { $0.rawValue < $1.rawValue }
            // The reason selects fewer cards than the state.
            let waiting: [SQL] = reasons.map { "state || '' = \(literal: .verified) AND reason = \($0)" }
            pieces = ["state = \(literal: .failed)", "state = \(literal: .held)"] + waiting
        case .retake: pieces = ["state = \(literal: .rejected) AND reason <> \(ReasonCode.rejectedByOperator)"]
        }
        return pieces.map { "\($0) AND \(Self.counts)" }
    }

    private static let counts: SQL = """
        seen = 0 AND (reason = \(ReasonCode.submitterConflict) OR NOT \(CardRow.isRetaken))
        """

    /// Returns cards by their identifiers; skips those that are missing, or that the caller may not see.
    package func cards(_ ids: [CardID], for caller: Caller) async throws -> [Card] {
        try await self.read { tx in
            try ids.compactMap { try CardRow.fetch($0, in: tx) }
                .filter { caller.may(.show, on: $0.submitter) }.map { $0.shown(self.vault) }
        }
    }

    /// Returns the states of cards, without unsealing any value.
    package func status(of ids: [CardID]) async throws -> [CardChange] {
        try await self.read { tx in
            try ids.compactMap { try CardRow.fetch($0, in: tx).map(CardChange.init) }
        }
    }

    /// Shows the personal values of a card to a person; the access log gets a line, also for a refusal.
    ///
    /// - Throws: `not_found`, for another's card too; `scope_missing`; `purpose_personal`.
    package func reveal(_ id: CardID, to origin: AccessOrigin, now: Timestamp) async throws -> CardExport {
        do {
            return try await self.export(id, as: .reveal, to: origin, now: now)
        } catch let error as CodedError where [.notFound, .scopeMissing].contains(error.code) {
            try await self.logDenied(id, to: origin, now: now)
            throw error
        }
    }

    /// Returns a card for an answer without personal values; to show these, use ``reveal(_:to:now:)``.
    package func details(of id: CardID, for caller: Caller) async throws -> CardDetails {
        try await self.read { tx in
            try self.details(of: self.row(id, for: .show, by: caller, in: tx), for: caller, in: tx)
        }
    }

    /// - Parameter caller: the caller; `nil` for the process, which sees all cards.
    func details(of row: CardRow, for caller: Caller?, in tx: Transaction) throws -> CardDetails {
        let id = row.id
        let seesAll = caller.map { $0.submitter(for: .show) == nil } ?? true
        // Values that cannot be unsealed are left out: a person must be able to examine a damaged card.
        let key = row.state == .erased ? nil : try? row.key(self.vault)
        let owner = try self.owner(other: row, in: tx)
        var card = row.shown(self.vault)
        // A submitter that does not own the number gets codes only: messages may name cards of others.
        let hasWords = seesAll || owner == nil
        if !hasWords { card.message = nil }
        var caseCards = try self.caseCards(of: row.number, for: caller, in: tx)
        if !hasWords { caseCards.indices.forEach { caseCards[$0].card.message = nil } }
        return CardDetails(
            card: card,
            inputName: self.inputName(of: row, key: key),
            reading: key == nil ? nil : (try? self.storedReading(of: row, in: tx))?.reading,
            imageBytes: try self.imageByteCount(of: id, in: tx),
            imageDroppedAt: try tx.value("SELECT image_dropped_at FROM card WHERE id = \(id)"),
            events: try self.events(of: id, key: hasWords ? key : nil, in: tx),
            attempts: try self.attempts(of: id, in: tx),
            lastEvent: try self.lastEvent(of: id, in: tx),
            actions: try self.actions(for: row, by: caller, in: tx),
            proposal: seesAll ? try self.decision(about: id, in: tx).flatMap { $0.waitsForSecond ? $0 : nil } : nil,
            decisions: seesAll ? try self.decisions(about: id, in: tx) : [],
            nextAttempt: try self.nextAttempt(of: row, in: tx),
            deliveryKey: try tx.value("SELECT key FROM delivery WHERE id = \(row.delivery)"),
            caseCards: caseCards,
            owner: seesAll ? owner : nil
        )
    }

    func inputName(of row: CardRow, key: CardKey?) -> Redacted<String>? {
        guard let key, let sealed = row.sealedMetadata else { return nil }
        return try? key.open(json: sealed, as: SealedMetadata.self, column: .cardMetadata).inputName
    }

    /// Returns the file names of a case's photos as their submitter gave them, that of its cause first, without replaced
    /// photos. The access log gets its line before (``logList(to:now:)``).
    package func inputNames(of one: Case) async throws -> [Redacted<String>] {
        try await self.read { tx in
            let rows = try CardRow.all("WHERE card.number = \(one.number) ORDER BY card.intake_order", in: tx)
                .filter { $0.state != .superseded && $0.state != .erased && !$0.isRetaken && $0.beside == nil }
            let cause = one.status.card
            return (rows.filter { $0.id == cause } + rows.filter { $0.id != cause })
                .compactMap { self.inputName(of: $0, key: try? $0.key(self.vault)) }
        }
    }

    /// Returns the files that a card was imported from, as they were then, with the name that its submitter gave: for the
    /// process that knows their folder, and for no output. Empty if none is known.
    package func files(of card: CardID) async throws -> [FileIdentity] {
        try await self.read { tx in
            guard let row = try CardRow.fetch(card, in: tx), let key = try? row.key(self.vault),
                let name = self.inputName(of: row, key: key)
            else { return [] }
            let rows: SQL =
                "SELECT device, inode, size, modified FROM input WHERE card = \(card) AND device IS NOT NULL"
            return try tx.rows(rows) { row in
                var file = FileIdentity(path: name.reveal(), stat())
                (file.device, file.inode) = (UInt64(bitPattern: try row.next()), UInt64(bitPattern: try row.next()))
                (file.size, file.modifiedNanoseconds) = (try row.next(), try row.next())
                return file
            }
        }
    }

    private func events(of id: CardID, key: CardKey?, in tx: Transaction) throws -> [CardEvent] {
        try tx.rows("SELECT at, state, reason, remote_code, message FROM event WHERE card = \(id) ORDER BY id") { row in
            CardEvent(
                at: try row.next(),
                state: try row.next(),
                reason: try row.next(),
                remoteCode: try row.next(),
                message: try row.next(Data?.self).flatMap { try? key?.open(json: $0, column: .cardMessage) }
            )
        }
    }

    private func attempts(of id: CardID, in tx: Transaction) throws -> [AttemptRecord] {
        try tx.rows(
            """
            SELECT stage, subject, started_at, ended_at, class, code FROM attempt
            WHERE subject = \(id) OR subject IN (SELECT delivery FROM delivery_card WHERE card = \(id)) ORDER BY id
            """
        ) { row in
            let stage = try row.next(Stage.self)
            let subject = try row.next(String.self)
            return AttemptRecord(
                stage: stage,
                delivery: stage == .deliver ? DeliveryID(rawValue: subject) : nil,
                startedAt: try row.next(),
                endedAt: try row.next(),
                failureClass: try row.next(),
                code: try row.next()
            )
        }
    }

    /// Returns how many cards need a person, and why.
    package func attentionCounts() async throws -> [CardAttention: Int] {
        try await self.read { tx in
            try CardAttention.allCases.reduce(into: [:]) { counts, need in
                counts[need] = try Self.conditions(need).reduce(0) { count, condition in
                    try count + (tx.value("SELECT count(*) FROM card WHERE \(condition)") ?? 0)
                }
            }
        }
    }
}
