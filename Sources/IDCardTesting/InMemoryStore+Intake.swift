package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func reserveIntakeOrders(_ count: Int) async throws -> Int64 {
        self.memory.change { state in
            defer { state.nextIntakeOrder += Int64(count) }
            return state.nextIntakeOrder
        }
    }

    package func cards(ofFiles files: [(file: FileIdentity, businessNumber: BusinessNumber)]) async throws -> [Card?] {
        self.memory.look { state in
            files.map { state.card(ofFile: $0.file, businessNumber: $0.businessNumber)?.card }
        }
    }

    package func recognise(
        _ digest: ContentDigest,
        metadata: CardMetadata,
        file: FileIdentity?,
        now: Timestamp
    ) async throws -> Card? {
        self.memory.change { $0.recognise(digest, metadata: metadata, file: file, now: now) }
    }

    package func admit(_ admission: Admission, now: Timestamp) async throws -> AdmissionOutcome {
        try self.memory.change { state in
            if let error = state.admissionError { throw error }
            let known = state.recognise(
                admission.sourceDigest,
                metadata: admission.metadata,
                file: admission.file,
                now: now
            )
            if let known { return .duplicate(known) }
            return .admitted(state.insert(admission, now: now))
        }
    }

    package func update(_ card: CardID, with metadata: CardMetadata, now: Timestamp) async throws -> Card {
        try self.memory.change { state in
            let known = try state.entry(of: card)
            return state.takeOver(metadata, into: known, now: now)
        }
    }
}

extension InMemoryState {
    /// The card, not erased, that holds some source bytes under a business number.
    func cardOfContent(_ digest: ContentDigest, businessNumber: BusinessNumber) -> CardEntry? {
        self.cards.values.first {
            $0.sourceDigest == digest && $0.card.metadata.businessNumber == businessNumber && $0.card.state != .erased
        }
    }

    /// The card, be it a tombstone, that a file became under a business number.
    func card(ofFile file: FileIdentity, businessNumber: BusinessNumber) -> CardEntry? {
        let place = FilePlace(path: file.path, businessNumber: businessNumber)
        guard let known = self.files[place], known.file.isSameContent(as: file) else { return nil }
        return self.cards[known.card]
    }

    fileprivate mutating func recognise(
        _ digest: ContentDigest,
        metadata: CardMetadata,
        file: FileIdentity?,
        now: Timestamp
    ) -> Card? {
        let known = self.cardOfContent(digest, businessNumber: metadata.businessNumber)
        guard let known else {
            guard let file else { return nil }
            // What was erased does not come back from the place that it had, whatever became of the file's attributes.
            let place = FilePlace(path: file.path, businessNumber: metadata.businessNumber)
            guard let erased = self.files[place].flatMap({ self.cards[$0.card] }), erased.card.state == .erased,
                erased.sourceDigest == digest
            else { return nil }
            self.files[place] = KnownFile(file: file, card: erased.card.id)
            self.endAwaiting(place)
            return erased.card
        }
        if let file { self.remember(file, of: known.card) }
        return self.takeOver(metadata, into: known, now: now)
    }

    /// Takes over what a newer sending of the same bytes says, and returns the card.
    mutating func takeOver(_ metadata: CardMetadata, into known: CardEntry, now: Timestamp) -> Card {
        var entry = known
        let canBeJudgedAgain = known.lease == nil && known.image != nil
        entry.card = known.card.takingOver(
            metadata,
            canBeJudgedAgain: canBeJudgedAgain,
            mayBeAtBackend: self.mayBeAtBackend(known.card.id),
            isReplaced: self.isReplaced(known.card),
            now: now
        )
        guard entry.card != known.card else { return known.card }
        let hasMoved = entry.card.state != known.card.state
        if hasMoved { (entry.holder, entry.isAccepted, entry.goesAlone) = (nil, false, false) }
        self.cards[entry.card.id] = entry
        self.append(CardEvent(at: now, kind: "metadata", state: hasMoved ? entry.card.state : nil), to: entry.card.id)
        return entry.card
    }

    /// Whether a newer photo of a card's side was delivered, or may still be.
    func isReplaced(_ card: Card) -> Bool {
        guard let side = card.side ?? card.metadata.side else { return true }
        return self.cards.values.map(\.card).contains { other in
            other.state.mayReplace && other.intakeOrder > card.intakeOrder
                && other.metadata.businessNumber == card.metadata.businessNumber
                && (other.side ?? other.metadata.side ?? side) == side
        }
    }

    /// Keeps older photos superseded for good when the newer one is erased that was, or may have been, delivered.
    mutating func keepReplaced(by newer: Card) {
        guard let side = newer.side ?? newer.metadata.side,
            newer.state == .delivered || self.mayBeAtBackend(newer.id)
        else { return }
        for (id, other) in self.cards
        where other.card.mayComeBack && other.card.intakeOrder < newer.intakeOrder
            && other.card.metadata.businessNumber == newer.metadata.businessNumber
            && (other.card.side ?? other.card.metadata.side) == side
        {
            self.cards[id]?.card.reason = .replacedBySent
        }
    }

    fileprivate mutating func insert(_ admission: Admission, now: Timestamp) -> Card {
        var card = Card(
            id: admission.id,
            state: .prepared,
            metadata: admission.metadata,
            intakeOrder: admission.intakeOrder,
            createdAt: now,
            changedAt: now
        )
        var image: PreparedImage?
        switch admission.content {
        case .prepared(let prepared): image = prepared
        case .refused(let reason, let message):
            (card.state, card.reason, card.message) = (.rejected, reason, message)
        }
        self.cards[card.id] = CardEntry(card: card, sourceDigest: admission.sourceDigest, image: image)
        let event = CardEvent(at: now, kind: "admitted", state: card.state, code: card.reason?.rawValue)
        self.append(event, to: card.id)
        if let file = admission.file { self.remember(file, of: card) }
        return card
    }

    mutating func remember(_ file: FileIdentity, of card: Card) {
        let place = FilePlace(path: file.path, businessNumber: card.metadata.businessNumber)
        let known = self.files[place]
        let isReused = known.map { $0.isReused || $0.card != card.id } ?? false
        self.files[place] = KnownFile(file: file, card: card.id, isReused: isReused)
        self.endAwaiting(place)
    }
}

extension FileIdentity {
    /// The device is not compared: its number may change at a restart.
    func isSameContent(as other: FileIdentity) -> Bool {
        (self.inode, self.size, self.modifiedNanoseconds) == (other.inode, other.size, other.modifiedNanoseconds)
    }
}
