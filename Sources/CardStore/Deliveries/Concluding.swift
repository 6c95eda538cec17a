package import CardModel

/// The terms by which a failed delivery is repeated or given up.
package struct DeliveryTerms: Sendable {
    /// How failures that count are repeated.
    package var retry: RetryTerms
    /// What happens to a delivery that the backend may have applied.
    package var onUnknown: UnknownPolicy
    /// Whether the form of the delivery would be different now, with another TOKEN or other fields.
    package var isOutdated: Bool

    package init(retry: RetryTerms, onUnknown: UnknownPolicy, isOutdated: Bool = false) {
        (self.retry, self.onUnknown, self.isOutdated) = (retry, onUnknown, isOutdated)
    }
}

extension SandboxDeliveries {
    /// Stores the outcome of an attempt of a delivery, and what follows for its members.
    ///
    /// - Returns: the current state of each member.
    @discardableResult
    package func conclude(
        _ job: DeliveryJob,
        with outcome: DeliveryOutcome,
        terms: DeliveryTerms,
        now: Timestamp
    ) async throws -> [CardChange] {
        try await self.write(at: now, locking: Array(job.numbers)) { tx in
            // The delivery is gone if all its cards were erased meanwhile.
            guard try tx.exists("SELECT 1 FROM delivery WHERE id = \(job.id)") else { return [] }
            var delivery = try DeliveryRecord(job.id, store: self.sandbox, in: tx)
            let (failure, code) = (outcome.recordedFailure, outcome.acceptedCode)
            let isCurrent = try self.sandbox.stages.endAttempt(job.attempt, after: failure, acceptedAs: code, in: tx)
            if delivery.isDecided(by: outcome, isCurrent: isCurrent) { try delivery.apply(outcome, terms: terms) }
            let states = try delivery.memberStates
            for member in states where member.state == .erased {
                try Erasure.fold(member.card, of: self.sandbox, in: tx)
            }
            return states
        }
    }
}

extension Transition {
    /// Creates the transition of a card that the backend refuses; after a code that no list has, a person decides.
    fileprivate init(refusal failure: RemoteFailure) {
        self =
            failure.isUnlisted
            ? Transition(.held, .retcodeUnlisted, failure) : Transition(.rejected, .refusedByRemote, failure)
    }
}

// Applies the outcome of an attempt to a delivery.
extension DeliveryRecord {
    /// Applies an outcome to the delivery and its members.
    mutating func apply(_ outcome: DeliveryOutcome, terms: DeliveryTerms) throws {
        // The last answer was unreadable, and the endpoint has since given another card a readable one: if this answer is
        // unreadable again, the delivery is the cause.
        let isPassed = try self.isUnreadable && Unreadable.isPassed(.deliver, since: self.history.failedAt, in: self.tx)
        if outcome.mayBeApplied {
            self.mayBeApplied = true
            try self.tx.run("UPDATE delivery SET may_be_applied = 1 WHERE id = \(self.id)")
        }
        if outcome.counts, let failure = outcome.failure { try self.countFailure(failure.failureClass) }
        switch outcome {
        case .accepted:
            try self.close(as: .delivered)
            for card in self.members { try self.deliver(card) }
        case .items(let items):
            try self.close(as: .closed)
            for (index, card) in self.members.enumerated() {
                let item = items.indices.contains(index) ? items[index] : .unknown(Self.unnamed)
                try self.apply(item, to: card, retry: terms.retry)
            }
        case .tokenExpired(let failure):
            if self.mayBeApplied { try self.holdAsUnknown(failure) } else { try self.dissolve() }
        case .failed(let failure) where failure.isUnreadable:
            if isPassed { return try self.holdAsUnknown(failure) }
            try self.repeatBytes()
            try self.tx.run("UPDATE delivery SET unreadable = 1 WHERE id = \(self.id)")
        case .failed(let failure): try self.apply(failure, terms: terms)
        }
    }

    /// Applies a failure of the whole delivery; only a failure that counts makes the cards wait.
    private mutating func apply(_ failure: RemoteFailure, terms: DeliveryTerms) throws {
        let isUsedUp = self.history.isUsedUp(by: terms.retry.maxAttempts)
        let later = self.tx.now.advanced(by: terms.retry.delay)
        if failure.mayBeApplied, terms.onUnknown == .hold { return try self.holdAsUnknown(failure) }
        switch failure.failureClass {
        case .rejected, .shrink: try self.refuse(Transition(refusal: failure), failure)
        case .throttled where failure.mayBeApplied && isUsedUp: try self.holdAsUnknown(failure)
        case .throttled: try self.repeatBytes()
        // The request is refused again, and others were accepted since the first refusal: this delivery is the cause.
        case .stop where failure.stopScope == .request && self.history.isUsedUp(by: 1):
            try self.refuse(Transition(.failed, .refusedByRemote, failure), failure)
        // A delivery with an old TOKEN or form can only be refused again, and the backend may have it from an earlier attempt.
        case .stop where failure.stopScope == .request && terms.isOutdated: try self.holdAsUnknown(failure)
        case .notSent where terms.isOutdated && !self.mayBeApplied: try self.dissolve()
        case .accepted, .notSent, .stop: try self.repeatBytes()
        case .transient where isUsedUp:
            try self.refuse(Transition(.failed, .attemptsExhausted, failure), failure, dueAt: later)
        case .unknown where isUsedUp: try self.holdAsUnknown(failure)
        case .unknown, .transient: try self.repeatBytes(dueAt: later)
        }
    }

