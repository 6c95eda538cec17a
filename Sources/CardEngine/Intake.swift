package import CardModel
package import CardStore
import Foundation

/// Admits photos: looks them up, reads and prepares new ones, and stores all photos of one number in one commit.
package struct Intake: Sendable {
    let context: EngineContext
    /// Who sends the photos, and whose cards they become: the process itself for lists and watched folders.
    let sender: Caller
    /// Whether the photos are those of a list, which has all photos of a number, so that none waits for another.
    let isList: Bool

    private var submitter: String { self.sender.submitter }

    func admit(_ groups: [[Photo]]) async throws {
        var remaining = groups[...]
        while !remaining.isEmpty, !self.context.board.isEnding {
            let portion = Self.portion(of: &remaining)
            let (unknown, newNumbers) = try await self.lookUp(portion)
            guard try await self.waitForRoom(for: unknown) else { return }
            try await self.admitUnknown(unknown, newNumbers)
        }
    }

    /// Waits while the sandbox has its limit of cards in progress.
    ///
    /// - Returns: `false` if nothing makes progress, so that the rest of the list is left to a later run.
    private func waitForRoom(for groups: [[Photo]]) async throws -> Bool {
        let hasAddresses = groups.joined().contains { $0.address != nil }
        let board = self.context.board
        while try await self.isFull(hasAddresses: hasAddresses), !board.isEnding {
            let patience = self.context.settings.patience
            guard board.stopped.isEmpty, !board.isStalled(for: patience, time: self.context.time) else {
                return false
            }
            try await self.context.time.sleep(Limits.pollInterval)
        }
        return true
    }

    private func isFull(hasAddresses: Bool) async throws -> Bool {
        if try await self.context.isFull() { return true }
        guard hasAddresses else { return false }
        return try await self.context.store.intake.hasReachedFetchingLimit(for: self.sender)
    }

    /// Removes and returns enough groups for one look-up.
    private static func portion(of groups: inout ArraySlice<[Photo]>) -> [[Photo]] {
        var portion: [[Photo]] = []
        var count = 0
        while count < Limits.lookupSize, let group = groups.popFirst() {
            portion.append(group)
            count += group.count
        }
        return portion
    }

    /// Reports the photos that are cards already, whose files are not read again; returns the others, and the numbers
    /// without any card.
    private func lookUp(_ groups: [[Photo]]) async throws -> (
        unknown: [[Photo]], newNumbers: Set<BusinessNumber>
    ) {
        let items = groups.flatMap(\.self)
        let (cards, new) = try await self.context.store.intake.known(
            items,
            of: self.submitter,
            now: self.context.time.now()
        )
        var known = cards[...]
        let unknown = groups.map { group in
            group.filter { item in
                guard let outcome = known.popFirst() ?? nil else { return true }
                if outcome.state.isRunnable { self.signal(for: [outcome]) }
                self.context.events(.taken(item, outcome))
                return false
            }
        }
        .filter { !$0.isEmpty }
        return (unknown, new)
    }

    /// Reads, prepares and admits new photos, several numbers at a time, until none is left or the engine ends.
    private func admitUnknown(_ groups: [[Photo]], _ newNumbers: Set<BusinessNumber>) async throws {
        try await withThrowingTaskGroup { tasks in
            var remaining = groups[...]
            for _ in 0..<(self.context.settings.preparing + Limits.numbersAhead) {
                guard let group = remaining.popFirst() else { break }
                tasks.addTask { try await self.admitNumber(group, newNumbers) }
            }
            while try await tasks.next() != nil {
                guard !self.context.board.isEnding, let group = remaining.popFirst() else { continue }
                tasks.addTask { try await self.admitNumber(group, newNumbers) }
            }
        }
    }

    /// Admits the photos of one business number, except those with an error of their own.
    private func admitNumber(_ group: [Photo], _ newNumbers: Set<BusinessNumber>) async throws {
        var cards: [NewCard] = []
        var refusals: [(photo: Photo, error: CodedError)] = []
        for photo in group {
            do {
                try self.requireSpace()
                let isNew = newNumbers.contains(photo.metadata.businessNumber)
                cards.append(try await self.newCard(of: photo, isOfNewNumber: isNew))
            } catch let error as CodedError {
                refusals.append((photo, error))
                guard error.kind != .input else { continue }
                // A later run can admit all photos of the number after a temporary error, so none is admitted now.
                refusals += group.filter { other in !refusals.contains { $0.photo == other } }.map { ($0, error) }
                cards = []
                break
            }
        }
        for refusal in refusals { self.context.events(.refused(refusal.photo, refusal.error)) }
        guard !cards.isEmpty else { return }
        let outcomes = try await self.context.store.intake.admit(cards, now: self.context.time.now())
        for (card, outcome) in zip(cards, outcomes) { self.context.events(.taken(card.photo, outcome)) }
        self.signal(for: outcomes)
    }

    /// Wakes the stages that have work for these cards.
    private func signal(for outcomes: [Admitted]) {
        for state in Set(outcomes.map(\.state)) {
            switch state {
            case .fetching: self.context.board.signal(.fetch)
            case .received: self.context.board.signal(.prepare)
            case .prepared: self.context.board.signal(.verify)
            // A card named by URL is fetched again, to see whether the photo there was replaced.
            case .rejected, .failed, .delivered:
                self.context.board.signal(.fetch)
                self.context.board.signal(.deliver)
            // New metadata may have restarted the card, or removed the reason for which others of its number wait.
            default: self.context.board.signal(.deliver)
            }
        }
    }

    private func requireSpace() throws(CodedError) {
        guard self.context.room != .ample else { return }
        throw CodedError(.diskSpaceLow, .storage, .engineDiskFull)
    }

    /// Makes a card of a photo: reads and prepares the image, or records the address to fetch.
    ///
    /// - Throws: `CodedError` if the photo cannot become a card.
    private func newCard(of photo: Photo, isOfNewNumber: Bool = false) async throws -> NewCard {
        let (source, content) = try await self.content(of: photo, isOfNewNumber: isOfNewNumber)
        var random = SystemRandomNumberGenerator()
        let now = self.context.time.now()
        var card = NewCard(
            id: CardID.generate(at: now, using: &random),
            photo: photo,
            submitter: self.submitter,
            sentBy: self.sender.subject,
            source: source,
            content: content,
            waitsUntil: self.isList ? now : now.advanced(by: self.context.settings.frontWait)
        )
        if photo.row == nil { card.taken = photo.file?.taken(at: now) }
        return card
    }

    /// Reads a photo, and prepares its image unless it is a copy of a known one.
    private func content(of photo: Photo, isOfNewNumber: Bool) async throws -> (ContentDigest?, NewCard.Content) {
        switch photo.location {
        // The host is `nil` if our rules forbid the address.
        case .address(let address):
            return (nil, .remote(address, host: try? self.context.ports.fetcher.host(of: address)))
        case .bytes(let bytes, let digest):
            let isKnown = try await self.isKnown(digest, photo)
            return (digest, isKnown ? .received(bytes) : .prepared(try await self.prepare(bytes)))
        case .file(let file):
            let source = try await self.context.ports.read(file)
            let digest = ContentDigest(of: source)
            do {
                let isKnown = try await isOfNewNumber ? false : self.isKnown(digest, photo)
                return (digest, isKnown ? .received(source) : .prepared(try await self.context.prepare(source)))
            } catch let error as CodedError where error.kind == .input {
                return (digest, .refused(error))
            }
        }
    }

    /// Whether a photo is a byte-for-byte copy of a known one, so that it need not be decoded.
    private func isKnown(_ source: ContentDigest, _ photo: Photo) async throws -> Bool {
        let number = photo.metadata.businessNumber
        return try await self.context.store.intake.knows(
            source,
            number: number,
            receipt: photo.receipt,
            from: self.submitter,
            sentBy: self.sender.subject
        )
    }
}

