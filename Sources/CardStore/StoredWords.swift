import CardModel

// Closed sets of words that rows hold, each a small table of its own (see ``Schema``).

enum DeliveryState: String, CaseIterable, Bindable, Readable {
    /// It is sent until its result is known.
    case open = "open"
    /// It may have been applied, and a person decides; it can be sent again as it was.
    case kept = "kept"
    /// The backend accepted it.
    case delivered = "delivered"
    /// The backend refused it for good.
    case refused = "refused"
    /// It was surely not applied; its cards go into another delivery.
    case dissolved = "dissolved"
    /// It is never sent again; its members have different results.
    case closed = "closed"

    /// Whether its parts stay: only what may be sent again has any.
    var hasParts: Bool { self == .open || self == .kept }
    /// Whether a late acceptance may still change its members.
    var takesAcceptance: Bool { self.hasParts || self == .closed }
}

/// The kind of a sealed value of a card.
enum BlobKind: String, CaseIterable, Bindable, Readable {
    /// The prepared JPEG.
    case image = "image"
    /// A piece of the source bytes.
    case source = "source"
    /// The address of the image.
    case address = "address"
}

/// The state of a run on demand.
enum RunState: String, CaseIterable, Bindable, Readable {
    case queued = "queued", running = "running", ended = "ended"
}

extension Sandbox.Kind: Bindable, Readable {}
extension CardState: Bindable, Readable {}
extension CardSide: Bindable, Readable {}
extension ReasonCode: Bindable, Readable {}
extension FailureClass: Bindable, Readable {}
extension AccessAction: Bindable {}
extension DecisionAction: Bindable, Readable {}
extension RetakeReason: Bindable, Readable {}
extension CaseState: Bindable, Readable {}
extension Stage: Bindable, Readable {}
extension DeliveryLayoutKind: Bindable, Readable {}
extension DeliveryBody: Bindable, Readable {}
