package import CardModel
import Foundation
import Glibc

// Photos that have a card, by their file or by the digest of their bytes.
extension SandboxIntake {
    /// Returns, for each listed file, its card under its number, if it is still the same file; `nil` for addresses. New metadata
    /// of the list amends the card, or brings a superseded photo back, without reading a byte of the file.
    ///
    /// A photo whose image could not be used left no bytes, so its file is read again.
    ///
    /// - Returns: also the numbers of the list that have no case yet.
    package func known(
        _ items: [Photo],
        of submitter: String,
        now: Timestamp
    ) async throws -> (cards: [Admitted?], newNumbers: Set<BusinessNumber>) {
        let (found, changed, new) = try await self.read { tx in
            let found = try items.map { try self.known($0, in: tx) }
            let changed = try items.indices.filter { index in
                try found[index].map { try self.changes($0, items[index], in: tx) } ?? false
            }
            let new = try Set(items.map(\.metadata.businessNumber)).filter { number in
                try !tx.exists("SELECT 1 FROM cases WHERE number = \(self.sandbox.stored(number, in: tx))")
            }
            return (found, changed, new)
        }
        guard !changed.isEmpty else { return (found, new) }
        let numbers = changed.map { items[$0].metadata.businessNumber }
        let outcomes = try await self.write(at: now, locking: numbers) { tx in
            var outcomes = found
            for index in changed {
                guard let card = found[index]?.card else { continue }
                let row = try CardRow.require(card, in: tx)
                let said = Said(metadata: items[index].metadata, name: items[index].name, submitter: submitter)
                outcomes[index] = try self.amend(row, with: said, in: tx)
            }
            return outcomes
        }
        return (outcomes, new)
    }

    /// Whether the metadata of a list may change a card.
    private func changes(_ outcome: Admitted, _ item: Photo, in tx: Transaction) throws -> Bool {
        // A list that names a superseded photo again may bring it back.
        if outcome.state == .superseded { return true }
        // Most lists state only the number; then nothing is unsealed.
        guard outcome.state != .erased, item.metadata != CardMetadata(businessNumber: item.metadata.businessNumber),
            let said = try? CardRow.require(outcome.card, in: tx).card(self.vault).metadata
        else { return false }
        return said.takingOver(item.metadata) != said
    }

    private func known(_ item: Photo, in tx: Transaction) throws -> Admitted? {
        guard let file = item.file else { return nil }
        let location = self.location(file.path)
        let number = try self.sandbox.stored(item.metadata.businessNumber, in: tx)
        return try tx.row(
            """
            SELECT card.id, card.state, card.reason FROM input JOIN card ON card.id = input.card
            WHERE input.location = \(location) AND input.number = \(number) AND input.device = \(Int64(bitPattern: file.device))
            AND input.inode = \(Int64(bitPattern: file.inode)) AND input.size = \(file.size)
            AND input.modified = \(file.modifiedNanoseconds) AND input.changed = \(file.changedNanoseconds)
            AND (card.state <> \(literal: .rejected) OR card.prepared IS NOT NULL)
            """
        ) { try Admitted(known: &$0) }
    }

    /// Whether a photo need not be prepared: a card of its number has an image of these source bytes, or the request that
    /// brings it was answered before.
    package func knows(
        _ source: ContentDigest,
        number: BusinessNumber,
        receipt: Receipt? = nil,
        from submitter: String,
        sentBy sender: String
    ) async throws -> Bool {
        let source = self.vault.fingerprint(source.bytes, .source)
        return try await self.read { tx in
            if let receipt, try self.outcome(of: receipt, from: sender, in: tx) != nil { return true }
            let number = try self.sandbox.stored(number, in: tx)
            let same = try self.firstCard(of: number, where: "card.source = \(source)", for: submitter, in: tx)
            guard let same else { return false }
            // The image of a delivered card may be gone, and is not needed.
            return try same.state == .delivered || self.records.hasImage(same.id, in: tx)
        }
    }

    /// Returns the files that a card was imported from, as they were then, with the name that its submitter gave: for the
    /// process that knows their folder, and for no output. Empty if none is known.
    package func files(of card: CardID) async throws -> [FileIdentity] {
        try await self.read { tx in
            guard let row = try CardRow.fetch(card, in: tx), let key = try? row.key(self.vault),
                let name = self.records.inputName(of: row, key: key)
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
}
