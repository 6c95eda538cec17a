/// The closed set of states in the life of a delivery.
enum DeliveryState: String, CaseIterable, Sendable {
    /// To be sent, or being sent.
    case open
    /// The backend holds the documents.
    case delivered
    /// The backend said no.
    case rejected
    /// A person decides; it may be sent again as it is.
    case held
    /// Its members left it: nothing was applied and the form had to change.
    case dissolved

    /// Whether it is never sent again.
    var isClosed: Bool { self != .open && self != .held }
}
