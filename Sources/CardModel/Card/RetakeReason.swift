/// Why a reviewer returns a photo: the code becomes the card's reason, which its submitter sees.
package enum RetakeReason: String, CaseIterable, Sendable, Codable {
    case blurred = "retake_blurred", glare = "retake_glare", incomplete = "retake_incomplete"
    /// The photo shows the other side; the one to take is still missing.
    case wrongSide = "retake_wrong_side"
    /// A copy, a screen or a screenshot.
    case notOriginal = "retake_not_original"
    /// Another document than a resident identity card.
    case wrongDocument = "retake_wrong_document"
    case expired = "retake_expired"
    case otherPerson = "retake_other_person"
    /// The card differs from the metadata; other metadata amends it.
    case mismatch = "retake_mismatch"
    /// The reviewer says why in words.
    case other = "retake_other"
    /// The business number names a person; the case ends.
    case number = "retake_number"

    /// The reasons that say what is wrong with a photo.
    package static let ofPhoto = Self.allCases.filter { $0 != .number }

    package var code: ReasonCode { ReasonCode(rawValue: self.rawValue) }
}
