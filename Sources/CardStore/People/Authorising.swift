package import CardModel

// Who may do what is asked where it is done, in the same transaction, for every face alike.
extension CardStore {
    /// Fetches a card to which somebody wants to do something.
    ///
    /// - Parameter origin: loses a purpose that names the holder, if its caller may not know that it does.
    /// - Throws: `not_found`, for another's card too; `scope_missing`; `purpose_personal`.
    func row(_ id: CardID, for action: AccessAction, by origin: inout AccessOrigin, in tx: Transaction) throws
        -> CardRow
    {
        let row = try self.row(id, for: action, by: origin.caller, in: tx)
        guard let caller = origin.caller, self.isHolderNamed(in: origin.purpose, row, in: tx) else { return row }
        // Only who may see a name is told that it is the name.
        if caller.may(.reveal, on: row.submitter) { throw AccessOrigin.personal }
        origin = AccessOrigin(caller: caller, origin.actor, "(hidden)")
        return row
    }

    /// Fetches a card which somebody wants to see.
    func row(_ id: CardID, for action: AccessAction, by caller: Caller?, in tx: Transaction) throws -> CardRow {
        guard let row = try CardRow.fetch(id, in: tx), row.beside == nil else { throw CardRow.missing(id) }
        guard let caller else { return row }
        guard caller.sees(row.submitter) else { throw CardRow.missing(id) }
        guard caller.has(action.scopes) else { throw Self.scopeMissing(action) }
        // Who audits sees that it is there.
        guard caller.may(action, on: row.submitter) else { throw Self.scopeMissing(.decide) }
        return row
    }

    static func scopeMissing(_ action: AccessAction) -> CodedError {
        CodedError(.scopeMissing, .usage, .accessScopeMissing(action.scopes.map(\.rawValue)))
    }

    /// Whether a text holds a name, number, birth date or address that the card is known to be of.
    private func isHolderNamed(in text: String, _ row: CardRow, in tx: Transaction) -> Bool {
        let expected = try? row.card(self.vault).metadata
        let fields = row.hasKey ? (try? self.storedReading(of: row, in: tx))?.reading.fields : nil
        let numbers = [expected?.expectedIDNumber, fields?.number].compactMap { $0?.reveal() }
        let others = [expected?.expectedName, fields?.name, fields?.birthDate, fields?.address].compactMap {
            $0?.reveal()
        }
        let letters = text.lettersAndDigits
        return (numbers.map { String($0.suffix(8)) } + others).map(\.lettersAndDigits)
            .contains { $0.count > 1 && letters.contains($0) }
    }

    /// Notes in the access log that somebody asked for what is personal of a card and did not get it; without the purpose,
    /// which would be a way to write into the log.
    package func noteDenied(_ id: CardID, to origin: AccessOrigin, now: Timestamp) async throws {
        let origin = AccessOrigin(caller: origin.caller, origin.actor, nil)
        try await self.write(at: now) { tx in
            // For a card that is not there, too: the time must not tell which there are.
            let card = try CardRow.fetch(id, in: tx)?.id
            try AccessLog.append(.revealDenied, of: [card], by: origin, vault: self.vault, in: tx)
        }
    }
}
