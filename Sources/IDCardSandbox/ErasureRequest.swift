import IDCardCore
import IDCardPipeline

/// Which card is erased, why, by whom, and when.
struct ErasureRequest: Sendable {
    var card: CardID
    /// Only if it has been in its state for longer than its limit; `nil` in any case.
    var retention: Retention?
    var reason: ReasonCode
    var origin: AccessOrigin
    var now: Timestamp
}
