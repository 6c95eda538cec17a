package import IDCardCore
package import IDCardPipeline

extension CardStore {
    /// Concludes work on a leased card as it stands now, for tests that claim each card once.
    ///
    /// - Throws: `StoreError.notFound` if there is no card of this name.
    @discardableResult
    package func conclude(
        _ card: CardID,
        as conclusion: VerificationConclusion,
        attempt: AttemptRecord?,
        now: Timestamp
    ) async throws -> Card {
        guard let standing = try await self.card(card) else {
            throw StoreError(.notFound, "there is no card \(card)")
        }
        return try await self.conclude(standing, as: conclusion, attempt: attempt, now: now)
    }

    /// Concludes the preparation of a leased card as it stands now, for tests that claim each card once.
    ///
    /// - Throws: `StoreError.notFound` if there is no card of this name.
    @discardableResult
    package func concludePreparing(
        _ card: CardID,
        as conclusion: PreparationConclusion,
        now: Timestamp
    ) async throws -> Card {
        try await self.concludePreparing(try await self.standing(card), as: conclusion, now: now)
    }

    /// Concludes the fetching of a leased card as it stands now, for tests that claim each card once.
    ///
    /// - Throws: `StoreError.notFound` if there is no card of this name.
    @discardableResult
    package func concludeFetching(
        _ card: CardID,
        as conclusion: FetchConclusion,
        attempt: AttemptRecord?,
        now: Timestamp
    ) async throws -> Card {
        try await self.concludeFetching(try await self.standing(card), as: conclusion, attempt: attempt, now: now)
    }

    private func standing(_ card: CardID) async throws -> Card {
        guard let standing = try await self.card(card) else { throw StoreError(.notFound, "there is no card \(card)") }
        return standing
    }
}
