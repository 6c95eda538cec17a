package import CardModel
import Foundation

/// A photo on its way into the store: its image prepared, or refused already.
package struct Admission: Sendable {
    /// What intake made of the source bytes.
    package enum Content: Sendable {
        /// The card starts as `prepared`.
        case prepared(PreparedImage)
        /// The image cannot be used: the card starts, and ends, as `rejected`.
        case refused(CodedError)
    }

    /// The identifier of the card, if it is new.
    package var id: CardID
    /// The name by which reports speak of the input.
    package var name: Redacted<String>
    /// What the sender said.
    package var metadata: CardMetadata
    /// Who sends it.
    package var submitter: String
    /// The SHA-256 of the source bytes: with the business number, what makes two inputs the same card.
    package var source: ContentDigest
    /// The file it came from, if any.
    package var file: FileIdentity?
    /// What intake made of it.
    package var content: Content
    /// Until when it waits for the other side; the time of intake for cards of a list.
    package var waitsUntil: Timestamp

    /// Describes a photo.
    package init(
        id: CardID,
        name: Redacted<String>,
        metadata: CardMetadata,
        submitter: String,
        source: ContentDigest,
        file: FileIdentity?,
        content: Content,
        waitsUntil: Timestamp
    ) {
        self.id = id
        self.name = name
        self.metadata = metadata
        self.submitter = submitter
        self.source = source
        self.file = file
        self.content = content
        self.waitsUntil = waitsUntil
    }
}

/// What became of a photo that was to be taken in.
package struct AdmissionOutcome: Hashable, Sendable {
    /// The card: the new one, or the one that holds the same bytes under the same number.
    package var card: CardID
    /// Where it stands now.
    package var state: CardState
    /// Why it stands there.
    package var reason: ReasonCode?
    /// Whether it was there already.
    package var isDuplicate: Bool
}

/// A file that a list names, before it is read.
package struct ListedFile: Sendable {
    /// The file as it was when it was listed.
    package var file: FileIdentity
    /// The name by which reports speak of it.
    package var name: Redacted<String>
    /// What the list says of it.
    package var metadata: CardMetadata
    /// Who lists it.
    package var submitter: String

    /// Describes a file.
    package init(file: FileIdentity, name: Redacted<String>, metadata: CardMetadata, submitter: String) {
        self.file = file
        self.name = name
        self.metadata = metadata
        self.submitter = submitter
    }
}

// MARK: Intake

extension CardStore {
    /// Returns, for each file, the card that it was taken in as under its number, if it is still the same file; what the list
    /// says now amends it, or brings a replaced photo back, without reading a byte.
    ///
    /// A photo whose image could not be used left no bytes, so its file is read again.
    package func known(_ files: [ListedFile], now: Timestamp) async throws -> [AdmissionOutcome?] {
        try await Self.translating {
            let (found, changed) = try await self.database.read { tx in
                let found = try files.map { try self.known($0.file, number: $0.metadata.businessNumber, in: tx) }
                let changed = try files.indices.filter { index in
                    try found[index].map { try self.changes($0, files[index], in: tx) } ?? false
                }
                return (found, changed)
            }
            guard !changed.isEmpty else { return found }
            let numbers = Set(changed.map { files[$0].metadata.businessNumber.rawValue }).sorted()
            let amended = try await self.database.write(locking: numbers) { tx in
                try changed.compactMap { index -> (Int, AdmissionOutcome)? in
                    guard let card = found[index]?.card else { return nil }
                    let row = try CardRow.require(card, in: tx)
                    return (index, try self.amend(row, with: SentAgain(files[index]), now: now, in: tx))
                }
            }
            var outcomes = found
            for (index, outcome) in amended { outcomes[index] = outcome }
            return outcomes
        }
    }

    /// Whether what a list says now may change a card.
    private func changes(_ outcome: AdmissionOutcome, _ file: ListedFile, in tx: Transaction) throws -> Bool {
        if outcome.state == .superseded { return true }
        // Most lists say nothing but the number, and then nothing is opened.
        guard outcome.state != .erased, file.metadata != CardMetadata(businessNumber: file.metadata.businessNumber),
            let said = try? CardRow.require(outcome.card, in: tx).card(self.vault).metadata
        else { return false }
        return said.takingOver(file.metadata) != said
    }

    private func known(_ file: FileIdentity, number: BusinessNumber, in tx: Transaction) throws -> AdmissionOutcome? {
        let place = self.place(file)
        return try tx.row(
            """
            SELECT card.id, card.state, card.reason FROM input JOIN card ON card.id = input.card
            WHERE input.place = \(place) AND input.number = \(number) AND input.device = \(Int64(bitPattern: file.device))
            AND input.inode = \(Int64(bitPattern: file.inode)) AND input.size = \(file.size)
            AND input.modified = \(file.modifiedNanoseconds)
            AND (card.state <> 'rejected' OR EXISTS (SELECT 1 FROM blob WHERE blob.card = card.id AND blob.kind = 'image'))
            """
        ) { row in
            AdmissionOutcome(card: try row.next(), state: try row.next(), reason: try row.next(), isDuplicate: true)
        }
    }

    private func place(_ file: FileIdentity) -> Data {
        self.vault.fingerprint(Data(file.path.reveal().utf8), .place)
    }

