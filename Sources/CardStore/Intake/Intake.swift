package import CardModel
import Foundation

extension SandboxIntake {
    /// Admits photos in one commit: all of one number in a list, so that half of a case is never visible.
    ///
    /// - Parameter singly: whether they come one by one: then each number has a limit of photos in progress.
    /// - Returns: an outcome for each, in their order. Same bytes under the same number are the existing card; new metadata of
    ///   its submitter amends it while no delivery holds it.
    package func admit(_ photos: [NewCard], singly: Bool = false, now: Timestamp) async throws -> [Admitted] {
        var byteCount = 0
        for photo in photos {
            switch photo.content {
            case .prepared(let image):
                byteCount += image.jpeg.count
                // Cached before the commit: a stage may claim the cards as soon as it is done.
                self.sandbox.preparedImages.insert(image, of: photo.id, isShrunk: false)
            case .received(let source): byteCount += source.count
            case .remote, .refused: break
            }
        }
        let numbers = photos.map(\.metadata.businessNumber)
        var kept: Set<CardID> = []
        defer { self.sandbox.preparedImages.drop(photos.map(\.id).filter { !kept.contains($0) }) }
        let outcomes = try await self.write(at: now, locking: numbers, byteCount: byteCount, usesReserve: false) { tx in
            try photos.map { try self.admit($0, singly: singly, in: tx) }
        }
        kept = Set(outcomes.filter { $0.state == .prepared }.map(\.card))
        return outcomes
    }

    private func admit(_ photo: NewCard, singly: Bool, in tx: Transaction) throws -> Admitted {
        if let receipt = photo.receipt, let known = try self.outcome(of: receipt, from: photo.sentBy, in: tx) {
            return known
        }
        var photo = photo
        let number = photo.metadata.businessNumber
        photo.metadata.businessNumber = try self.sandbox.stored(number, in: tx)
        if photo.metadata.businessNumber.isDigest { photo.metadata.givenNumber = Redacted(number.rawValue) }
        let source = photo.source.map { self.vault.fingerprint($0.bytes, .source) }
        let outcome: Admitted
        let owner = try self.firstSubmitter(of: photo, in: tx)
        if let row = try self.sameCard(as: photo, source: source, in: tx) {
            guard row.isKnown(to: photo.submitter, sentBy: photo.sentBy) else {
                throw CodedError(.submitterConflict, .conflict, .cardOfOtherSubmitter)
            }
            if try owner == photo.submitter && self.mayBeRetaken(row, by: photo, in: tx) {
                outcome = try self.fetchAgain(photo, beside: row, in: tx)
            } else {
                outcome = try self.amend(row, with: photo.said, in: tx)
                if photo.isOfRequest { try self.requireTakenOver(photo, by: outcome, in: tx) }
            }
        } else {
            if singly { try self.requireFewOpen(of: photo.metadata.businessNumber, from: photo.submitter, in: tx) }
            outcome = try self.insert(photo, source: source, isForeign: owner != photo.submitter, in: tx)
        }
        try self.remember(photo, as: outcome.card, in: tx)
        if let receipt = photo.receipt { try self.remember(receipt, of: photo, as: outcome.card, in: tx) }
        return outcome
    }

    /// Refuses a request for known bytes whose other metadata the existing card can no longer take over.
    private func requireTakenOver(_ photo: NewCard, by outcome: Admitted, in tx: Transaction) throws {
        guard outcome.state != .erased else { return }
        let card = try CardRow.require(outcome.card, in: tx).shown(self.vault)
        guard card.submitter == photo.submitter, card.metadata.takingOver(photo.metadata) != card.metadata else {
            return
        }
        throw CardUnderway(card: card.id, state: card.state)
    }

    /// The existing card of a photo: by its bytes, or by its address before it is fetched.
    private func sameCard(as photo: NewCard, source: Data?, in tx: Transaction) throws -> CardRow? {
        let (number, submitter) = (photo.metadata.businessNumber, photo.submitter)
        guard let source else {
            guard let location = self.location(of: photo) else { return nil }
            let known: SQL = "card.id = (SELECT card FROM input WHERE location = \(location) AND number = \(number))"
            return try self.firstCard(of: number, where: known, for: submitter, in: tx)
        }
        let known = try self.firstCard(of: number, where: "card.source = \(source)", for: submitter, in: tx)
        guard known == nil, case .prepared(let image) = photo.content else { return known }
        return try self.firstCard(of: number, where: self.isSame(image, photo.metadata.side), for: submitter, in: tx)
    }