// MARK: Photos that come singly

extension Intake {
    /// Admits one photo of a watched folder; the result is durable when this returns.
    ///
    /// - Parameter mayGrow: whether the file may be incomplete, so that an unusable image must not become a rejected card.
    /// - Throws: `CodedError`; unless it is of kind `input`, the photo may become a card later.
    package func admit(_ photo: Photo, mayGrow: Bool = false) async throws -> Admitted {
        let outcome = try await self.outcome(of: photo, mayGrow: mayGrow)
        self.context.events(.taken(photo, outcome))
        return outcome
    }

    /// Amends the card of a known photo, or admits a new one.
    private func outcome(of photo: Photo, mayGrow: Bool) async throws -> Admitted {
        if let known = try await self.amend(photo) { return known }
        try await self.requireRoom()
        let card = try await self.newCard(of: photo)
        guard case .refused(let error) = card.content else { return try await self.store([card])[0] }
        if mayGrow { throw error }
        var outcome = try await self.store([card])[0]
        // The sandbox has no bytes of a refused photo, so the same file must be reported as refused each time.
        if outcome.state == .rejected { outcome.isDuplicate = false }
        return outcome
    }

    /// Amends the card of a file by its current metadata, without reading the file; `nil` if there is no card yet.
    package func amend(_ photo: Photo) async throws -> Admitted? {
        guard photo.file != nil else { return nil }
        let now = self.context.time.now()
        let known = try await self.context.store.intake.known([photo], of: self.submitter, now: now).cards[0]
        if let known, known.state.isRunnable { self.signal(for: [known]) }
        return known
    }

