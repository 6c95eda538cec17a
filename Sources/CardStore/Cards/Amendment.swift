import CardModel
import Foundation

/// What a sender says once more about bytes that are there.
struct SentAgain {
    let metadata: CardMetadata
    let name: Redacted<String>?
    let submitter: String
    /// What there is of the photo; `nil` for a file that was not read.
    let content: Admission.Content?

    init(_ photo: Admission) {
        self.metadata = photo.metadata
        self.name = photo.name
        self.submitter = photo.submitter
        self.content = photo.content
    }

    init(_ file: ListedFile) {
        self.metadata = file.metadata
        self.name = file.name
        self.submitter = file.submitter
        self.content = nil
    }

    /// A card whose image, fetched, is that of another card.
    init(_ card: Card, name: Redacted<String>?, source: Data) {
        self.metadata = card.metadata
        self.name = name
        self.submitter = card.submitter
        self.content = .received(source)
    }
}

// What a sender says once more about bytes that are there: de-duplication with amended metadata.
extension CardStore {
    /// Amends a card with what its own submitter says of the same bytes now, and gives it an image if it had none.
    ///
    /// - Returns: the card as the answer.
    func amend(_ row: CardRow, with photo: SentAgain, now: Timestamp, in tx: Transaction) throws -> AdmissionOutcome {
        let unchanged = AdmissionOutcome(card: row.id, state: row.state, reason: row.reason, isDuplicate: true)
        // One that does not open stays as it is: it must not stop a list.
        guard row.submitter == photo.submitter, try self.mayBeAmended(row, in: tx),
            let key = try? row.key(self.vault), let said = try? row.card(self.vault).metadata
        else { return unchanged }
        let metadata = said.takingOver(photo.metadata)
        if metadata != said {
            try self.store(metadata, of: row, name: photo.name, key: key, in: tx)
            // It may have waited for just this: a user account.
            try Transition.markForDecision(row.number, in: tx)
        }
        // Whoever verifies it at this moment finds what changed, and has it judged again.
        guard row.worker == nil,
            let transition = try self.beginning(row, with: photo, said: said, metadata: metadata, in: tx)
        else { return unchanged }
        if let content = photo.content, try !self.hasImage(row.id, in: tx) {
            try self.dropSource(of: row.id, in: tx)
            try self.put(content, of: row.id, key: key, in: tx)
        }
        try transition.perform(
            also: ", side = NULL, failures = 0, tries = 0, failed_at = NULL, due_at = NULL",
            number: row.number,
            key: key,
            now: now,
            in: tx
        )
        if row.reason == .memberMismatch { try self.releaseMismatched(of: row.number, now: now, in: tx) }
        return AdmissionOutcome(card: row.id, state: transition.to, reason: transition.reason, isDuplicate: true)
    }

    /// Once one card of a mismatched form is corrected, the others go again, too.
    private func releaseMismatched(of number: BusinessNumber, now: Timestamp, in tx: Transaction) throws {
        let cards: [CardID] = try tx.rows(
            "SELECT id FROM card WHERE number = \(number) AND state = 'held' AND reason = \(ReasonCode.memberMismatch)"
        ) { try $0.next() }
        for card in cards {
            try Transition(card, from: .held, to: .verified).perform(number: number, key: nil, now: now, in: tx)
        }
    }

    /// How a card that is sent again begins once more; `nil` if it stays where it is.
    private func beginning(
        _ row: CardRow,
        with photo: SentAgain,
        said: CardMetadata,
        metadata: CardMetadata,
        in tx: Transaction
    ) throws -> Transition? {
        let again = Transition(row.id, from: row.state, to: .prepared)
        guard try self.hasImage(row.id, in: tx) else {
            // One whose bytes are still to be prepared goes on as it is, unless they come prepared now.
            guard let start = photo.content?.start, start == .prepared || !row.state.isRunnable, row.state != .failed
            else { return nil }
            let again = Transition(row.id, from: row.state, to: start)
            let owner: String? = try tx.value("SELECT submitter FROM application WHERE number = \(row.number)")
            return owner == row.submitter ? again : Self.holdForeign(row.id, from: row.state)
        }
        if row.state == .superseded { return try self.isReplaced(row, in: tx) ? nil : again }
        switch row.reason {
        // Whose card it is, new metadata does not say.
        case .submitterConflict, .holderConflict: return nil
        case .memberMismatch: return metadata.userNumber != said.userNumber ? again : nil
        default: return row.state != .prepared && metadata.changesVerdict(from: said) ? again : nil
        }
    }

    /// Whether no delivery holds it, no person decided on it, and the backend surely lacks it and has no part in why it is held.
    private func mayBeAmended(_ row: CardRow, in tx: Transaction) throws -> Bool {
        switch row.state {
        case .fetching, .received, .prepared, .verified, .superseded: break
        case .rejected: guard row.reason != .rejectedByOperator else { return false }
        case .held: guard row.reason != .restored, row.reason != .retcodeUnlisted else { return false }
        // One that failed once it was in a delivery is a person's to do again.
        case .failed: return try !tx.exists("SELECT 1 FROM delivery_card WHERE card = \(row.id)")
        case .delivering, .delivered, .erased: return false
        }
        return try !self.mayBeAtBackend(row.id, in: tx)
    }

    /// Whether a delivery it was ever a member of has an attempt that may have been applied.
    func mayBeAtBackend(_ card: CardID, in tx: Transaction) throws -> Bool {
        try tx.exists(
            """
            SELECT 1 FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
            WHERE delivery_card.card = \(card) AND delivery_card.undecided = 1 AND delivery.may_be_applied = 1
            """
        )
    }

    func hasImage(_ card: CardID, in tx: Transaction) throws -> Bool {
        try tx.exists("SELECT 1 FROM blob WHERE card = \(card) AND kind = 'image'")
    }

    /// Whether a newer photo of its side was delivered, or may still be.
    func isReplaced(_ row: CardRow, in tx: Transaction) throws -> Bool {
        try self.isReplaced(
            row,
            by: [.fetching, .received, .prepared, .verified, .delivering, .held, .delivered],
            in: tx
        )
    }

    func isReplaced(_ row: CardRow, by states: [CardState], in tx: Transaction) throws -> Bool {
        guard let side = row.anySide else { return false }
        let delivered: Int64? = try tx.value(
            side == .front
                ? "SELECT coalesce(front_delivered, 0) FROM application WHERE number = \(row.number)"
                : "SELECT coalesce(back_delivered, 0) FROM application WHERE number = \(row.number)"
        )
        if (delivered ?? 0) > row.order { return true }
        return try tx.exists(
            """
            SELECT 1 FROM card WHERE number = \(row.number) AND intake_order > \(row.order)
            AND coalesce(side, expected_side, \(side)) = \(side)
            AND state IN \(list: states) AND NOT (state = 'held' AND reason = 'submitter_conflict')
            """
        )
    }

    private func store(
        _ metadata: CardMetadata,
        of row: CardRow,
        name: Redacted<String>?,
        key: CardKey,
        in tx: Transaction
    ) throws {
        let sealed = try key.seal(json: SealedMetadata(metadata, inputName: name), column: SealedMetadata.column)
        try tx.run(
            """
            UPDATE card SET metadata = \(sealed), expected_side = \(metadata.side), priority = \(metadata.priority)
            WHERE id = \(row.id)
            """
        )
        try self.raisePriority(of: row.number, to: metadata.priority, in: tx)
    }
}
