package import IDCardCore

extension ReasonCode {
    /// The sidecar of an image cannot be read or understood.
    package static let sidecarInvalid = ReasonCode(rawValue: "sidecar_invalid")
}
