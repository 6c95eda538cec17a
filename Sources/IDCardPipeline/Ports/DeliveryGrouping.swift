/// How cards are joined into deliveries (`delivery.layout`).
package enum DeliveryGrouping: Hashable, Sendable {
    /// One card per delivery.
    case single
    /// The front and the back of one business number together, as far as both are there in time.
    case application
    /// Up to so many cards, and so many bytes of their images, of one user account, over several business numbers.
    ///
    /// A delivery goes when it is full, or when its first card has waited for `wait`.
    case batch(maximumCards: Int, maximumBytes: Int, wait: Duration)

    /// Whether one delivery can hold several cards.
    var holdsSeveralCards: Bool {
        switch self {
        case .single: false
        case .application: true
        case .batch(let maximumCards, _, _): maximumCards > 1
        }
    }
}
