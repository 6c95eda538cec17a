package import IDCardCore

/// Which cards to list, newest intake last.
package struct CardQuery: Hashable, Sendable {
    /// Only cards in these states; empty means all.
    package var states: Set<CardState>
    /// Only cards of this business number.
    package var businessNumber: BusinessNumber?
    /// Only cards that stand where they stand for this reason.
    package var reason: ReasonCode?
    /// Only cards taken in after this place; for paging.
    package var afterIntakeOrder: Int64?
    /// At most so many.
    package var limit: Int

    /// Makes a query.
    package init(
        states: Set<CardState> = [],
        businessNumber: BusinessNumber? = nil,
        reason: ReasonCode? = nil,
        afterIntakeOrder: Int64? = nil,
        limit: Int = 100
    ) {
        self.states = states
        self.businessNumber = businessNumber
        self.reason = reason
        self.afterIntakeOrder = afterIntakeOrder
        self.limit = limit
    }
}