    /// Applies a definite refusal. A single member is finished. Of several members, the faulty one is unknown, so each goes into
    /// a delivery of its own. If the backend may have the members from an earlier attempt, a person decides.
    private func refuse(_ transition: Transition, _ failure: RemoteFailure, dueAt: Timestamp? = nil) throws {
        if self.mayBeApplied { return try self.holdAsUnknown(failure) }
        // A 4xx status proves that none of several members was applied.
        let isRefused = self.members.count > 1 && (400..<500).contains(failure.httpStatus ?? 0)
        if failure.isUnlisted, !isRefused { return try self.holdAsUnlisted(failure) }
        guard self.members.count == 1 else { return try self.dissolve(alone: true, dueAt: dueAt) }
        try self.close(as: .refused)
        for card in self.members { try self.finishMember(card, transition) }
    }

    /// Makes the delivery due again with the same bytes.
    private func repeatBytes(dueAt: Timestamp? = nil) throws {
        try self.tx.run(
            """
            UPDATE delivery SET worker = NULL, \(Wait.assigning(until: dueAt, from: self.tx.now)),
            changed_at = \(self.tx.now) WHERE id = \(self.id)
            """
        )
    }

    /// Ends a delivery that was surely not applied: its members return to `verified`.
    ///
    /// - Parameter alone: whether each member is sent in a delivery of its own from now on.
    func dissolve(alone: Bool = false, dueAt: Timestamp? = nil) throws {
        try self.close(as: .dissolved)
        for card in self.members { try self.returnToVerified(card, alone: alone, dueAt: dueAt) }
    }

    /// Holds the members after a code that no list has. The code may mean success, so the answer is stored until a list has it.
    private func holdAsUnlisted(_ failure: RemoteFailure) throws {
        try self.hold()
        for card in self.members {
            try self.store.deliveries.putAnswer(
                KeptAnswer(failure, isOfWhole: true),
                of: card,
                in: self.id,
                in: self.tx
            )
            try self.finishMember(card, Transition(refusal: failure))
        }
    }

    /// Holds the members because the backend may have them: a person decides, and the delivery can be sent again.
    func holdAsUnknown(_ failure: RemoteFailure) throws {
        try self.hold()
        for card in self.members { try self.holdAsUnknown(card, failure) }
    }

    private func hold() throws {
        try self.tx.run(
            """
            UPDATE delivery SET state = \(delivery: .kept), may_be_applied = 1, worker = NULL, due_at = NULL, changed_at = \(self.tx.now)
            WHERE id = \(self.id)
            """
        )
    }

    private func holdAsUnknown(_ card: CardID, _ failure: RemoteFailure) throws {
        var failure = failure
        // The message of an unlisted code asks to list it, which would not help once the outcome is unknown.
        let why: Message = failure.isUnlisted ? .textVerbatim(failure.code) : failure.message
        failure.message = .deliveryUnknown(card, why)
        try self.finishMember(card, Transition(.held, .outcomeUnknown, failure))
    }

    // MARK: Joint replies

    static let unnamed = RemoteFailure(.unknown, code: "not_in_reply", message: .deliveryNotInReply)

    /// Applies the backend's answer about one member.
    func apply(_ item: DeliveryItemOutcome, to card: CardID, retry: RetryTerms) throws {
        switch item {
        case .accepted:
            try self.markKnown(card)
            try self.deliver(card)
        case .rejected(let failure) where failure.isUnlisted && !self.mayBeApplied:
            try self.tx.run("UPDATE delivery SET may_be_applied = 1 WHERE id = \(self.id)")
            try self.store.deliveries.putAnswer(
                KeptAnswer(failure, isOfWhole: false),
                of: card,
                in: self.id,
                in: self.tx
            )
            try self.finishMember(card, Transition(refusal: failure))
        case .rejected(let failure) where !self.mayBeApplied:
            try self.markKnown(card)
            try self.finishMember(card, Transition(refusal: failure))
        case .notApplied(let failure) where !self.mayBeApplied:
            try self.markKnown(card)
            try self.requeue(card, for: failure, retry: retry)
        case .rejected(let failure), .notApplied(let failure), .unknown(let failure):
            try self.tx.run("UPDATE delivery SET may_be_applied = 1 WHERE id = \(self.id)")
            try self.holdAsUnknown(card, failure)
        }
    }

    /// Has a member that the backend does not accept now sent again after a back-off, until its attempts are used up. A refused
    /// TOKEN uses up no attempt.
    private func requeue(_ card: CardID, for failure: RemoteFailure, retry: RetryTerms) throws {
        guard let row = try self.member(card) else { return }
        let deliveries: SQL = "SELECT delivery FROM delivery_card WHERE card = \(card)"
        let isTransient = failure.failureClass == .transient
        let rule = isTransient ? AttemptRule.onceOthersPass(.deliver, after: .transient, except: deliveries) : .never
        let history = try row.history.adding(rule, in: self.tx)
        try self.tx.run("UPDATE card SET \(history.assignments) WHERE id = \(card)")
        if history.isUsedUp(by: retry.maxAttempts) {
            try self.finishMember(card, Transition(.failed, .attemptsExhausted, failure))
        } else {
            try self.returnToVerified(card, dueAt: self.tx.now.advanced(by: retry.delay))
        }
    }
}
