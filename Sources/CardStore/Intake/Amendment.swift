import CardModel

// De-duplication: known bytes that a submitter sends again, with amended metadata.

/// The new statement about a photo that has a card.
struct Said {
    let metadata: CardMetadata
    let name: Redacted<String>?
    let submitter: String
    /// The content of the photo; `nil` for a file that was not read.
    var content: NewCard.Content?
}

extension NewCard {
    var said: Said { Said(metadata: self.metadata, name: self.name, submitter: self.submitter, content: self.content) }
}

extension SandboxIntake {
    /// Amends a card with its own submitter's new metadata for the same bytes, and gives it an image if it had none.
    func amend(_ row: CardRow, with new: Said, in tx: Transaction) throws -> Admitted {
        let unchanged = Admitted(known: row)
        // A card that cannot be unsealed is unchanged: it must not stop a list.
        guard row.submitter == new.submitter, let key = try? row.key(self.vault),
            let said = try? row.card(self.vault).metadata
        else { return unchanged }
        guard !row.isAccepted, try Decision.about(row.id, in: tx) == nil else { return unchanged }
        // A card that a person let in beside another submitter's gets no new metadata, only a missing image.
        let wasLetIn = try self.wasLetIn(row, in: tx)
        guard try !wasLetIn || row.state == .rejected && !self.records.hasImage(row.id, in: tx) else {
            return unchanged
        }
        let metadata = wasLetIn ? said : said.takingOver(new.metadata)
        // A card that never reached the backend leaves its delivery, and goes with the new metadata.
        if row.state == .delivering, metadata != said, try self.sandbox.deliveries.dissolveUnapplied(row, in: tx) {
            return try self.amend(CardRow.require(row.id, in: tx), with: new, in: tx)
        }
        guard try self.mayBeAmended(row, in: tx) else { return unchanged }
        if metadata != said { try self.store(metadata, inputName: new.name, of: row, saying: said, key: key, in: tx) }
        // A worker that verifies the card at this moment finds the change, and has it judged again.
        guard row.worker == nil,
            let transition = try self.restart(row, with: new.content, said: said, metadata: metadata, in: tx)
        else { return unchanged }
        if let content = new.content, try !self.records.hasImage(row.id, in: tx) {
            try self.records.dropSource(of: row.id, in: tx)
            try self.put(content, of: row.id, key: key, in: tx)
        }
        try self.records.move(row, transition, also: ", side = NULL, \(Transition.fresh)", in: tx)
        if row.reason == .memberMismatch { try self.releaseMismatched(of: row.number, in: tx) }
        return Admitted(card: row.id, state: transition.to, reason: transition.reason, isDuplicate: true)
    }

    /// Stores new metadata of a card that said `said` before.
    private func store(
        _ metadata: CardMetadata,
        inputName: Redacted<String>?,
        of row: CardRow,
        saying said: CardMetadata,
        key: CardKey,
        in tx: Transaction
    ) throws {
        // The event shows in the history of the card that it was amended; one that is fetched beside another has none yet.
        if row.beside == nil {
            try self.records.log(Transition(row.state, .amended), from: row.state, of: row.id, sealed: nil, in: tx)
        }
        let sealed = try key.seal(json: SealedMetadata(metadata, inputName: inputName), column: .cardMetadata)
        try tx.run(
            """
            UPDATE card SET metadata = \(sealed), expected_side = \(metadata.side), priority = \(metadata.priority)
            WHERE id = \(row.id)
            """
        )
        try self.raisePriority(of: row.number, to: metadata.priority, for: row.submitter, in: tx)
        var important = metadata
        important.priority = said.priority
        guard important != said else { return }
        // The card may have waited for a user account, and must not expire as if it still did.
        try self.records.forgetReasons("id = \(row.id) AND reason = \(ReasonCode.userNumberMissing)", in: tx)
        try Transition.markForDecision(row.number, isIgnored: row.isIgnored, in: tx)
    }

    /// Returns the other cards of a mismatched form to `verified` once one of them is corrected.
    private func releaseMismatched(of number: BusinessNumber, in tx: Transaction) throws {
        let held: SQL =
            "state = \(literal: .held) AND reason = \(ReasonCode.memberMismatch) AND NOT \(Decision.holdsCard)"
        for row in try CardRow.all("WHERE number = \(number) AND \(held)", in: tx) {
            try self.records.move(row, Transition(.verified), in: tx)
        }
    }

    /// The transition with which a card that is sent again restarts; `nil` if it does not.
    private func restart(
        _ row: CardRow,
        with content: NewCard.Content?,
        said: CardMetadata,
        metadata: CardMetadata,
        in tx: Transaction
    ) throws -> Transition? {
        // Only a person lets it in.
        if row.state == .held, row.reason == .caseRejected || row.reason == .businessNumberPersonal { return nil }
        let again = Transition(.prepared)
        guard try self.records.hasImage(row.id, in: tx) else {
            // A card whose bytes await preparation continues as it is, unless they come prepared now.
            guard let start = content?.start, start.to != .rejected,
                start.to == .prepared || !row.state.isRunnable, row.state != .failed
            else { return nil }
            let owner: String? = try tx.value("SELECT submitter FROM cases WHERE number = \(row.number)")
            guard owner == row.submitter else { return Self.holdForeign(row.id) }
            return try self.isCaseEnded(row.number, in: tx) ? Self.holdLate(row.id) : start
        }
        if row.state == .superseded { return try self.records.isReplaced(row, in: tx) ? nil : again }
        switch row.reason {
        // New metadata cannot resolve a dispute about submitter or holder.
        case .submitterConflict, .holderConflict: return nil
        case .memberMismatch: return metadata.userNumber != said.userNumber ? again : nil
        default: return row.state != .prepared && metadata.changesVerdict(from: said) ? again : nil
        }
    }

    /// Whether a person let it in beside the cards of the number's first submitter.
    private func wasLetIn(_ row: CardRow, in tx: Transaction) throws -> Bool {
        let wasForeign: SQL = "SELECT 1 FROM event WHERE card = \(row.id) AND reason = \(ReasonCode.submitterConflict)"
        return try row.reason != .submitterConflict && tx.exists(wasForeign)
    }

    /// Whether the card is outside any delivery, surely missing at the backend, and not held because of the backend.
    private func mayBeAmended(_ row: CardRow, in tx: Transaction) throws -> Bool {
        guard try !self.sandbox.decisions.isEnded(row, in: tx) else { return false }
        switch row.state {
        case .fetching, .received, .prepared, .verified, .superseded: break
        case .rejected:
            // Of what a person returns, other metadata changes only a mismatch.
            let isMismatch = row.reason == RetakeReason.mismatch.code
            guard isMismatch || row.reason.map(ReasonCode.byPerson.contains) != true else { return false }
        case .held: guard row.reason != .restored, row.reason != .retcodeUnlisted else { return false }
        // Only a person retries a card that failed after it was in a delivery.
        case .failed: return try !tx.exists("SELECT 1 FROM delivery_card WHERE card = \(row.id)")
        case .delivering, .delivered, .erased: return false
        }
        return try !self.records.mayBeAtBackend(row.id, in: tx)
    }
}