    /// Takes photos in by one commit: all of one number in a list, so that nobody ever sees half of an application.
    ///
    /// - Returns: an outcome for each, in their order. Same bytes under the same number are the card that is there; what its
    ///   submitter says now amends it while no delivery holds it.
    package func admit(_ photos: [Admission], now: Timestamp) async throws -> [AdmissionOutcome] {
        let byteCount = photos.reduce(0) { sum, photo in
            guard case .prepared(let image) = photo.content else { return sum }
            return sum + image.jpeg.count
        }
        let numbers = Set(photos.map(\.metadata.businessNumber.rawValue)).sorted()
        return try await Self.translating {
            try await self.database.write(locking: numbers, byteCount: byteCount) { tx in
                try photos.map { try self.admit($0, now: now, in: tx) }
            }
        }
    }

    private func admit(_ photo: Admission, now: Timestamp, in tx: Transaction) throws -> AdmissionOutcome {
        let number = photo.metadata.businessNumber
        let source = self.vault.fingerprint(photo.source.bytes, .source)
        let same: CardID? = try tx.value("SELECT id FROM card WHERE number = \(number) AND source = \(source)")
        if let same {
            let row = try CardRow.require(same, in: tx)
            let outcome = try self.amend(row, with: SentAgain(photo), now: now, in: tx)
            try self.remember(photo, as: same, in: tx)
            return outcome
        }
        let submitter = try self.firstSubmitter(of: photo, in: tx)
        let outcome = try self.insert(photo, source: source, isForeign: submitter != photo.submitter, now: now, in: tx)
        try self.remember(photo, as: outcome.card, in: tx)
        return outcome
    }

    /// A number belongs to whoever sent its first card, erased cards included.
    private func firstSubmitter(of photo: Admission, in tx: Transaction) throws -> String {
        let number = photo.metadata.businessNumber
        if let submitter: String = try tx.value("SELECT submitter FROM application WHERE number = \(number)") {
            return submitter
        }
        try tx.run("INSERT INTO application (number, submitter) VALUES (\(number), \(photo.submitter))")
        return photo.submitter
    }

    private func insert(
        _ photo: Admission,
        source: Data,
        isForeign: Bool,
        now: Timestamp,
        in tx: Transaction
    ) throws -> AdmissionOutcome {
        let start = Self.start(of: photo, isForeign: isForeign)
        let metadata = photo.metadata
        guard let order: Int64 = try tx.value("SELECT next_order FROM store") else { throw Vault.unopenable("store") }
        try tx.run("UPDATE store SET next_order = \(order + 1)")
        try tx.run(
            """
            INSERT INTO card (id, state, number, submitter, expected_side, intake_order, priority, source, reason, waits_until,
            created_at, changed_at)
            VALUES (\(photo.id), \(start.to), \(metadata.businessNumber), \(photo.submitter), \(metadata.side), \(order),
            \(metadata.priority), \(source), \(start.reason), \(photo.waitsUntil), \(now), \(now))
            """
        )
        let key = try self.vault.makeKey(of: photo.id, in: tx)
        let message = try start.message.map { try key.seal(json: $0, column: CardRow.messageColumn) }
        let sealed = try key.seal(json: SealedMetadata(metadata, inputName: photo.name), column: SealedMetadata.column)
        try tx.run("UPDATE card SET message = \(message), metadata = \(sealed) WHERE id = \(photo.id)")
        if case .prepared(let image) = photo.content { try self.put(image, of: photo.id, key: key, in: tx) }
        try start.note(sealed: message, now: now, in: tx)
        try self.raisePriority(of: metadata.businessNumber, to: metadata.priority, in: tx)
        return AdmissionOutcome(card: photo.id, state: start.to, reason: start.reason, isDuplicate: false)
    }

    /// A number is decided as early as the most urgent of its cards asks for.
    func raisePriority(of number: BusinessNumber, to priority: Int, in tx: Transaction) throws {
        try tx.run("UPDATE application SET priority = \(priority) WHERE number = \(number) AND priority < \(priority)")
    }

    private static func start(of photo: Admission, isForeign: Bool) -> Transition {
        switch photo.content {
        case .refused(let error):
            Transition(photo.id, from: .received, to: .rejected, reason: error.code, message: error.message)
        case .prepared where isForeign:
            Self.holdForeign(photo.id, from: .received)
        case .prepared: Transition(photo.id, from: .received, to: .prepared)
        }
    }

    static func holdForeign(_ card: CardID, from state: CardState) -> Transition {
        Transition(
            card,
            from: state,
            to: .held,
            reason: .submitterConflict,
            message: """
                somebody else sent the first card of this business number; look at the card, then accept or reject it: \
                idcard-pipeline cards resolve \(card.rawValue) --as accept
                """
        )
    }

    /// Notes where a photo came from, so that the same file is not read again.
    private func remember(_ photo: Admission, as card: CardID, in tx: Transaction) throws {
        guard let file = photo.file else { return }
        try tx.run(
            """
            INSERT INTO input (place, number, card, device, inode, size, modified)
            VALUES (\(self.place(file)), \(photo.metadata.businessNumber), \(card), \(Int64(bitPattern: file.device)),
            \(Int64(bitPattern: file.inode)), \(file.size), \(file.modifiedNanoseconds))
            ON CONFLICT (place, number) DO UPDATE SET card = excluded.card, device = excluded.device, inode = excluded.inode,
            size = excluded.size, modified = excluded.modified
            """
        )
    }
}
