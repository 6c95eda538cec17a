import IDCardCore
import Logging

/// Takes in images that an input names by URL: the card is durable at once, its image is fetched later.
struct AddressIntake: Sendable {
    let context: StageContext
    /// Fetches them; `nil` if nothing does.
    let fetcher: ImageFetcher?

    /// Why no image is fetched from an address; `nil` if it may be tried.
    func refusal(of address: ImageAddress) -> ImageFetcher.Refusal? {
        guard let fetcher = self.fetcher else {
            return ImageFetcher.Refusal(
                .fetchUnavailable,
                message: "no image is fetched by URL here: name the hosts that images may come from in fetch.hosts"
            )
        }
        return fetcher.refusal(address)
    }

    /// Takes an address in, or recognises it.
    ///
    /// - Parameter order: its place among all inputs; `nil` for the next one.
    func take(_ address: ImageAddress, metadata: CardMetadata, order: Int64?) async throws -> InputResult {
        let place = FileIdentity(address)
        let known = try await self.context.store.card(ofFile: place, businessNumber: metadata.businessNumber)
        if let known, known.state != .rejected {
            return .duplicate(try await self.context.updated(known, with: metadata), wasRead: false)
        }
        if let refusal = self.refusal(of: address) { return .refused(refusal.reason, message: refusal.message) }
        try self.context.board.checkMayBegin()
        let now = self.context.time.now()
        let id = self.context.random.draw { CardID.generate(at: now, using: &$0) }
        let reception = Reception(
            metadata: metadata,
            source: .address(address),
            place: place,
            intakeOrder: order
        )
        switch try await self.context.store.receive(reception, as: id, now: now) {
        case .admitted(let card):
            self.context.logger.debug(
                "card received",
                metadata: ["card.id": "\(card.id)", "card.state": "\(card.state.rawValue)"]
            )
            self.context.monitor.changed(card)
            self.context.board.announce(.fetch)
            return .admitted(card)
        case .duplicate(let card), .repeated(let card): return .duplicate(card, wasRead: false)
        case .nameReused: preconditionFailure("a reception without a receipt reuses no name")
        }
    }
}

extension StageContext {
    /// What is said anew about a card that is known: only a difference is worth a write.
    func updated(_ card: Card, with metadata: CardMetadata) async throws -> Card {
        guard !card.isUnchanged(by: metadata) else { return card }
        return try await self.store.update(card.id, with: metadata, now: self.time.now())
    }
}
