package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func noteMetadataFile(inFolder path: Redacted<String>, now: Timestamp) async throws {
        self.memory.change { _ = $0.watchedFolders.insert(path) }
    }

    package func hasHeldMetadataFile(inFolder path: Redacted<String>) async throws -> Bool {
        self.memory.look { $0.watchedFolders.contains(path) }
    }

    package func amend(
        _ photo: TakenPhoto,
        under number: BusinessNumber,
        with metadata: CardMetadata,
        now: Timestamp
    ) async throws -> Amendment {
        try self.memory.change { state in
            let place = InMemoryState.FilePlace(path: photo.path, businessNumber: number)
            guard let known = state.files[place], let entry = state.cards[known.card], entry.card.state != .erased
            else {
                return .unknown
            }
            if case .file(let file) = photo, !known.file.isSameContent(as: file) { return .unknown }
            var isCertain = true
            if case .only = photo { isCertain = !known.isReused }
            guard isCertain, entry.card.metadata.isBare else { return .uncertain(entry.card.id) }
            guard entry.card.state.takesMetadataOver, !state.mayBeAtBackend(entry.card.id) else {
                return .tooLate(entry.card)
            }
            guard metadata.businessNumber != number else {
                return .applied(state.takeOver(metadata, into: entry, now: now))
            }
            guard entry.lease == nil else { return .busy(entry.card.id) }
            return .applied(try state.renumber(entry, to: metadata, at: place, known.file, now: now))
        }
    }
}

extension InMemoryState {
    fileprivate mutating func renumber(
        _ entry: CardEntry,
        to metadata: CardMetadata,
        at place: FilePlace,
        _ file: FileIdentity,
        now: Timestamp
    ) throws -> Card {
        let twin = self.cardOfContent(entry.sourceDigest, businessNumber: metadata.businessNumber)
        self.files[place] = nil
        let there = FilePlace(path: place.path, businessNumber: metadata.businessNumber)
        self.files[there] = KnownFile(file: file, card: (twin ?? entry).card.id)
        if let twin {
            try self.move(entry.card.id, from: entry.card.state, to: .superseded, reason: .duplicate, now: now)
            return self.takeOver(metadata, into: twin, now: now)
        }
        var moved = entry
        moved.card.metadata.businessNumber = metadata.businessNumber
        moved.events.append(CardEvent(at: now, kind: "renumbered"))
        self.cards[entry.card.id] = moved
        if (entry.card.side ?? metadata.side) != .back {
            for (id, other) in self.cards
            where other.card.metadata.businessNumber == entry.card.metadata.businessNumber
                && other.card.state == .verified && other.card.side == .back
            {
                self.cards[id]?.card.changedAt = now
            }
        }
        return self.takeOver(metadata, into: moved, now: now)
    }
}
