package import CardModel

extension ReasonCode {
    /// A path or pattern names nothing.
    package static let inputNotFound = ReasonCode(rawValue: "input_not_found")
    /// A named folder cannot be listed, or a path names neither a file nor a folder.
    package static let inputUnreadable = ReasonCode(rawValue: "input_unreadable")
    /// A list has more than `InputLimits.inputs` files.
    package static let tooManyInputs = ReasonCode(rawValue: "too_many_inputs")
    /// The manifest does not exist or cannot be read.
    package static let manifestUnreadable = ReasonCode(rawValue: "manifest_unreadable")
    /// The manifest has columns that are not known, or a row that cannot be understood.
    package static let manifestInvalid = ReasonCode(rawValue: "manifest_invalid")
    /// The manifest has more than `InputLimits.manifestBytes`.
    package static let manifestTooLarge = ReasonCode(rawValue: "manifest_too_large")
    /// The sidecar of an image cannot be read or understood.
    package static let sidecarInvalid = ReasonCode(rawValue: "sidecar_invalid")
    /// The rule that reads business numbers from paths is none.
    package static let businessNumberRuleInvalid = ReasonCode(rawValue: "business_no_from_invalid")
}
