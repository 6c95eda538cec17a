package import IDCardCore

/// One line of the access log: who touched the personal data of which card, when and why; never the data.
package struct AccessLine: Hashable, Sendable {
    /// Its place in the log: 1, 2, 3, … without a gap.
    package var number: Int64
    /// When.
    package var at: Timestamp
    /// What was done.
    package var action: AccessAction
    /// Who and why.
    package var origin: AccessOrigin
    /// The card; it may have been erased since.
    package var card: CardID?

    /// Describes a line.
    package init(number: Int64, at: Timestamp, action: AccessAction, origin: AccessOrigin, card: CardID?) {
        self.number = number
        self.at = at
        self.action = action
        self.origin = origin
        self.card = card
    }
}
