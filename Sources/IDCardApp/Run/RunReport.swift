import IDCardCore

/// What a run says at its end: the object of `--format json`, the last line of `--format jsonl` (without `cards`).
struct RunReport: Sendable, Encodable {
    /// The name of this run, also in its logs.
    var runID: String
    /// How many inputs ended how.
    var counts: RunCounts
    /// One element per input; `nil` in `jsonl`, where they were printed before.
    var cards: RunReports?

    enum CodingKeys: String, CodingKey {
        case runID = "run_id"
        case counts
        case cards
    }
}

extension RunReport {
    /// How many cards are rendered at a time.
    private static let cardsAtATime = 64

    /// Writes the report as one indented JSON document, in pieces that end with a line: as a whole it would be larger than
    /// the run.
    ///
    /// - Parameter write: takes each piece; all in a row are what `JSONText.document` returns.
    func write(_ write: (String) -> Void) {
        guard let cards = self.cards else { return write(JSONText.document(self)) }
        var rest = self
        rest.cards = nil
        // The first key in their order.
        write("{\n  \"cards\" : [\n")
        for start in stride(from: 0, to: cards.count, by: Self.cardsAtATime) {
            let end = min(start + Self.cardsAtATime, cards.count)
            let texts = cards[start..<end].map { card in
                "    " + JSONText.document(card).split(separator: "\n").joined(separator: "\n    ")
            }
            write(texts.joined(separator: ",\n") + (end < cards.count ? ",\n" : "\n"))
        }
        if cards.isEmpty { write("\n") }
        write("  ],\n" + JSONText.document(rest).dropFirst("{\n".count))
    }
}
