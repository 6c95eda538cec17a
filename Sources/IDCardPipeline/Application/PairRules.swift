import IDCardCore

/// Compares the two sides of one business number before the first of them goes.
struct PairRules: Sendable {
    /// What was found.
    struct Findings: Hashable, Sendable {
        /// The cards that a rule refuses or leaves to a person.
        var refused: [CardID: VerdictFinding] = [:]
        /// What is to be said of the cards that go.
        var warnings: [VerdictFinding] = []
    }

    let store: any CardStore
    let rules: VerdictRules

    /// Returns what the rules say of the cards of a business number, of which some may go.
    ///
    /// The newest photo of each side is looked at that is, or may be, at the backend; without a reading of both sides
    /// there is nothing to compare. What has gone is not called back: a refusal concerns the cards still `verified`.
    ///
    /// - Parameter leaving: cards that the other rules hold or replace at this moment; they are neither compared nor refused.
    func findings(
        for snapshot: ApplicationSnapshot,
        deliverable: [ApplicationCard],
        leaving: [CardID]
    ) async throws -> Findings {
        guard !deliverable.isEmpty else { return Findings() }
        let leaving = Set(leaving)
        let staying = snapshot.cards.filter { !leaving.contains($0.id) }
        guard let front = Self.newest(.front, in: staying),
            let back = Self.newest(.back, in: staying),
            let frontReading = try await self.reading(of: front), let backReading = try await self.reading(of: back)
        else { return Findings() }
        let found = self.rules.judgePair(
            front: frontReading,
            back: backReading,
            identicalImages: try await self.areIdentical(front, frontReading, back, backReading)
        )
        let deciding = found.first { $0.severity == .reject } ?? found.first { $0.severity == .hold }
        let waiting = [front, back].filter { $0.state == .verified && !$0.isAccepted }
        return Findings(
            refused: deciding.map { finding in
                Dictionary(uniqueKeysWithValues: waiting.map { ($0.id, finding) })
            } ?? [:],
            warnings: found.filter { $0.severity == .warn }
        )
    }

    private static func newest(_ side: CardSide, in cards: [ApplicationCard]) -> ApplicationCard? {
        cards.last {
            $0.side == side && ($0.state == .verified || $0.state == .delivering || $0.state == .delivered)
        }
    }

    /// Whether both cards are one picture, which then shows both sides: a picture of one side has one reading.
    private func areIdentical(
        _ front: ApplicationCard,
        _ frontReading: CardReading,
        _ back: ApplicationCard,
        _ backReading: CardReading
    ) async throws -> Bool {
        guard !frontReading.others.isEmpty, !backReading.others.isEmpty else { return false }
        do {
            return try await self.store.preparedImage(of: front.id).digest
                == self.store.preparedImage(of: back.id).digest
        } catch let error as StoreError where error.concernsOneCard {
            // Whoever forms the delivery meets the image that does not open, and says so.
            return false
        }
    }

    private func reading(of card: ApplicationCard) async throws -> CardReading? {
        do {
            return try await self.store.details(of: card.id)?.reading
        } catch let error as StoreError where error.concernsOneCard {
            // A reading that does not open cannot be compared; the card has passed its own verdict.
            return nil
        }
    }
}
