import CardModel

// Closed sets of words that columns hold; each set is a small table in the database (see ``Schema``).

enum DeliveryState: String, CaseIterable, Bindable, Readable {
    /// The delivery is sent until its result is known.
    case open = "open"
    /// The backend may have applied it, and a person decides; it can be sent again with the same bytes.
    case kept = "kept"
    /// The backend accepted it.
    case delivered = "delivered"
    /// The backend refused it, and it is not sent again.
    case refused = "refused"
    /// It was surely not applied; its cards go into other deliveries.
    case dissolved = "dissolved"
    /// It is never sent again; its members have different results.
    case closed = "closed"

    /// Whether the parts of the form are stored, which only a delivery that may be sent again needs.
    var hasParts: Bool { self == .open || self == .kept }
    /// Whether a late acceptance may still change the members.
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
