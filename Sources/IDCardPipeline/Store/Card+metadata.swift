package import IDCardCore

extension CardState {
    /// Whether a newer photo in this state replaces an older one of its side: it was delivered, or may still be.
    package var mayReplace: Bool { self.isRunnable || self == .held || self == .delivered }
}

extension Card {
    /// Returns this card after a newer sending of the same bytes, as every store must leave it.
    ///
    /// A `rejected` or `verified` card whose verdict may now differ is `prepared` again, and what its verification and
    /// its last delivery left on it is cleared; so is a `superseded` one that no newer photo replaces any more. The kept reading is not part of the card: it spares the second call.
    ///
    /// - Parameters:
    ///   - newer: what the newer sending says.
    ///   - canBeJudgedAgain: whether its image is there and nobody works on it right now.
    ///   - mayBeAtBackend: whether an attempt to deliver it has an outcome that nobody knows.
    ///   - isReplaced: whether a newer photo of its side was delivered, or may still be.
    ///   - now: the time of the change, if its state changes.
    package func takingOver(
        _ newer: CardMetadata,
        canBeJudgedAgain: Bool,
        mayBeAtBackend: Bool,
        isReplaced: Bool,
        now: Timestamp
    ) -> Card {
        guard self.state.takesMetadataOver || self.mayComeBack else { return self }
        var card = self
        card.metadata = self.metadata.takingOver(newer)
        if self.mayComeBack {
            guard !isReplaced, canBeJudgedAgain, !mayBeAtBackend else { return self }
            card.judgeAgain(now: now)
            return card
        }
        let wasJudged = self.state == .rejected || self.state == .verified
        guard wasJudged, canBeJudgedAgain, card.metadata.changesVerdict(from: self.metadata) else { return card }
        // No sender undoes what a person decided; and what may have arrived must not go again under another key.
        let isSettled = self.reason == .rejectedByOperator || self.reason == .restored || mayBeAtBackend
        guard self.state != .rejected || !isSettled else { return card }
        card.judgeAgain(now: now)
        return card
    }

    /// Whether it was superseded by a photo that may still be refused: sent in again, it may be judged again.
    package var mayComeBack: Bool { self.state == .superseded && self.reason == .superseded }

    private mutating func judgeAgain(now: Timestamp) {
        self.state = .prepared
        self.reason = nil
        self.message = nil
        self.side = nil
        self.attempts = 0
        self.nextAttemptAt = nil
        self.delivery = nil
        self.changedAt = now
    }

    /// Whether this card stays as it is whatever a sender says of it: it says so already, or takes nothing over any more.
    package func isUnchanged(by metadata: CardMetadata) -> Bool {
        !self.mayComeBack && (!self.state.takesMetadataOver || self.says(metadata))
    }

    /// Whether this card says all that a sender says; of an erased one nothing is known that could differ.
    package func says(_ metadata: CardMetadata) -> Bool {
        self.state == .erased || self.metadata.takingOver(metadata) == self.metadata
    }
}
