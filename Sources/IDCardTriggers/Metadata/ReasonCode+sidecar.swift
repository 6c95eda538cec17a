package import IDCardCore

extension ReasonCode {
    /// The sidecar of an image cannot be read or understood.
    package static let sidecarInvalid = ReasonCode(rawValue: "sidecar_invalid")
    /// An image that is not taken without a sidecar has none.
    package static let sidecarMissing = ReasonCode(rawValue: "sidecar_missing")
    /// A sidecar came when the card of its image was in a delivery or had ended.
    package static let sidecarLate = ReasonCode(rawValue: "sidecar_late")
}
