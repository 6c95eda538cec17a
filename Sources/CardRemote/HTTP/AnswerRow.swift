/// A row of a table that says what an answer means; the first matching row counts.
struct AnswerRow<Content: Equatable & Sendable, Meaning: Sendable>: Sendable {
    let statuses: ClosedRange<Int>
    /// The content that the body must have; `nil` for any.
    let content: Content?
    /// Whether the row matches only answers with `Retry-After`.
    let withRetryAfter: Bool
    let meaning: Meaning

    init(_ statuses: ClosedRange<Int>, _ content: Content? = nil, withRetryAfter: Bool = false, is meaning: Meaning) {
        (self.statuses, self.content, self.withRetryAfter, self.meaning) = (statuses, content, withRetryAfter, meaning)
    }

    init(_ status: Int, _ content: Content? = nil, withRetryAfter: Bool = false, is meaning: Meaning) {
        self.init(status...status, content, withRetryAfter: withRetryAfter, is: meaning)
    }

    func fits(status: Int, content: Content, asksToWait: Bool) -> Bool {
        self.statuses.contains(status) && self.content ?? content == content && (asksToWait || !self.withRetryAfter)
    }
}
