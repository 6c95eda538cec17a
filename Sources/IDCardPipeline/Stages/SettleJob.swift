import IDCardCore

/// What the lane of the rules does: decide on a business number, or send off what has gathered.
enum SettleJob: Hashable, Sendable {
    /// Apply the rules of a business number.
    case decide(BusinessNumber)
    /// Form the deliveries whose cards are complete, or have waited long enough.
    case assemble
}
