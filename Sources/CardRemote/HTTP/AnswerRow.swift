/// A row of a table that says what an answer means; the first matching row counts.
struct AnswerRow<Words: Equatable & Sendable, Meaning: Sendable>: Sendable {
    let statuses: ClosedRange<Int>
    /// What the body must say; `nil`: anything.
    let words: Words?
    /// Whether the row matches only answers with `Retry-After`.
    let withRetryAfter: Bool
    let meaning: Meaning

    init(_ statuses: ClosedRange<Int>, _ words: Words? = nil, withRetryAfter: Bool = false, is meaning: Meaning) {
        (self.statuses, self.words, self.withRetryAfter, self.meaning) = (statuses, words, withRetryAfter, meaning)
    }

    init(_ status: Int, _ words: Words? = nil, withRetryAfter: Bool = false, is meaning: Meaning) {
        self.init(status...status, words, withRetryAfter: withRetryAfter, is: meaning)
    }

    func fits(status: Int, words: Words, asksToWait: Bool) -> Bool {
        self.statuses.contains(status) && self.words ?? words == words && (asksToWait || !self.withRetryAfter)
    }
}
