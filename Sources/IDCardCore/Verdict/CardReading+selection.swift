extension CardReading {
    /// Returns the reading with the card of a side in front of the others, if exactly one card of the photo shows it; else
    /// the reading as it is.
    ///
    /// Selecting twice for one side changes nothing more.
    package func selecting(_ side: CardSide?) -> CardReading {
        guard !self.others.isEmpty, let index = self.soleIndex(of: side) else { return self }
        var rest = self.cards
        var chosen = rest.remove(at: index)
        chosen.requestID = chosen.requestID ?? self.requestID
        chosen.others = rest
        return chosen
    }

    /// Whether it is known which card of the photo is meant: there is one, or one alone shows the expected side.
    func isUnambiguous(for side: CardSide?) -> Bool {
        self.others.isEmpty || self.soleIndex(of: side) != nil
    }

    /// Every card of the photo by itself, this one first.
    private var cards: [CardReading] {
        ([self] + self.others).map { card in
            var alone = card
            alone.others = []
            return alone
        }
    }

    private func soleIndex(of side: CardSide?) -> Int? {
        guard let side else { return nil }
        let shown = self.cards.indices.filter { self.cards[$0].side == side }
        return shown.count == 1 ? shown[0] : nil
    }
}
