import IDCardCore
import IDCardPipeline

/// Which card is erased, why, by whom, and when.
struct ErasureRequest: Sendable {
    var card: CardID
    var reason: ReasonCode
    var origin: AccessOrigin
    var now: Timestamp
}