    /// Prepares the photos of one request, then admits all of them or none in one commit; they are durable when this returns.
    ///
    /// - Throws: ``RefusedUpload``, `CardUnderway`; `CodedError`: `queue_full`, `disk_space_low`, `request_reused`.
    package func receive(_ photos: [Photo]) async throws -> [Admitted] {
        try self.requireSpace()
        if photos.contains(where: { $0.address != nil }) {
            guard try await !self.context.store.intake.hasReachedFetchingLimit(for: self.sender) else {
                throw CodedError(.queueFull, .storage, .engineTooManyFetches)
            }
        } else {
            try await self.requireRoom()
        }
        var cards: [NewCard] = []
        for photo in photos {
            do {
                cards.append(try await self.newCard(of: photo))
            } catch let error as CodedError where error.kind == .input {
                throw RefusedUpload(photo: photo, error: error)
            }
        }
        // Both sides are here, so neither waits for the other.
        let now = self.context.time.now()
        for index in cards.indices {
            cards[index].isOfRequest = true
            if cards.count > 1 { cards[index].waitsUntil = now }
        }
        return try await self.store(cards)
    }

    /// Prepares an image of a request once a slot is free.
    private func prepare(_ source: Data) async throws -> PreparedImage {
        let (queue, time) = (self.context.uploads, self.context.time)
        guard await queue.enter(self.sender.subject, until: { try? await time.sleep(Limits.uploadWait) }) else {
            throw CodedError(.queueFull, .storage, .engineTooManyUploads)
        }
        defer { queue.leave { $0[self.sender.subject] = $0[self.sender.subject].flatMap { $0 > 1 ? $0 - 1 : nil } } }
        return try await self.context.prepare(source, isForeign: true)
    }

    /// Throws if the disk, the queue of cards or the submitter's share of the queue is full.
    private func requireRoom() async throws {
        try self.requireSpace()
        var isFull = try await self.context.isFull()
        if !isFull, self.sender != .process {
            isFull = try await self.context.store.intake.hasReachedQueueShare(by: self.sender)
        }
        guard isFull else { return }
        throw CodedError(.queueFull, .storage, .engineQueueFull)
    }

    private func store(_ cards: [NewCard]) async throws -> [Admitted] {
        let outcomes = try await self.context.store.intake.admit(cards, singly: true, now: self.context.time.now())
        self.signal(for: outcomes)
        return outcomes
    }
}

/// A photo of a request cannot be used, so nothing of the request is admitted.
package struct RefusedUpload: Error {
    package let photo: Photo
    package let error: CodedError
}