    /// Selects cards with the same prepared image and no different side as far as known; what a viewer changed in the file beside
    /// the image does not count.
    func isSame(_ image: PreparedImage, _ side: CardSide?) -> SQL {
        """
        card.prepared = \(self.vault.fingerprint(image.digest.bytes, .prepared))
        AND (CAST(\(side) AS TEXT) IS NULL OR coalesce(card.side, card.expected_side, \(side)) = \(side))
        """
    }

    /// The oldest card of a number that meets a condition, a submitter's own first. The number's owner does not find cards of
    /// others that no person let in; another submitter may find a card that is not its own.
    func firstCard(of number: BusinessNumber, where condition: SQL, for submitter: String, in tx: Transaction)
        throws -> CardRow?
    {
        let owner: String? = try tx.value("SELECT submitter FROM cases WHERE number = \(number)")
        let inTurn: SQL = "ORDER BY card.submitter <> \(submitter), card.intake_order"
        return try CardRow.all("WHERE card.number = \(number) AND \(condition) \(inTurn)", in: tx)
            .first { submitter != owner || !$0.isForeign(to: submitter) }
    }

    /// Frees the fingerprint of source bytes for a card, by clearing it on other cards of the number.
    func releaseSource(_ source: Data?, of number: BusinessNumber, for own: CardID, in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE card SET source = NULL, prepared = NULL
            WHERE number = \(number) AND source = \(source) AND id <> \(own)
            """
        )
    }

    /// Returns the owner of a number, the submitter of its first card (erased cards included); makes a missing case.
    private func firstSubmitter(of photo: NewCard, in tx: Transaction) throws -> String {
        let number = photo.metadata.businessNumber
        if let submitter: String = try tx.value("SELECT submitter FROM cases WHERE number = \(number)") {
            return submitter
        }
        try tx.run("INSERT INTO cases (number, key, submitter) VALUES (\(number), \(number.key), \(photo.submitter))")
        return photo.submitter
    }

    private func insert(
        _ photo: NewCard,
        source: Data?,
        isForeign: Bool,
        beside known: CardID? = nil,
        in tx: Transaction
    ) throws -> Admitted {
        let start = try self.start(of: photo, isForeign: isForeign, isRetake: known != nil, in: tx)
        let metadata = photo.metadata
        let host: String? = if case .remote(_, let host) = photo.content { host } else { nil }
        let order = try self.nextOrder(in: tx)
        try self.releaseSource(source, of: metadata.businessNumber, for: photo.id, in: tx)
        try tx.run(
            """
            INSERT INTO card (id, state, number, submitter, sent_by, expected_side, intake_order, taken, priority, source, host, beside,
            reason, waits_until, created_at, changed_at)
            VALUES (\(photo.id), \(start.to), \(metadata.businessNumber), \(photo.submitter), \(photo.sentBy), \(metadata.side), \(order),
            \(photo.taken), \(metadata.priority), \(source), \(host), \(known), \(start.reason), \(photo.waitsUntil),
            \(tx.now), \(Transition.date(tx.now)))
            """
        )
        let key = try self.vault.makeKey(of: photo.id, in: tx)
        let message = try start.message.map { try key.seal(json: $0, column: .cardMessage) }
        let sealed = try key.seal(json: SealedMetadata(metadata, inputName: photo.name), column: .cardMetadata)
        try tx.run("UPDATE card SET message = \(message), metadata = \(sealed) WHERE id = \(photo.id)")
        try self.put(photo.content, of: photo.id, key: key, in: tx)
        // A card that is fetched beside a known one has no event until it proves to be another photo.
        if known == nil { try self.records.log(start, from: nil, of: photo.id, sealed: message, in: tx) }
        // A back that lacks a front may have one now.
        let isIgnored = isForeign || known != nil
        try Transition.markForDecision(metadata.businessNumber, isIgnored: isIgnored, in: tx)
        try self.raisePriority(of: metadata.businessNumber, to: metadata.priority, for: photo.submitter, in: tx)
        return Admitted(card: photo.id, state: start.to, reason: start.reason, isDuplicate: false)
    }

    /// The first transition of a card: some wait for a person before anything is done for them.
    private func start(of photo: NewCard, isForeign: Bool, isRetake: Bool, in tx: Transaction) throws -> Transition {
        let (start, number) = (photo.content.start, photo.metadata.businessNumber)
        guard start.to != .rejected else { return start }
        if isForeign { return Self.holdForeign(photo.id) }
        guard !isRetake else { return start }
        if try self.isCaseEnded(number, in: tx) { return Self.holdLate(photo.id) }
        guard try self.isNumberDoubted(photo, in: tx) else { return start }
        try self.sandbox.markPersonal(number, in: tx)
        let why: Message = photo.hasPersonalFolder ? .cardFolderPersonal(photo.id) : .cardNumberPersonal(photo.id)
        return Transition(.held, .businessNumberPersonal, why)
    }

    /// Assigns the next number in the order of all inputs.
    func nextOrder(in tx: Transaction) throws -> Int64 {
        guard let order: Int64 = try tx.value("SELECT next_order FROM store") else {
            throw CodedError.damaged(.vaultUnopenable("store"))
        }
        try tx.run("UPDATE store SET next_order = \(order + 1)")
        return order
    }

    /// Raises the priority of a number to that of the most urgent card of its owner.
    func raisePriority(of number: BusinessNumber, to priority: Int, for submitter: String, in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE cases SET priority = \(priority)
            WHERE number = \(number) AND priority < \(priority) AND submitter = \(submitter)
            """
        )
    }

    func put(_ content: NewCard.Content, of card: CardID, key: CardKey, in tx: Transaction) throws {
        switch content {
        case .prepared(let image): try self.records.put(image, of: card, key: key, in: tx)
        case .received(let source): try self.records.putSource(source, at: 0, of: card, key: key, in: tx)
        case .remote(let address, _):
            try self.records.putAddress(SealedAddress(address: address), of: card, key: key, in: tx)
        case .refused: break
        }
    }

    /// Whether the address of a card may have another photo by now: the card is finished, and would not be fetched again itself.
    private func mayBeRetaken(_ row: CardRow, by photo: NewCard, in tx: Transaction) throws -> Bool {
        guard case .remote = photo.content, row.submitter == photo.submitter else { return false }
        if row.state == .rejected {
            return try row.reason.map(ReasonCode.byPerson.contains) == true || self.records.hasImage(row.id, in: tx)
        }
        return row.state == .failed || row.state == .delivered
    }

    /// Adds a card that fetches an address again; the known card is returned, and is unchanged (`Fetching`).
    private func fetchAgain(_ photo: NewCard, beside row: CardRow, in tx: Transaction) throws -> Admitted {
        let open = try CardRow.all("WHERE card.number = \(row.number) AND card.beside = \(row.id)", in: tx).first
        let retake =
            try open.map { try self.amend($0, with: photo.said, in: tx) }
            ?? self.insert(photo, source: nil, isForeign: false, beside: row.id, in: tx)
        var known = Admitted(known: row)
        known.retake = retake.card
        return known
    }

    /// Whether a reviewer has ended a case: its later photos wait for a person.
    func isCaseEnded(_ number: BusinessNumber, in tx: Transaction) throws -> Bool {
        try tx.exists("SELECT 1 FROM cases WHERE number = \(number) AND ended = 1")
    }

    /// Whether a number seems to name a person, or is erased, so that a photo waits for a reviewer before it is verified.
    private func isNumberDoubted(_ photo: NewCard, in tx: Transaction) throws -> Bool {
        let number = photo.metadata.businessNumber
        guard !number.isDigest else { return true }
        let isPersonal = photo.hasPersonalFolder || number.contains(photo.metadata.expectedName)
        return try isPersonal && !self.sandbox.isNumberAccepted(number, in: tx)
    }

    static func holdLate(_ card: CardID) -> Transition { Transition(.held, .caseRejected, .cardCaseRejected(card)) }

    static func holdForeign(_ card: CardID) -> Transition { Transition(.held, .submitterConflict, .cardForeign(card)) }

    /// Stores the location of a photo, so that the same file is not read, nor the same address fetched, again.
    private func remember(_ photo: NewCard, as card: CardID, in tx: Transaction) throws {
        guard let location = self.location(of: photo) else { return }
        let file = photo.photo.file
        try tx.run(
            """
            INSERT INTO input (location, number, card, device, inode, size, modified, changed)
            VALUES (\(location), \(photo.metadata.businessNumber), \(card), \(file.map { Int64(bitPattern: $0.device) }),
            \(file.map { Int64(bitPattern: $0.inode) }), \(file?.size), \(file?.modifiedNanoseconds),
            \(file?.changedNanoseconds))
            ON CONFLICT (location, number, part) DO UPDATE SET card = excluded.card, device = excluded.device, inode = excluded.inode,
            size = excluded.size, modified = excluded.modified, changed = excluded.changed
            """
        )
    }

    private func location(of photo: NewCard) -> Data? {
        if let file = photo.photo.file { return self.location(file.path) }
        guard case .remote(let address, _) = photo.content else { return nil }
        return self.location(address)
    }

    /// The fingerprint of the path of a file, or of an address.
    func location(_ text: Redacted<String>) -> Data { self.vault.fingerprint(Data(text.reveal().utf8), .location) }
}
