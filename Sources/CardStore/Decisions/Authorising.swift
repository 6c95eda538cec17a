package import CardModel

// Permissions are checked in the transaction of the action, for commands, HTTP and pages alike.
extension SandboxDecisions {
    /// Fetches a card for an action of a caller.
    ///
    /// - Parameter origin: gets a hidden purpose if that names the holder and the caller may not know that it does.
    /// - Throws: `not_found`, for another's card too; `scope_missing`; `purpose_personal`.
    func row(_ id: CardID, for action: AccessAction, by origin: inout AccessOrigin, in tx: Transaction) throws
        -> CardRow
    {
        let row = try self.row(id, for: action, by: origin.caller, in: tx)
        guard let caller = origin.caller, self.isHolderNamed(in: origin.purpose, row, in: tx) else { return row }
        // Only a caller that may see the name learns that the purpose contains it.
        if caller.may(.reveal, on: row.submitter) { throw AccessOrigin.personal }
        origin = AccessOrigin(caller: caller, origin.actor, "(hidden)")
        return row
    }

    /// Fetches a card after a check of the caller's permission.
    func row(_ id: CardID, for action: AccessAction, by caller: Caller?, in tx: Transaction) throws -> CardRow {
        guard let row = try CardRow.fetch(id, in: tx), row.beside == nil else { throw CardRow.missing(id) }
        guard let caller else { return row }
        guard caller.sees(row.submitter) else { throw CardRow.missing(id) }
        guard caller.has(action.scopes) else { throw Self.scopeMissing(action) }
        // A caller that only audits may know that the card is there.
        guard caller.may(action, on: row.submitter) else { throw Self.scopeMissing(.decide) }
        return row
    }

    static func scopeMissing(_ action: AccessAction) -> CodedError {
        CodedError(.scopeMissing, .usage, .accessScopeMissing(action.scopes.map(\.rawValue)))
    }

    /// Whether a text holds a known name, number, birth date or address of the card's holder.
    private func isHolderNamed(in text: String, _ row: CardRow, in tx: Transaction) -> Bool {
        let expected = try? row.card(self.vault).metadata
        let fields = row.hasKey ? (try? self.records.storedReading(of: row, in: tx))?.reading.fields : nil
        let numbers = [expected?.expectedIDNumber, fields?.number].compactMap { $0?.reveal() }
        let others = [expected?.expectedName, fields?.name, fields?.birthDate, fields?.address].compactMap {
            $0?.reveal()
        }
        let letters = text.lettersAndDigits
        return (numbers.map { String($0.suffix(8)) } + others).map(\.lettersAndDigits)
            .contains { $0.count > 1 && letters.contains($0) }
    }

    /// Writes to the access log that a caller was refused the personal values of a card; without the purpose, by which the
    /// caller could write into the log.
    package func logDenied(_ id: CardID, to origin: AccessOrigin, now: Timestamp) async throws {
        let origin = AccessOrigin(caller: origin.caller, origin.actor, nil)
        try await self.write(at: now) { tx in
            // For a missing card, too: the time of an answer must not reveal which cards there are.
            let card = try CardRow.fetch(id, in: tx)?.id
            try AccessLog.append(.revealDenied, of: [card], by: origin, vault: self.vault, in: tx)
        }
    }
}
