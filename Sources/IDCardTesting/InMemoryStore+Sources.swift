package import Foundation
package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func claimReceived(limit: Int, until expiry: Timestamp, now: Timestamp) async throws -> [Card] {
        self.memory.change { $0.claim(.received, limit: limit, by: self.owner, until: expiry, now: now) }
    }

    package func source(of card: CardID, at offset: Int) async throws -> Data {
        try self.memory.look { state in
            guard let entry = state.cards[card] else { return Data() }
            let piece = entry.pieces.first { $0.key <= offset && offset < $0.key + $0.value.count }
            if let piece { return Data(piece.value.dropFirst(offset - piece.key)) }
            guard entry.card.state != .received || offset == entry.ranges.last?.upperBound else {
                throw StoreError(.corrupt, "the source bytes of card \(card) have a gap")
            }
            return Data()
        }
    }

    package func concludePreparing(
        _ claimed: Card,
        as conclusion: PreparationConclusion,
        now: Timestamp
    ) async throws -> Card {
        try self.memory.change { state in
            let card = claimed.id
            let attempts = try state.requireStanding(claimed).card.attempts
            switch conclusion {
            case .prepared(let image):
                try state.move(card, from: .received, to: .prepared, leasedBy: self.owner, now: now)
                state.cards[card]?.image = image
                state.dropSource(of: card)
            case .rejected(let reason, let message):
                try state.end(card, from: .received, as: .rejected, reason, message, by: self.owner, now: now)
                state.dropSource(of: card)
            case .retry(let time):
                try state.postpone(card, in: .received, until: time, attempts: 1, owner: self.owner)
            case .failed(let reason, let message):
                try state.end(card, from: .received, as: .failed, reason, message, by: self.owner, now: now)
                state.cards[card]?.card.attempts = attempts + 1
            }
            return try state.entry(of: card).card
        }
    }

    package func nextDue(in state: CardState) async throws -> Timestamp? {
        self.memory.look { $0.nextDue(in: state) }
    }

    package func claimFetching(limit: Int, until expiry: Timestamp, now: Timestamp) async throws -> [FetchJob] {
        self.memory.change { state in
            state.claim(.fetching, limit: limit, by: self.owner, until: expiry, now: now)
                .compactMap { state.job(of: $0) }
        }
    }

    package func keep(_ bytes: Data, at offset: Int, of card: CardID, version: FetchedVersion) async throws {
        try self.memory.change { state in
            var entry = try state.entry(of: card)
            guard entry.card.state == .fetching, entry.lease?.owner == self.owner, entry.fetch != nil else {
                throw StoreError(.conflict, "card \(card) is not fetched here any more; nothing was changed")
            }
            let known = entry.pieces.isEmpty ? nil : entry.fetch?.version
            let joined = known.map { $0.joined(with: version) } ?? version
            if joined == nil { entry.pieces = [:] }
            entry.fetch?.version = joined ?? version
            let end = offset + bytes.count
            entry.pieces = entry.pieces.filter { $0.key >= end || $0.key + $0.value.count <= offset }
            if !bytes.isEmpty { entry.pieces[offset] = bytes }
            state.cards[card] = entry
        }
    }

    package func concludeFetching(
        _ claimed: Card,
        as conclusion: FetchConclusion,
        attempt: AttemptRecord?,
        now: Timestamp
    ) async throws -> Card {
        try self.memory.change { state in
            let card = claimed.id
            let before = try state.requireStanding(claimed)
            if let attempt {
                state.cards[card]?.fetchAttempts.append(attempt)
                state.append(CardEvent(at: now, kind: "attempt", code: attempt.code), to: card)
            }
            switch conclusion {
            case .complete(let digest):
                try state.complete(before, digest: digest, by: self.owner, now: now)
            case .retry(let time, let costsAttempt):
                try state.postpone(card, in: .fetching, until: time, attempts: costsAttempt ? 1 : 0, owner: self.owner)
            case .rejected(let reason, let message):
                try state.end(card, from: .fetching, as: .rejected, reason, message, by: self.owner, now: now)
                state.dropSource(of: card)
            case .failed(let reason, let message):
                try state.end(card, from: .fetching, as: .failed, reason, message, by: self.owner, now: now)
                state.cards[card]?.card.attempts = before.card.attempts + (attempt == nil ? 0 : 1)
            }
            return try state.entry(of: card).card
        }
    }
}

extension InMemoryState {
    /// Removes the source bytes of a card, and the address of which they would come.
    mutating func dropSource(of card: CardID) {
        self.cards[card]?.pieces = [:]
        self.cards[card]?.fetch = nil
    }

    fileprivate func requireStanding(_ claimed: Card) throws -> CardEntry {
        let entry = try self.entry(of: claimed.id)
        guard entry.card.stands(as: claimed) else {
            throw StoreError(.conflict, "card \(claimed.id) was claimed anew or changed since; nothing was changed")
        }
        return entry
    }

    fileprivate mutating func end(
        _ card: CardID,
        from expected: CardState,
        as state: CardState,
        _ reason: ReasonCode,
        _ message: String,
        by owner: Int,
        now: Timestamp
    ) throws {
        try self.move(card, from: expected, to: state, leasedBy: owner, reason: reason, message: message, now: now)
    }

    fileprivate mutating func job(of card: Card) -> FetchJob? {
        guard var entry = self.cards[card.id], let fetch = entry.fetch else { return nil }
        guard fetch.version?.validator != nil, !entry.pieces.isEmpty else {
            // Nobody could say whether what is there and what comes are of the same bytes.
            entry.pieces = [:]
            entry.fetch?.version = nil
            self.cards[card.id] = entry
            return FetchJob(card: card, address: fetch.address)
        }
        return FetchJob(card: card, address: fetch.address, version: fetch.version, pieces: entry.ranges)
    }

    fileprivate mutating func complete(
        _ entry: CardEntry,
        digest: ContentDigest,
        by owner: Int,
        now: Timestamp
    ) throws {
        let card = entry.card
        guard let known = self.cardOfContent(digest, businessNumber: card.metadata.businessNumber) else {
            try self.move(card.id, from: .fetching, to: .received, leasedBy: owner, now: now)
            let announced = entry.fetch?.version?.byteCount
            guard let end = FetchJob.endOfWhole(entry.ranges), announced == nil || announced == end else {
                throw StoreError(.corrupt, "the pieces of the image of card \(card.id) leave a gap")
            }
            self.cards[card.id]?.fetch = nil
            self.cards[card.id]?.sourceDigest = digest
            return
        }
        let message = "the same image is here already as card \(known.card.id)"
        try self.end(card.id, from: .fetching, as: .superseded, .duplicate, message, by: owner, now: now)
        self.dropSource(of: card.id)
        for place in self.files.keys where self.files[place]?.card == card.id {
            self.files[place]?.card = known.card.id
        }
        if known.card.intakeOrder < card.intakeOrder { _ = self.takeOver(card.metadata, into: known, now: now) }
    }
}
