import IDCardCore

/// What a run says at its end: the object of `--format json`, the last line of `--format jsonl` (without `cards`).
struct RunReport: Sendable, Encodable {
    /// The name of this run, also in its logs.
    var runID: String
    /// How many inputs ended how.
    var counts: RunCounts
    /// One element per input; `nil` in `jsonl`, where they were printed before.
    var cards: [RunCardReport]?

    enum CodingKeys: String, CodingKey {
        case runID = "run_id"
        case counts
        case cards
    }
}
