import IDCardCore

/// One call that a gate has let through; whoever made it tells the gate how it ended.
struct PacedCall: Hashable, Sendable {
    /// Its place among all calls of the stage, from 0: tells apart what milliseconds cannot.
    let number: UInt64
    /// How many calls were under way when it began, itself included.
    let position: Int
    /// What it is about (a card, a delivery).
    let subject: String
    /// Whether an earlier attempt of the same subject failed.
    let isRetry: Bool
    /// When it began.
    let startedAt: Timestamp

    init(number: UInt64, position: Int, subject: String = "", isRetry: Bool = false, startedAt: Timestamp) {
        self.number = number
        self.position = position
        self.subject = subject
        self.isRetry = isRetry
        self.startedAt = startedAt
    }
}
